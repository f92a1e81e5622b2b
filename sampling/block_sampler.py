"""Generates blocks: noise, then steps of the reverse process, many blocks of like size at a time.

In every step the logits are shifted so that their expectation meets what is known of the block, its edge count or its
degree list. The last step draws exactly m_i edges: logits plus logistic noise, the m_i largest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from sbgd.data.batch import BlockBatch
from sbgd.data.blocks import BlockTable, Ints, padded_size
from sbgd.diffusion import CounterNoise, symmetric
from sbgd.diffusion.calibration import count_shift, degree_shift
from sbgd.models.block_diffusion import BlockDiffusion

STAGE = 1
REFERENCE_SIZE = 32


@dataclass(frozen=True)
class SolverOptions:
    """How the reverse process is run.

    Attributes:
        num_steps: Steps of the reverse process, at least 1.
        batch_size: Blocks or pairs of 32 nodes that are denoised together; of larger ones fewer, so that memory is
            bounded by entries. Changes memory and speed, not the result.
        calibrate: Whether logits are shifted to the known counts or degrees in every step.
    """

    num_steps: int = 20
    batch_size: int = 16
    calibrate: bool = True

    def rows(self, padded: int) -> int:
        """Returns how many blocks or pairs of a padded size make a batch, at least 1."""
        return max(1, self.batch_size * REFERENCE_SIZE**2 // padded**2)


@torch.no_grad()
def sample_blocks(
    model: BlockDiffusion,
    plan: BlockTable,
    ids: Ints,
    *,
    seed: int,
    options: SolverOptions,
    device: torch.device,
    advance: Callable[[int], None],
) -> tuple[Ints, Ints, NDArray[np.float32]]:
    """Generates all blocks of a plan.

    Args:
        model: The trained model.
        plan: Sizes and degree lists of the blocks; its edges and features are not read.
        ids: int64 (k,) stream number of each block: what its noise depends on.
        seed: Seed of the run.
        options: Steps and batch size.
        device: Where the network runs.
        advance: Called with the number of blocks after each batch.

    Returns:
        Inner edges (M, 2) local to the blocks, their offsets (k+1,), and standardised features (N, f).
    """
    k = plan.num_blocks
    edges: list[Ints] = [np.zeros((0, 2), np.int64)] * k
    features = np.zeros((int(plan.offsets[-1]), model.block_denoiser.num_features), np.float32)
    for block_ids in _batches(plan.sizes, options):
        batch = plan.batch(block_ids).to(device)
        width = model.block_denoiser.num_features
        batch = batch.replace(features=torch.zeros(*batch.mask.shape, width, device=device))
        noise = CounterNoise(seed, torch.from_numpy(ids[block_ids]).to(device), STAGE)
        adjacency, drawn = denoise_block_batch(model, batch, noise, options)
        for row, block in enumerate(block_ids.tolist()):
            edges[block] = np.argwhere(np.triu(adjacency[row].cpu().numpy(), 1) > 0.5).astype(np.int64)
            size = int(plan.sizes[block])
            features[plan.offsets[block] : plan.offsets[block] + size] = drawn[row, :size].cpu().numpy()
        advance(len(block_ids))
    counts = np.array([len(block) for block in edges], np.int64)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return np.concatenate([np.zeros((0, 2), np.int64), *edges]), offsets, features


def denoise_block_batch(
    model: BlockDiffusion,
    batch: BlockBatch,
    noise: CounterNoise,
    options: SolverOptions,
    observe: Callable[[Tensor, Tensor, Tensor], None] | None = None,
) -> tuple[Float[Tensor, "b n n"], Float[Tensor, "b n f"]]:
    """Runs the reverse process on one batch; returns 0/1 adjacency and standardised features.

    `observe` is called in every step with the time, the state x_t and the edge logits of x_0 given it.
    """
    batch = model.known_blocks(batch)
    prior, pairs = model.block_prior(batch), batch.pairs
    shape, law = tuple(pairs.shape), model.process.noise
    node_mask = batch.mask.unsqueeze(-1)
    x = model.process.initial(prior, symmetric(noise.draw(law, shape))) * pairs
    features = noise.normal(tuple(batch.features.shape)) * node_mask
    times = torch.linspace(1, 0, options.num_steps + 1, device=pairs.device)
    logit = prior
    for t, s in zip(times[:-1], times[1:], strict=True):
        now, then = t.expand(len(batch)), s.expand(len(batch))
        logit, clean = model.denoise_blocks(batch, x, features, now, prior)
        if options.calibrate:
            logit = _calibrated(model, batch, logit)
        if observe is not None:
            observe(t, x, logit)
        drawn = noise.normal(tuple(features.shape)) * node_mask
        features = model.feature_process.step(features, clean, now, then, prior, drawn) * node_mask
        if s > 0:
            expected = model.process.expectation(logit)
            x = model.process.step(x, expected, now, then, prior, symmetric(noise.draw(law, shape))) * pairs
    uniform = symmetric(noise.uniform(shape)).clamp(1e-7, 1 - 1e-7)
    scores = logit + torch.logit(uniform)
    if not options.calibrate or model.independent:
        return (scores > 0).float() * pairs, features
    chosen = largest(scores, torch.triu(pairs, diagonal=1), batch.num_edges)
    return chosen + chosen.transpose(1, 2), features


def _calibrated(model: BlockDiffusion, batch: BlockBatch, logit: Float[Tensor, "b n n"]) -> Float[Tensor, "b n n"]:
    if model.independent:
        return logit
    if model.degree_lists:
        shift = degree_shift(logit, batch.pairs, batch.degrees[..., 0])
        return logit + shift.unsqueeze(-1) + shift.unsqueeze(-2)
    return logit + count_shift(logit, batch.pairs, 2 * batch.num_edges).reshape(-1, 1, 1)


def largest(
    scores: Float[Tensor, "b n m"], possible: Float[Tensor, "b n m"], count: Float[Tensor, " b"]
) -> Float[Tensor, "b n m"]:
    """Returns 1 at the `count` largest scores of each sample among the entries where `possible` is 1, else 0."""
    flat = torch.where(possible > 0, scores, torch.full_like(scores, -torch.inf)).flatten(1)
    rank = flat.argsort(dim=1, descending=True, stable=True).argsort(dim=1)
    return (rank < count.round().long().unsqueeze(1)).reshape(scores.shape).float() * possible


def _batches(sizes: Ints, options: SolverOptions) -> list[Ints]:
    """Groups blocks of one padded size into batches; the order within a size is kept."""
    padded = np.array([padded_size(int(size)) for size in sizes], np.int64)
    batches: list[Ints] = []
    for size in np.unique(padded):
        ids, rows = np.flatnonzero(padded == size), options.rows(int(size))
        batches += [ids[start : start + rows] for start in range(0, len(ids), rows)]
    return batches
