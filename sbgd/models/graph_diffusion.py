"""SGGM without its trainer: one network, SDEs of the features and of the edges, and the score of their joint law.

The network estimates E[x_0 | x_t] of every field, of which the score is (alpha_t E[x_0 | x_t] - x_t) / sigma_t^2
(Tweedie's formula). Its losses have the same minimiser as denoising score matching.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor, nn

from sbgd.data.batch import GraphBatch
from sbgd.diffusion import NoiseSource, symmetric
from sbgd.diffusion.coupled import CoupledSDE, Fields
from sbgd.diffusion.process import LOGIT_BOUND, expand
from sbgd.diffusion.sde import SDE, VP
from sbgd.diffusion.signal_share import times_by_signal
from sbgd.errors import InputError
from sbgd.models.fields import BinaryField, CategoricalField, Field, RealField
from sbgd.networks import BlockDenoiser, FeatureDenoiser, NoisyBlocks

Paradigm = Literal["joint", "structure", "features"]

EDGES, FEATURES, CATEGORIES = "edges", "features", "categories"

EARLIEST = 1e-3
"""Time at which sampling stops and below which nothing is learned: scores of discrete data are unbounded at 0."""

_KNOWN = 1e-4
"""Noise that stands for none where the network reads the noise of a given field."""


class GraphDiffusion(nn.Module):
    """The network and the SDEs of one score-based graph generative model.

    Args:
        denoiser: Estimates clean fields. Its `num_features` are the feature columns and the node categories together;
            a `FeatureDenoiser` serves the paradigm `features` alone and needs no adjacency matrix.
        paradigm: `joint` generates features and structure, `structure` the edges given features, `features` the
            features given edges. Node categories go with the features, edge types with the edges.
        edge_sde: SDE of the edges.
        feature_sde: SDE of features and node categories.
        num_classes: Node categories c.
        is_binary: Whether features are zeros and ones.

    Raises:
        InputError: The paradigm is unknown, or the denoiser does not serve it.

    References:
        Jo et al., 2022, arXiv:2202.02514; paradigms: Su and Wu, 2025, arXiv:2508.14351.
    """

    def __init__(
        self,
        denoiser: BlockDenoiser | FeatureDenoiser,
        *,
        paradigm: Paradigm = "joint",
        edge_sde: SDE | None = None,
        feature_sde: SDE | None = None,
        num_classes: int = 0,
        is_binary: bool = False,
    ) -> None:
        super().__init__()
        if paradigm not in get_args(Paradigm):
            raise InputError(f"expected paradigm joint, structure or features, got {paradigm!r}")
        if paradigm == "features" and not denoiser.num_features:
            raise InputError(
                "expected node features to generate given a structure, got none; set data.features or data.categories, "
                "or another paradigm"
            )
        if paradigm != "features" and isinstance(denoiser, FeatureDenoiser):
            raise InputError(
                f"expected a network that knows edges for the paradigm {paradigm}, got {type(denoiser).__name__}, "
                "which passes messages along given edges; take another network or the paradigm features"
            )
        self.denoiser = denoiser
        self.paradigm = paradigm
        self.edge_sde: SDE = VP() if edge_sde is None else edge_sde
        self.feature_sde: SDE = VP() if feature_sde is None else feature_sde
        self.num_classes = num_classes
        self.is_binary = is_binary
        self.fields = nn.ModuleDict(self._fields(denoiser.num_features - num_classes))

    def _fields(self, num_features: int) -> dict[str, Field]:
        fields: dict[str, Field] = {}
        edge_sde = None if self.paradigm == "features" else self.edge_sde
        feature_sde = None if self.paradigm == "structure" else self.feature_sde
        if isinstance(self.denoiser, BlockDenoiser):
            types = self.denoiser.num_edge_types
            fields[EDGES] = BinaryField(edge_sde) if types == 1 else CategoricalField(edge_sde, types + 1, axis=1)
        if num_features:
            fields[FEATURES] = BinaryField(feature_sde, num_features) if self.is_binary else RealField(feature_sde)
        if self.num_classes:
            fields[CATEGORIES] = CategoricalField(feature_sde, self.num_classes, axis=-1)
        return fields

    @property
    def num_features(self) -> int:
        """Feature columns f, node categories not counted."""
        return self.denoiser.num_features - self.num_classes

    @property
    def sdes(self) -> dict[str, SDE]:
        """SDEs of the fields that are diffused."""
        return {name: field.sde for name, field in self._named() if field.sde is not None}

    def set_shares(
        self, edges: Float[Tensor, " k1"], features: Float[Tensor, " f"], categories: Float[Tensor, " c"]
    ) -> None:
        """Sets the laws of independent entries, see `GraphSchema.shares`.

        Args:
            edges: Shares of pairs without an edge and of every edge type.
            features: Share of ones of every feature; read for binary features.
            categories: Share of every node category.
        """
        for name, field in self._named():
            if isinstance(field, BinaryField):
                field.share.copy_(edges[1:].sum() if name == EDGES else features)
            elif isinstance(field, CategoricalField):
                field.share.copy_(edges if name == EDGES else categories)

    def clean_values(self, batch: GraphBatch) -> Fields:
        """Returns the values of every field, categories as one-hot values, zero at padding."""
        masks, values = self._masks(batch), {}
        for name, field in self._named():
            value = {EDGES: batch.edges, FEATURES: batch.features, CATEGORIES: batch.categories}[name]
            values[name] = (field.one_hot(value) if isinstance(field, CategoricalField) else value) * masks[name]
        return values

    def clean_fields(self, batch: GraphBatch) -> Fields:
        """Returns x_0 of every field, 0 at padding and, of edges, on the diagonal."""
        masks, values = self._masks(batch), self.clean_values(batch)
        return {name: field.code(values[name]) * masks[name] for name, field in self._named()}

    def values(self, x: Fields) -> Fields:
        """Returns values out of codes: of edges 0 or 1 + the type's index, of categories their index, features."""
        found: Fields = {}
        for name, field in self._named():
            if isinstance(field, CategoricalField):
                found[name] = x[name].argmax(dim=field.axis)
            elif isinstance(field, BinaryField):
                found[name] = (x[name] > 0).to(x[name].dtype)
            else:
                found[name] = x[name]
        return found

    def projections(self, batch: GraphBatch) -> dict[str, Callable[[Tensor], Tensor]]:
        """Returns how independent noise becomes that of a field: symmetric, and zero at padding."""
        masks = self._masks(batch)

        def projection(name: str) -> Callable[[Tensor], Tensor]:
            return lambda noise: (symmetric(noise) if name == EDGES else noise) * masks[name]

        return {name: projection(name) for name, _ in self._named()}

    def loss(self, batch: GraphBatch, noise: NoiseSource) -> dict[str, Float[Tensor, " b"]]:
        """Returns the loss of every diffused field and graph, about 1 for a network that knows nothing."""
        t = self.training_times(noise, len(batch)).to(batch.mask)
        clean, project = self.clean_fields(batch), self.projections(batch)
        values, masks = self.clean_values(batch), self._masks(batch)
        x = dict(clean)
        for name, sde in self.sdes.items():
            drawn = project[name](noise.normal(tuple(clean[name].shape)))
            x[name] = expand(sde.alpha(t), drawn) * clean[name] + expand(sde.sigma(t), drawn) * drawn
        residuals = self._residuals(batch, x, t)
        losses = {}
        for name in self.sdes:
            field, mask = self._field(name), masks[name]
            loss = field.loss(values[name], x[name], t, residuals[name])
            if isinstance(field, CategoricalField):
                mask = mask.squeeze(field.axis)
            mask = mask.expand_as(loss)
            losses[name] = (loss * mask).flatten(1).sum(1) / mask.flatten(1).sum(1).clamp(min=1)
        return losses

    def system(self, batch: GraphBatch, noise: NoiseSource, *, calibrate: bool = False) -> CoupledSDE:
        """Returns the reverse system of graphs with the masks of a batch.

        Args:
            batch: Masks, and what is given.
            noise: Where noise comes from.
            calibrate: Whether the logits of every binary feature are shifted so that its mean over the nodes of a graph
                is its share in training. E[E[x_0 | x_t]] = E[x_0], so that a perfect network needs none on a large
                graph; errors of one step otherwise add up along the way.
        """

        def score(x: Fields, t: Float[Tensor, " b"]) -> Fields:
            clean = self.expectation(batch, x, t, calibrate=calibrate)
            return {
                name: (expand(sde.alpha(t), x[name]) * clean[name] - x[name]) / expand(sde.sigma(t) ** 2, x[name])
                for name, sde in self.sdes.items()
            }

        discrete = {
            name: field.resample for name, field in self._named() if isinstance(field, BinaryField | CategoricalField)
        }
        return CoupledSDE(self.sdes, score, self.projections(batch), noise, discrete)

    @property
    def generates_binary_features(self) -> bool:
        """Whether zeros and ones are among the fields that are diffused."""
        return self.is_binary and FEATURES in self.sdes

    def expectation(self, batch: GraphBatch, x: Fields, t: Float[Tensor, " b"], *, calibrate: bool = False) -> Fields:
        """Returns E[x_0 | x_t] of the diffused fields."""
        masks, residuals = self._masks(batch), self._residuals(batch, x, t)
        if calibrate and self.generates_binary_features:
            field = self._field(FEATURES)
            assert isinstance(field, BinaryField)
            shift = field.share_shift(x[FEATURES], t, residuals[FEATURES], batch.mask)
            residuals[FEATURES] = residuals[FEATURES] + shift
        return {name: self._field(name).expectation(x[name], t, residuals[name]) * masks[name] for name in self.sdes}

    def _residuals(self, batch: GraphBatch, x: Fields, t: Float[Tensor, " b"]) -> Fields:
        """Returns what the network adds to the law of independent entries."""
        edge_noise, feature_noise = self._noise_levels(t)
        columns = [self._field(name).inputs(x[name], t) for name in (FEATURES, CATEGORIES) if name in self.fields]
        nodes = torch.cat(columns, dim=-1) if columns else torch.zeros_like(batch.mask).unsqueeze(-1)[..., :0]
        nodes = nodes * batch.mask.unsqueeze(-1)
        n = batch.mask.sum(-1)
        level = feature_noise if self.paradigm == "features" else edge_noise
        signal = 1 / (1 + level**2)
        residuals: Fields = {}
        if isinstance(self.denoiser, FeatureDenoiser):
            found = self.denoiser(nodes, batch.edge_index, batch.mask, signal)
        else:
            levels = [edge_noise.log() / 4, feature_noise.log() / 4]
            numbers = torch.stack([torch.log(n), *levels, torch.zeros_like(n)], dim=-1)
            noisy = self._noisy(batch, x[EDGES], t, nodes, signal, numbers)
            logits, found = self.denoiser(noisy)
            if noisy.type_logits is None:
                residuals[EDGES] = logits - noisy.prior_logit
            else:
                residuals[EDGES] = (logits - noisy.type_logits).movedim(-1, 1)
        residuals[FEATURES], residuals[CATEGORIES] = found.split([self.num_features, self.num_classes], dim=-1)
        return residuals

    def _noisy(
        self,
        batch: GraphBatch,
        edges: Float[Tensor, "b ..."],
        t: Float[Tensor, " b"],
        nodes: Float[Tensor, "b n f"],
        signal: Float[Tensor, " b"],
        numbers: Float[Tensor, "b 4"],
    ) -> NoisyBlocks:
        belief = self._field(EDGES).belief(edges, t)
        types, logit = None, belief
        if isinstance(self.fields[EDGES], CategoricalField):
            types = belief.movedim(1, -1)
            logit = (belief[:, 1:].logsumexp(dim=1) - belief[:, 0]).clamp(-LOGIT_BOUND, LOGIT_BOUND)
        return NoisyBlocks(
            edges=torch.sigmoid(logit) * batch.pairs,
            prior_logit=logit,
            mask=batch.mask,
            degrees=torch.zeros_like(batch.mask).unsqueeze(-1).expand(-1, -1, 2),
            features=nodes,
            signal=signal,
            numbers=numbers,
            type_logits=types,
        )

    def _masks(self, batch: GraphBatch) -> dict[str, Tensor]:
        """Returns 1 at entries of every field, 0 at padding, broadcastable to its code."""
        pairs = batch.pairs
        if isinstance(self.denoiser, BlockDenoiser) and self.denoiser.num_edge_types > 1:
            pairs = pairs.unsqueeze(1)
        nodes = batch.mask.unsqueeze(-1)
        return {EDGES: pairs, FEATURES: nodes, CATEGORIES: nodes}

    def _field(self, name: str) -> Field:
        field = self.fields[name]
        assert isinstance(field, Field)
        return field

    def _named(self) -> list[tuple[str, Field]]:
        return [(name, self._field(name)) for name in self.fields]

    def _noise_levels(self, t: Float[Tensor, " b"]) -> tuple[Float[Tensor, " b"], Float[Tensor, " b"]]:
        """Returns sigma / alpha of edges and features."""
        is_diffused = (self.paradigm != "features", self.paradigm != "structure" and self.denoiser.num_features > 0)
        levels = []
        for diffused, sde in zip(is_diffused, (self.edge_sde, self.feature_sde), strict=True):
            level = sde.sigma(t) / sde.alpha(t) if diffused else torch.zeros_like(t)
            levels.append(level.clamp(min=_KNOWN))
        return levels[0], levels[1]

    def training_times(self, noise: NoiseSource, size: int) -> Float[Tensor, " b"]:
        """Draws times at which the share of signal is uniform; evenly spread ones have less variance."""
        start = noise.uniform((size,))[:1]
        quantiles = (start + torch.arange(size, device=start.device) / size) % 1
        return times_by_signal(self.sdes.values(), quantiles, earliest=EARLIEST)

    def sampling_times(self, num_steps: int) -> Float[Tensor, " k"]:
        """Returns num_steps + 1 times from 1 to `EARLIEST`; the share of signal rises by equal amounts."""
        quantiles = torch.linspace(0, 1, num_steps + 1, device=next(self.parameters()).device)
        times = times_by_signal(self.sdes.values(), quantiles, earliest=EARLIEST)
        times[0], times[-1] = 1.0, EARLIEST
        return times
