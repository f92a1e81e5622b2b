"""The denoising of one block, step by step: what sampling goes through and does not keep.

A block's noise depends on the seed and on its number alone, so that the path of a block of any sampled graph can be run
again, without the other blocks, and ends in the very same block.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sbgd.diffusion import CounterNoise
from sbgd.errors import InputError
from sbgd.models.model_folder import TrainedModel
from sbgd.sampling.block_sampler import STAGE, SolverOptions, denoise_block_batch
from sbgd.sampling.plan import GenerationPlan
from sbgd.sampling.quotient_prior import QuotientPrior

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BlockPath:
    """The states of one block of n nodes at s times.

    Attributes:
        block: Number of the block in its graph; nodes of graphs are in block order.
        times: Decreasing times of the steps, the first one 1, (s,).
        states: Weight in [0, 1] of every edge in the state, (s, n, n): the states themselves where they are 0 and 1,
            else the edge probabilities that real-valued states stand for if edges were independent.
        estimates: Probability of every edge of the clean block as the network sees it in that state, (s, n, n).
        adjacency: The block that comes out, symmetric with entries 0 and 1, (n, n).
    """

    block: int
    times: Floats
    states: Floats
    estimates: Floats
    adjacency: Floats


@torch.no_grad()
def block_path(
    trained: TrainedModel,
    num_nodes: int,
    *,
    seed: int = 0,
    block: int | None = None,
    options: SolverOptions | None = None,
    device: torch.device | str = "cpu",
) -> BlockPath:
    """Denoises one block of the first graph that `generate` makes with the same model, size, seed and options.

    In the independent factorisation, where blocks and pairs are denoised in step, the block is another one of the same
    law: its sizes come from the quotient prior, as they do for `quotient`.

    Args:
        trained: A trained model.
        num_nodes: Nodes of the graph, at least 1.
        seed: Seed of the run.
        block: Number of the block; the largest by default, the first of equal ones.
        options: Steps; the batch size does not matter.
        device: Where the network runs.

    Raises:
        InputError: The graph has no block of that number.
    """
    solver = SolverOptions() if options is None else options
    target = torch.device(device)
    model = trained.diffusion.to(target).eval()
    quotients = QuotientPrior(trained.quotients).sample_all(np.array([num_nodes], np.int64), seed)
    plan = GenerationPlan.of(quotients)
    sizes = plan.blocks.sizes
    number = int(np.argmax(sizes)) if block is None else block
    if not 0 <= number < len(sizes):
        raise InputError(f"expected a block 0 .. {len(sizes) - 1} of the graph, got {number}")
    size = int(sizes[number])
    batch = plan.blocks.batch(np.array([number], np.int64)).to(target)
    width = model.block_denoiser.num_features
    batch = batch.replace(features=torch.zeros(*batch.mask.shape, width, device=target))
    prior = model.block_prior(model.known_blocks(batch))
    times, states, estimates = [], [], []

    def observe(t: Tensor, x: Tensor, logit: Tensor) -> None:
        times.append(float(t))
        states.append(_inside(model.process.soft_edges(x, t.expand(1), prior) * batch.pairs, size))
        estimates.append(_inside(torch.sigmoid(logit) * batch.pairs, size))

    noise = CounterNoise(seed, torch.from_numpy(plan.block_ids[[number]]).to(target), STAGE)
    adjacency, _ = denoise_block_batch(model, batch, noise, solver, observe)
    return BlockPath(number, np.array(times), np.stack(states), np.stack(estimates), _inside(adjacency, size))


def _inside(field: Tensor, size: int) -> Floats:
    """Returns the entries of the first block's nodes, (n, n)."""
    return field[0, :size, :size].cpu().numpy().astype(np.float64)
