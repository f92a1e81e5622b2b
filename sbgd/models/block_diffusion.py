"""SBGD without its trainer: the networks, the processes, and the two losses.

Quotient factorisation: p(G) = p(quotient) prod_i p(C_i | n_i, m_i, degrees_i) prod_{e_ij > 0} p(A_ij | C_i, C_j, e_ij,
halo). Independent factorisation (Su & Wu 2025, arXiv 2508.14352): the forward process factorises over all blocks and
all pairs, and the reverse process denoises C_i given its noisy self and A_ij given noisy C_i and C_j, in step.
"""

from __future__ import annotations

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from sbgd.data.batch import BlockBatch, PairBatch
from sbgd.diffusion import GaussianProcess, NoiseSource, Process, symmetric
from sbgd.diffusion.calibration import degree_shift
from sbgd.diffusion.process import expand
from sbgd.errors import InputError
from sbgd.networks import BlockDenoiser, EdgeScorer, NoisyBlocks, NoisyPairs, PairDenoiser

Factorisation = Literal["quotient", "independent"]


class BlockDiffusion(nn.Module):
    """Networks and processes of one SBGD model.

    Args:
        block_denoiser: Denoises blocks.
        edge_scorer: First tier of the pair model, for pairs of few edges; None to leave it out.
        pair_denoiser: Second tier, for pairs of many edges; None to leave it out.
        process: Process of the edges.
        feature_process: Process of the node features.
        factorisation: `quotient` or the paper's `independent`.
        degree_lists: Whether blocks are conditioned on the inner and outer degree of each node.
        max_scored_edges: Pairs with more edges than this go to the second tier, where there is one.
    """

    inner_density: Tensor
    outer_density: Tensor

    def __init__(
        self,
        block_denoiser: BlockDenoiser,
        edge_scorer: EdgeScorer | None,
        pair_denoiser: PairDenoiser | None,
        *,
        process: Process,
        feature_process: GaussianProcess,
        factorisation: Factorisation = "quotient",
        degree_lists: bool = False,
        max_scored_edges: int = 8,
    ) -> None:
        super().__init__()
        if factorisation not in ("quotient", "independent"):
            raise InputError(f"expected factorisation quotient or independent, got {factorisation!r}")
        if edge_scorer is None and pair_denoiser is None:
            raise InputError("expected an edge_scorer, a pair_denoiser or both, got neither")
        if factorisation == "independent" and (pair_denoiser is None or degree_lists):
            raise InputError("expected a pair_denoiser and no degree_lists in the independent factorisation")
        if edge_scorer is not None and edge_scorer.degree_lists != degree_lists:
            raise InputError(
                f"expected the same degree_lists in model and edge_scorer, got {degree_lists} and "
                f"{edge_scorer.degree_lists}; set both"
            )
        self.block_denoiser = block_denoiser
        self.edge_scorer = edge_scorer
        self.pair_denoiser = pair_denoiser
        self.process = process
        self.feature_process = feature_process
        self.factorisation = factorisation
        self.degree_lists = degree_lists
        self.max_scored_edges = max_scored_edges
        self.register_buffer("inner_density", torch.tensor(0.1))
        self.register_buffer("outer_density", torch.tensor(0.01))

    @property
    def independent(self) -> bool:
        """Whether this is the paper's factorisation."""
        return self.factorisation == "independent"

    def known_blocks(self, batch: BlockBatch) -> BlockBatch:
        """Hides from a batch what this model is not conditioned on."""
        if self.independent:
            size = batch.mask.sum(-1)
            expected = self.inner_density * size * (size - 1) / 2
            hidden = torch.zeros_like(batch.num_outer)
            return batch.replace(num_edges=expected, num_outer=hidden, degrees=torch.zeros_like(batch.degrees))
        return batch if self.degree_lists else batch.replace(degrees=torch.zeros_like(batch.degrees))

    def known_pairs(self, batch: PairBatch) -> PairBatch:
        """Hides from a batch what this model is not conditioned on."""
        changes: dict[str, Tensor] = {}
        if not self.degree_lists:
            changes.update(
                left_stubs=torch.zeros_like(batch.left_stubs), right_stubs=torch.zeros_like(batch.right_stubs)
            )
        if self.independent:
            changes.update(
                left_outer=torch.zeros_like(batch.left_outer),
                right_outer=torch.zeros_like(batch.right_outer),
                halo=torch.zeros_like(batch.halo),
                num_edges=self.outer_density * batch.left_mask.sum(-1) * batch.right_mask.sum(-1),
            )
        return batch.replace(**changes)

    def block_prior(self, batch: BlockBatch) -> Float[Tensor, "b n n"]:
        """Returns the edge probability of the independent prior, zero on the diagonal and at padding.

        With degree lists it is the beta model of the inner degrees, else m_i over the number of node pairs.
        """
        pairs = batch.pairs
        if self.degree_lists:
            size = batch.mask.sum(-1).clamp(min=2).reshape(-1, 1, 1)
            start = torch.logit((2 * batch.num_edges.reshape(-1, 1, 1) / (size * (size - 1))).clamp(1e-4, 0.9))
            start = start.expand_as(pairs)
            shift = degree_shift(start, pairs, batch.degrees[..., 0])
            return torch.sigmoid(start + shift.unsqueeze(-1) + shift.unsqueeze(-2)) * pairs
        density = batch.num_edges / (pairs.sum((1, 2)) / 2).clamp(min=1)
        return density.clamp(max=1).reshape(-1, 1, 1) * pairs

    def pair_prior(self, batch: PairBatch) -> Float[Tensor, "b n m"]:
        """Returns e_ij / (n_i n_j), zero at padding."""
        pairs = batch.pairs
        density = batch.num_edges / pairs.sum((1, 2)).clamp(min=1)
        return density.clamp(max=1).reshape(-1, 1, 1) * pairs

    def denoise_blocks(
        self,
        batch: BlockBatch,
        x_t: Float[Tensor, "b n n"],
        features_t: Float[Tensor, "b n f"],
        t: Float[Tensor, " b"],
        prior: Float[Tensor, "b n n"],
    ) -> tuple[Float[Tensor, "b n n"], Float[Tensor, "b n f"]]:
        """Returns edge logits and expected clean features of noisy blocks; `batch.edges` is not read."""
        pairs = batch.pairs
        noisy = NoisyBlocks(
            edges=self.process.soft_edges(x_t, t, prior) * pairs,
            prior_logit=self.process.prior_logit(x_t, t, prior),
            mask=batch.mask,
            degrees=batch.degrees,
            features=features_t,
            signal=self.process.schedule(t),
            numbers=batch.numbers,
        )
        logit, residual = self.block_denoiser(noisy)
        # sqrt(abar) x_t is the exact mean of standard normal features: the network adds what is known beyond, which
        # is the v-prediction of Salimans & Ho 2022 (arXiv 2202.00512) with its sign turned.
        abar = expand(self.feature_process.schedule(t), features_t)
        return logit, abar.sqrt() * features_t + (1 - abar).sqrt() * residual

    def denoise_pairs(
        self, batch: PairBatch, x_t: Float[Tensor, "b n m"], t: Float[Tensor, " b"], prior: Float[Tensor, "b n m"]
    ) -> Float[Tensor, "b n m"]:
        """Returns edge logits of noisy pairs; `batch.edges` is not read."""
        assert self.pair_denoiser is not None
        noisy = NoisyPairs(
            pairs=batch,
            edges=self.process.soft_edges(x_t, t, prior) * batch.pairs,
            prior_logit=self.process.prior_logit(x_t, t, prior),
            signal=self.process.schedule(t),
        )
        return self.pair_denoiser(noisy)

    def block_loss(self, batch: BlockBatch, noise: NoiseSource) -> tuple[Float[Tensor, " b"], Float[Tensor, " b"]]:
        """Returns the edge loss and the feature loss of each block.

        The edge loss is the cross-entropy of the clean edges over the entropy of the independent prior: 1 means that
        nothing is known beyond the prior. The feature loss is the mean squared error of v: 1 for standardised features
        of which nothing is known.
        """
        batch = self.known_blocks(batch)
        prior, pairs = self.block_prior(batch), batch.pairs
        t = self._times(len(batch), noise)
        x_t = self._perturb_blocks(batch, prior, t, noise)
        drawn = noise.normal(tuple(batch.features.shape)) * batch.mask.unsqueeze(-1)
        features_t = self.feature_process.perturb(batch.features, t, prior, drawn)
        logit, features = self.denoise_blocks(batch, x_t, features_t, t, prior)
        edge_loss = _relative_cross_entropy(logit, batch.edges, prior, pairs)
        squared = ((features - batch.features) ** 2).sum((1, 2))
        scale = (1 - self.feature_process.schedule(t)) * batch.mask.sum(-1) * max(batch.features.shape[-1], 1)
        return edge_loss, squared / scale.clamp(min=1e-4)

    def scorer_loss(self, batch: PairBatch, noise: NoiseSource) -> Float[Tensor, " b"]:
        """Returns the loss of the first tier: nats of a remaining edge over log (n m), the nats of a blind guess."""
        assert self.edge_scorer is not None
        batch = self.known_pairs(batch)
        # A random order of the edges and a random number of them placed: every prefix of every order is equally likely.
        order = torch.where(batch.edges > 0, noise.uniform(tuple(batch.edges.shape)), torch.full_like(batch.edges, 2))
        rank = order.flatten(1).argsort(1).argsort(1).reshape(order.shape)
        placed_count = torch.floor(noise.uniform((len(batch),)) * batch.edges.sum((1, 2)))
        placed = batch.edges * (rank < placed_count.reshape(-1, 1, 1))
        return self.edge_scorer.loss(batch, placed) / torch.log(batch.pairs.sum((1, 2)).clamp(min=2))

    def pair_loss(self, batch: PairBatch, noise: NoiseSource) -> Float[Tensor, " b"]:
        """Returns the loss of the second tier, cross-entropy over prior entropy as in `block_loss`."""
        batch = self.known_pairs(batch)
        prior, pairs = self.pair_prior(batch), batch.pairs
        t = self._times(len(batch), noise)
        if self.independent:
            batch = self._noisy_sides(batch, t, noise)
        drawn = noise.draw(self.process.noise, tuple(batch.edges.shape))
        x_t = self.process.perturb(self.process.encode(batch.edges), t, prior, drawn)
        logit = self.denoise_pairs(batch, x_t, t, prior)
        return _relative_cross_entropy(logit, batch.edges, prior, pairs)

    def soft_blocks(
        self, x_t: Float[Tensor, "b n n"], mask: Float[Tensor, "b n"], t: Float[Tensor, " b"]
    ) -> Float[Tensor, "b n n"]:
        """Returns what a pair sees of a noisy block in the independent factorisation."""
        pairs = mask.unsqueeze(-1) * mask.unsqueeze(-2) - torch.diag_embed(mask)
        return self.process.soft_edges(x_t, t, self.inner_density * pairs) * pairs

    def _noisy_sides(self, batch: PairBatch, t: Float[Tensor, " b"], noise: NoiseSource) -> PairBatch:
        sides = {}
        for name, mask in (("left", batch.left_mask), ("right", batch.right_mask)):
            edges = getattr(batch, name)
            drawn = symmetric(noise.draw(self.process.noise, tuple(edges.shape)))
            prior = (self.inner_density * mask.unsqueeze(-1) * mask.unsqueeze(-2)).expand_as(edges)
            x_t = self.process.perturb(self.process.encode(edges), t, prior, drawn)
            sides[name] = self.soft_blocks(x_t, mask, t)
        return batch.replace(**sides)

    def _perturb_blocks(
        self, batch: BlockBatch, prior: Float[Tensor, "b n n"], t: Float[Tensor, " b"], noise: NoiseSource
    ) -> Float[Tensor, "b n n"]:
        drawn = symmetric(noise.draw(self.process.noise, tuple(batch.edges.shape)))
        return self.process.perturb(self.process.encode(batch.edges), t, prior, drawn) * batch.pairs

    def _times(self, count: int, noise: NoiseSource) -> Float[Tensor, " b"]:
        """Draws one time a sample, one from each of b equal slices of the signal range."""
        uniform = noise.uniform((count,))
        slices = torch.arange(count, device=uniform.device, dtype=uniform.dtype)
        return self.process.schedule.training_times((slices + uniform) / count)


def _relative_cross_entropy(
    logit: Float[Tensor, "b n m"],
    edges: Float[Tensor, "b n m"],
    prior: Float[Tensor, "b n m"],
    pairs: Float[Tensor, "b n m"],
) -> Float[Tensor, " b"]:
    """Returns cross-entropy over prior entropy; blocks whose prior leaves nothing open have loss 0."""
    nats = F.binary_cross_entropy_with_logits(logit, edges, reduction="none")
    p = prior.clamp(1e-6, 1 - 1e-6)
    entropy = -(p * torch.log(p) + (1 - p) * torch.log(1 - p))
    total = (entropy * pairs).sum((1, 2))
    open_blocks = total > 0.1
    return torch.where(open_blocks, (nats * pairs).sum((1, 2)) / total.clamp(min=0.1), torch.zeros_like(total))
