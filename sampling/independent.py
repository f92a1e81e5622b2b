"""The paper's sampler: all blocks and all pairs are denoised in step, each pair seeing its two noisy blocks.

The state of every pair is kept, so memory grows as N^2: this mode exists for comparison, not for large graphs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from sbgd.data.batch import BlockBatch
from sbgd.data.blocks import BlockTable, padded_size
from sbgd.data.pairs import OuterEdges, pair_batch
from sbgd.diffusion import CounterNoise, symmetric
from sbgd.errors import InputError
from sbgd.graph import Graph
from sbgd.models.block_diffusion import BlockDiffusion
from sbgd.models.model_folder import TrainedModel
from sbgd.sampling.block_sampler import SolverOptions

Ints = NDArray[np.int64]
MAX_NODES = 20_000
BLOCK_STAGE, PAIR_STAGE = 11, 12


@dataclass
class _Blocks:
    """Noisy blocks of one graph: what is known of them, their prior, states and noise."""

    batch: BlockBatch
    prior: Float[Tensor, "k n n"]
    edges: Float[Tensor, "k n n"]
    features: Float[Tensor, "k n f"]
    noise: CounterNoise


@torch.no_grad()
def sample_independent(
    trained: TrainedModel,
    sizes: Ints,
    *,
    seed: int,
    options: SolverOptions,
    device: torch.device,
    progress: Callable[[str, int, int], None] | None,
) -> list[tuple[Graph, Ints]]:
    """Generates graphs and their block sizes by the independent factorisation.

    Raises:
        InputError: A graph has more than 20,000 nodes: the states of all pairs would not fit.
    """
    if int(sizes.max()) > MAX_NODES:
        raise InputError(
            f"expected at most {MAX_NODES} nodes in the independent factorisation, got {int(sizes.max())}; "
            "its memory grows with the square: train with factorisation quotient"
        )
    graphs = []
    for number, size in enumerate(sizes.tolist()):
        graphs.append(_sample_graph(trained, size, number, seed, options, device))
        if progress is not None:
            progress("graphs", number + 1, len(sizes))
    return graphs


def _sample_graph(
    trained: TrainedModel, num_nodes: int, number: int, seed: int, options: SolverOptions, device: torch.device
) -> tuple[Graph, Ints]:
    model = trained.diffusion
    table = _plan(trained, num_nodes, np.random.default_rng([seed, 5, number]))
    k = table.num_blocks
    padded = padded_size(int(table.sizes.max()))
    pairs = np.stack(np.triu_indices(k, 1), axis=1).astype(np.int64)
    state = _initial_blocks(model, table, padded, number, seed, device)
    pair_noise = CounterNoise(seed, _ids(number, len(pairs), device), PAIR_STAGE)
    law = model.process.noise
    outer = model.outer_density.expand(len(pairs), padded, padded)
    between = model.process.initial(outer, pair_noise.draw(law, (len(pairs), padded, padded)))
    times = torch.linspace(1, 0, options.num_steps + 1, device=device)
    for t, s in zip(times[:-1], times[1:], strict=True):
        between_logit = _pair_logits(model, table, pairs, between, state, t, options.rows(padded), padded)
        drawn = pair_noise.draw(law, (len(pairs), padded, padded))
        between = _step(model, between, between_logit, t, s, outer, drawn)
        _step_blocks(model, state, t, s, options.rows(padded))
    return _assembled(trained, table, state, between, pairs), table.sizes


def _plan(trained: TrainedModel, num_nodes: int, rng: np.random.Generator) -> BlockTable:
    """Draws block sizes from the training blocks until they hold `num_nodes` nodes; the last one is cut."""
    training = np.concatenate([quotient.num_nodes for quotient in trained.quotients])
    drawn = rng.choice(training, -(-num_nodes // int(training.min())))
    sizes = drawn[: int(np.searchsorted(np.cumsum(drawn), num_nodes)) + 1].copy()
    sizes[-1] -= sizes.sum() - num_nodes
    return BlockTable(
        offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        inner_edges=np.zeros((0, 2), np.int64),
        inner_offsets=np.zeros(len(sizes) + 1, np.int64),
        degrees=np.zeros((num_nodes, 2), np.int64),
        features=np.zeros((num_nodes, 0), np.float32),
    )


def _initial_blocks(
    model: BlockDiffusion, table: BlockTable, padded: int, number: int, seed: int, device: torch.device
) -> _Blocks:
    batch = model.known_blocks(table.batch(np.arange(table.num_blocks), padded).to(device))
    prior = model.block_prior(batch)
    noise = CounterNoise(seed, _ids(number, table.num_blocks, device), BLOCK_STAGE)
    drawn = symmetric(noise.draw(model.process.noise, tuple(prior.shape)))
    edges = model.process.initial(prior, drawn) * batch.pairs
    shape = (*batch.mask.shape, model.block_denoiser.num_features)
    return _Blocks(batch, prior, edges, noise.normal(shape) * batch.mask.unsqueeze(-1), noise)


def _pair_logits(
    model: BlockDiffusion,
    table: BlockTable,
    pairs: Ints,
    between: Float[Tensor, "p n n"],
    state: _Blocks,
    t: Tensor,
    rows: int,
    padded: int,
) -> Float[Tensor, "p n n"]:
    """Returns edge logits of all pairs given the noisy blocks at time t."""
    now = t.expand(table.num_blocks)
    soft = model.soft_blocks(state.edges, state.batch.mask, now)
    nothing = OuterEdges(np.zeros(int(table.offsets[-1]) + 1, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64))
    stubs = np.zeros(int(table.offsets[-1]), np.int64)
    logits = torch.empty_like(between)
    for start in range(0, len(pairs), rows):
        chosen = slice(start, min(start + rows, len(pairs)))
        ends = pairs[chosen]
        batch = pair_batch(table, ends, np.zeros(len(ends), np.int64), nothing, stubs, padded).to(between.device)
        batch = model.known_pairs(batch.replace(left=soft[ends[:, 0]], right=soft[ends[:, 1]]))
        logits[chosen] = model.denoise_pairs(batch, between[chosen], t.expand(len(ends)), model.pair_prior(batch))
    return logits


def _step_blocks(model: BlockDiffusion, state: _Blocks, t: Tensor, s: Tensor, size: int) -> None:
    """Moves all blocks from t to s, in place."""
    law = model.process.noise
    edge_noise = symmetric(state.noise.draw(law, tuple(state.edges.shape)))
    feature_noise = state.noise.normal(tuple(state.features.shape))
    for start in range(0, len(state.edges), size):
        rows = slice(start, start + size)
        batch = replace(state.batch, **{name: value[rows] for name, value in vars(state.batch).items()})
        now = t.expand(len(batch))
        logit, clean = model.denoise_blocks(batch, state.edges[rows], state.features[rows], now, state.prior[rows])
        stepped = _step(model, state.edges[rows], logit, t, s, state.prior[rows], edge_noise[rows])
        features = model.feature_process.step(
            state.features[rows], clean, now, s.expand(len(batch)), state.prior[rows], feature_noise[rows]
        )
        state.edges[rows] = stepped * batch.pairs
        state.features[rows] = features * batch.mask.unsqueeze(-1)


def _step(
    model: BlockDiffusion,
    x: Float[Tensor, "b n m"],
    logit: Float[Tensor, "b n m"],
    t: Tensor,
    s: Tensor,
    prior: Float[Tensor, "b n m"],
    drawn: Float[Tensor, "b n m"],
) -> Float[Tensor, "b n m"]:
    """Moves states from t to s; at s = 0 edges are drawn from their probabilities and come out as 0 and 1."""
    if s == 0:
        uniform = drawn if model.process.noise == "uniform" else 0.5 * (1 + torch.erf(drawn / 2**0.5))
        return (uniform < torch.sigmoid(logit)).float()
    size = len(x)
    return model.process.step(x, model.process.expectation(logit), t.expand(size), s.expand(size), prior, drawn)


def _assembled(
    trained: TrainedModel, table: BlockTable, state: _Blocks, between: Float[Tensor, "p n n"], pairs: Ints
) -> Graph:
    block, u, v = (index.cpu().numpy() for index in torch.triu(state.edges, 1).nonzero(as_tuple=True))
    inner = np.stack([u, v], axis=1) + table.offsets[block][:, None]
    left, right = table.sizes[pairs[:, 0]], table.sizes[pairs[:, 1]]
    pair, u, v = (index.cpu().numpy() for index in between.nonzero(as_tuple=True))
    real = (u < left[pair]) & (v < right[pair])
    outer = np.stack([u[real], v[real]], axis=1) + table.offsets[pairs[pair[real]]]
    features = None
    if trained.scaler.num_features:
        standardised = state.features.cpu().numpy()
        rows = [standardised[index, :size] for index, size in enumerate(table.sizes.tolist())]
        features = trained.scaler.restore(np.concatenate(rows))
    return Graph.from_edges(np.concatenate([inner, outer]), int(table.offsets[-1]), features=features)


def _ids(number: int, count: int, device: torch.device) -> Tensor:
    return torch.arange(count, device=device) + (number << 42)
