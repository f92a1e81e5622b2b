"""SGGM without its trainer: one network, an SDE for the features, one for the edges, and the score of their joint law.

The network estimates E[x_0 | x_t] of both fields, of which the score is (alpha_t E[x_0 | x_t] - x_t) / sigma_t^2
(Tweedie's formula). Edges are encoded as -1 and +1, and the network adds to their exact logit under independent
edges; features are standardised, and it adds to their exact mean under a standard normal law. Both losses have the same
minimiser as denoising score matching.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from sbgd.data.batch import BlockBatch
from sbgd.diffusion import NoiseSource, symmetric
from sbgd.diffusion.coupled import CoupledSDE, Fields
from sbgd.diffusion.process import LOGIT_BOUND, expand
from sbgd.diffusion.sde import SDE, VP
from sbgd.errors import InputError
from sbgd.networks import BlockDenoiser, NoisyBlocks

Paradigm = Literal["joint", "structure", "features"]

EDGES, FEATURES = "edges", "features"

EARLIEST = 1e-3
"""Time at which sampling stops and below which nothing is learned: scores of binary data are unbounded at 0."""

_KNOWN = 1e-4
"""Noise that stands for none where the network reads the noise of a given field."""


class GraphDiffusion(nn.Module):
    """The network and the SDEs of one score-based graph generative model.

    Args:
        denoiser: Estimates clean edges and features.
        paradigm: `joint` generates features and structure, `structure` the edges given features, `features` the
            features given edges.
        edge_sde: SDE of the edges.
        feature_sde: SDE of the features.

    Raises:
        InputError: The paradigm is unknown, or needs features and the denoiser has none.

    References:
        Jo et al., 2022, arXiv:2202.02514; paradigms: Su and Wu, 2025, arXiv:2508.14351.
    """

    density: Tensor

    def __init__(
        self,
        denoiser: BlockDenoiser,
        *,
        paradigm: Paradigm = "joint",
        edge_sde: SDE | None = None,
        feature_sde: SDE | None = None,
    ) -> None:
        super().__init__()
        if paradigm not in get_args(Paradigm):
            raise InputError(f"expected paradigm joint, structure or features, got {paradigm!r}")
        if paradigm == "features" and not denoiser.num_features:
            raise InputError(
                "expected node features to generate given a structure, got none; set data.features or another paradigm"
            )
        self.denoiser = denoiser
        self.paradigm = paradigm
        self.edge_sde: SDE = VP() if edge_sde is None else edge_sde
        self.feature_sde: SDE = VP() if feature_sde is None else feature_sde
        self.register_buffer("density", torch.tensor(0.1))

    @property
    def sdes(self) -> dict[str, SDE]:
        """SDEs of the fields that are diffused."""
        sdes: dict[str, SDE] = {}
        if self.paradigm != "features":
            sdes[EDGES] = self.edge_sde
        if self.paradigm != "structure" and self.denoiser.num_features:
            sdes[FEATURES] = self.feature_sde
        return sdes

    def clean_fields(self, batch: BlockBatch) -> Fields:
        """Returns edges as -1 and +1, 0 at padding and on the diagonal, and features."""
        return {EDGES: (2 * batch.edges - 1) * batch.pairs, FEATURES: batch.features}

    def projections(self, batch: BlockBatch) -> dict[str, Callable[[Tensor], Tensor]]:
        """Returns how independent noise becomes that of a field: symmetric, and zero at padding."""
        pairs, mask = batch.pairs, batch.mask.unsqueeze(-1)
        return {EDGES: lambda noise: symmetric(noise) * pairs, FEATURES: lambda noise: noise * mask}

    def loss(self, batch: BlockBatch, noise: NoiseSource) -> dict[str, Float[Tensor, " b"]]:
        """Returns the loss of every diffused field and graph, 1 for a network that knows nothing."""
        t = self.training_times(noise, len(batch)).to(batch.mask)
        clean, project = self.clean_fields(batch), self.projections(batch)
        x = dict(clean)
        for name, sde in self.sdes.items():
            drawn = project[name](noise.normal(tuple(clean[name].shape)))
            x[name] = expand(sde.alpha(t), drawn) * clean[name] + expand(sde.sigma(t), drawn) * drawn
        logit, residual = self._outputs(batch, x, t)
        losses = {}
        if EDGES in self.sdes:
            entropy = F.binary_cross_entropy_with_logits(logit, batch.edges, reduction="none") * batch.pairs
            prior = -torch.xlogy(self.density, self.density) - torch.xlogy(1 - self.density, 1 - self.density)
            losses[EDGES] = entropy.sum((1, 2)) / batch.pairs.sum((1, 2)).clamp(min=1) / prior
        if FEATURES in self.sdes:
            mean, spread = self._feature_prior(x[FEATURES], t)
            error = ((clean[FEATURES] - mean) / spread - residual) ** 2 * batch.mask.unsqueeze(-1)
            losses[FEATURES] = error.sum((1, 2)) / (batch.mask.sum(1) * residual.shape[-1]).clamp(min=1)
        return losses

    def system(self, batch: BlockBatch, noise: NoiseSource) -> CoupledSDE:
        """Returns the reverse system of graphs with the masks of a batch."""

        def score(x: Fields, t: Float[Tensor, " b"]) -> Fields:
            clean = self.expectation(batch, x, t)
            return {
                name: (expand(sde.alpha(t), x[name]) * clean[name] - x[name]) / expand(sde.sigma(t) ** 2, x[name])
                for name, sde in self.sdes.items()
            }

        return CoupledSDE(self.sdes, score, self.projections(batch), noise)

    def expectation(self, batch: BlockBatch, x: Fields, t: Float[Tensor, " b"]) -> Fields:
        """Returns E[x_0 | x_t] of the diffused fields; edges in [-1, 1]."""
        logit, residual = self._outputs(batch, x, t)
        clean: Fields = {}
        if EDGES in self.sdes:
            clean[EDGES] = torch.tanh(0.5 * logit) * batch.pairs
        if FEATURES in self.sdes:
            mean, spread = self._feature_prior(x[FEATURES], t)
            clean[FEATURES] = (mean + spread * residual) * batch.mask.unsqueeze(-1)
        return clean

    def _outputs(
        self, batch: BlockBatch, x: Fields, t: Float[Tensor, " b"]
    ) -> tuple[Float[Tensor, "b n n"], Float[Tensor, "b n f"]]:
        """Returns edge logits and the residual of the features."""
        logit = self._edge_logit(x[EDGES], t)
        features = x[FEATURES]
        if FEATURES in self.sdes:
            alpha, sigma = expand(self.feature_sde.alpha(t), features), expand(self.feature_sde.sigma(t), features)
            features = features / (alpha**2 + sigma**2).sqrt()
        edge_noise, feature_noise = self._noise_levels(t)
        n = batch.mask.sum(-1)
        level = feature_noise if self.paradigm == "features" else edge_noise
        levels = [edge_noise.log() / 4, feature_noise.log() / 4]
        numbers = torch.stack([torch.log(n), *levels, torch.zeros_like(n)], dim=-1)
        noisy = NoisyBlocks(
            edges=torch.sigmoid(logit) * batch.pairs,
            prior_logit=logit,
            mask=batch.mask,
            degrees=torch.zeros_like(batch.degrees),
            features=features,
            signal=1 / (1 + level**2),
            numbers=numbers,
        )
        outputs: tuple[Tensor, Tensor] = self.denoiser(noisy)
        return outputs

    def _edge_logit(self, edges: Float[Tensor, "b n n"], t: Float[Tensor, " b"]) -> Float[Tensor, "b n n"]:
        """Returns the exact logit under independent edges, log p / (1 - p) + 2 alpha x / sigma^2."""
        if EDGES not in self.sdes:
            return LOGIT_BOUND * edges
        alpha, sigma = expand(self.edge_sde.alpha(t), edges), expand(self.edge_sde.sigma(t), edges)
        evidence = 2 * alpha * edges / (sigma**2).clamp(min=1e-6)
        return (torch.logit(self.density, eps=1e-5) + evidence).clamp(-LOGIT_BOUND, LOGIT_BOUND)

    def _feature_prior(
        self, features: Float[Tensor, "b n f"], t: Float[Tensor, " b"]
    ) -> tuple[Float[Tensor, "b n f"], Float[Tensor, "b 1 1"]]:
        """Returns mean and spread of x_0 given x_t for standard normal features."""
        alpha, sigma = expand(self.feature_sde.alpha(t), features), expand(self.feature_sde.sigma(t), features)
        total = alpha**2 + sigma**2
        return alpha * features / total, sigma / total.sqrt()

    def _noise_levels(self, t: Float[Tensor, " b"]) -> tuple[Float[Tensor, " b"], Float[Tensor, " b"]]:
        """Returns sigma / alpha of edges and features."""
        levels = []
        for name, sde in ((EDGES, self.edge_sde), (FEATURES, self.feature_sde)):
            level = sde.sigma(t) / sde.alpha(t) if name in self.sdes else torch.zeros_like(t)
            levels.append(level.clamp(min=_KNOWN))
        return levels[0], levels[1]

    def training_times(self, noise: NoiseSource, size: int) -> Float[Tensor, " b"]:
        """Draws times at which the share of signal is uniform: uniform times would nearly all be pure noise.

        The share alpha^2 / (alpha^2 + sigma^2), the mean over the fields, is spread evenly from a random start, which
        has less variance than independent draws.
        """
        start = noise.uniform((size,))[:1]
        wanted = (start + torch.arange(size, device=start.device) / size) % 1
        grid = torch.linspace(EARLIEST, 1, 1001, device=start.device)
        shares = [sde.alpha(grid) ** 2 / (sde.alpha(grid) ** 2 + sde.sigma(grid) ** 2) for sde in self.sdes.values()]
        share = torch.stack(shares).mean(dim=0)
        target = share[-1] + (share[0] - share[-1]) * wanted
        # the share falls with time: the first grid point below the target, and the one before
        after = torch.searchsorted(-share, -target).clamp(1, len(grid) - 1)
        low, high = share[after - 1], share[after]
        within = ((low - target) / (low - high).clamp(min=1e-12)).clamp(0, 1)
        return grid[after - 1] + within * (grid[after] - grid[after - 1])
