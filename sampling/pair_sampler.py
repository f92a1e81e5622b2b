"""Generates the edges between blocks, round by round; a pair sees what earlier rounds have put around it.

Pairs of few edges are drawn one edge after the other from the edge scorer; pairs of many edges run through the reverse
process of the pair denoiser. With degree lists, nodes have stubs to spend, and a node that came out of its block with
fewer edges than it should have gets them back as stubs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from sbgd.data.batch import PairBatch
from sbgd.data.blocks import BlockTable, Ints, padded_size
from sbgd.data.pairs import OuterEdges, PairTable, pair_batch
from sbgd.diffusion import CounterNoise
from sbgd.diffusion.calibration import count_shift
from sbgd.diffusion.noise import stream_keys
from sbgd.models.block_diffusion import BlockDiffusion
from sbgd.sampling.block_sampler import SolverOptions, largest
from sbgd.sampling.rounds import colour_pairs

STAGE, ROUND_STAGE = 2, 3


@torch.no_grad()
def sample_pairs(
    model: BlockDiffusion,
    blocks: BlockTable,
    pairs: Ints,
    counts: Ints,
    ids: Ints,
    *,
    seed: int,
    options: SolverOptions,
    device: torch.device,
    advance: Callable[[int], None],
) -> tuple[Ints, Ints]:
    """Generates all pairs of a plan.

    Args:
        model: The trained model.
        blocks: Generated blocks with their wanted degree lists.
        pairs: int64 (p, 2) block numbers i < j.
        counts: int64 (p,) edges e_ij.
        ids: int64 (p,) stream number of each pair.
        seed: Seed of the run.
        options: Steps and batch size.
        device: Where the networks run.
        advance: Called with the number of pairs after each batch.

    Returns:
        Edges (M, 2) as local nodes of i and j, grouped by pair, and their offsets (p+1,).
    """
    stubs = open_stubs(blocks) if model.degree_lists else blocks.degrees[:, 1]
    rounds = colour_pairs(pairs, blocks.num_blocks, stream_keys(seed, torch.from_numpy(ids), ROUND_STAGE).numpy())
    padded = padded_size(int(blocks.sizes.max(initial=1)))
    edges: list[Ints] = [np.zeros((0, 2), np.int64)] * len(pairs)
    done: list[Ints] = []
    for number in range(int(rounds.max(initial=-1)) + 1):
        outer = OuterEdges.of(blocks, _table(pairs, edges, np.concatenate([np.zeros(0, np.int64), *done])))
        current = np.flatnonzero(rounds == number)
        for chosen, tier in _batches(model, current, counts, options.rows(padded)):
            batch = model.known_pairs(pair_batch(blocks, pairs[chosen], counts[chosen], outer, stubs, padded))
            noise = CounterNoise(seed, torch.from_numpy(ids[chosen]).to(device), STAGE)
            drawn = tier(model, batch.to(device), noise, options).cpu().numpy()
            for row, pair in enumerate(chosen.tolist()):
                edges[pair] = np.argwhere(drawn[row] > 0.5).astype(np.int64)
            advance(len(chosen))
        done.append(current)
    table = _table(pairs, edges, np.arange(len(pairs)))
    return table.pair_edges, table.pair_offsets


def open_stubs(blocks: BlockTable) -> Ints:
    """Returns how many edges each node should send out: its wanted degree less what it got inside, at least 0."""
    block = np.repeat(np.arange(blocks.num_blocks), np.diff(blocks.inner_offsets))
    ends = blocks.inner_edges + blocks.offsets[block][:, None]
    inner = np.bincount(ends.ravel(), minlength=int(blocks.offsets[-1]))
    return np.maximum(blocks.degrees.sum(axis=1) - inner, 0)


Tier = Callable[[BlockDiffusion, PairBatch, CounterNoise, SolverOptions], Tensor]


def _batches(model: BlockDiffusion, current: Ints, counts: Ints, batch_size: int) -> list[tuple[Ints, Tier]]:
    """Splits the pairs of a round by tier and into batches of about equal edge counts."""
    few = counts[current] <= model.max_scored_edges
    if model.pair_denoiser is None:
        few[:] = True
    if model.edge_scorer is None:
        few[:] = False
    batches: list[tuple[Ints, Tier]] = []
    for tier, members in ((draw_edges, current[few]), (denoise_pair_batch, current[~few])):
        ordered = members[np.argsort(counts[members], kind="stable")]
        batches += [(ordered[start : start + batch_size], tier) for start in range(0, len(ordered), batch_size)]
    return batches


def draw_edges(
    model: BlockDiffusion,
    batch: PairBatch,
    noise: CounterNoise,
    options: SolverOptions,  # noqa: ARG001
) -> Float[Tensor, "b n m"]:
    """Draws e_ij edges of each pair one after the other from the edge scorer (Gumbel-max)."""
    assert model.edge_scorer is not None
    edges = torch.zeros_like(batch.halo)
    structure = model.edge_scorer.structure(batch)
    for placed in range(int(batch.num_edges.max())):
        scores = model.edge_scorer(batch, edges, structure)
        gumbel = -torch.log(-torch.log(noise.uniform(tuple(scores.shape))))
        best = (scores + gumbel).flatten(1).argmax(1)
        active = (placed < batch.num_edges).float()
        edges.view(len(batch), -1).scatter_add_(1, best.unsqueeze(1), active.unsqueeze(1))
    return edges


def denoise_pair_batch(
    model: BlockDiffusion, batch: PairBatch, noise: CounterNoise, options: SolverOptions
) -> Float[Tensor, "b n m"]:
    """Runs the reverse process of the pair denoiser and draws exactly e_ij edges at the end."""
    prior, pairs = model.pair_prior(batch), batch.pairs
    shape, law = tuple(pairs.shape), model.process.noise
    x = model.process.initial(prior, noise.draw(law, shape)) * pairs
    times = torch.linspace(1, 0, options.num_steps + 1, device=pairs.device)
    logit = prior
    for t, s in zip(times[:-1], times[1:], strict=True):
        now, then = t.expand(len(batch)), s.expand(len(batch))
        logit = model.denoise_pairs(batch, x, now, prior)
        if options.calibrate:
            logit = logit + count_shift(logit, pairs, batch.num_edges).reshape(-1, 1, 1)
        if s > 0:
            expected = model.process.expectation(logit)
            x = model.process.step(x, expected, now, then, prior, noise.draw(law, shape)) * pairs
    scores = logit + torch.logit(noise.uniform(shape).clamp(1e-7, 1 - 1e-7))
    if not options.calibrate:
        return (scores > 0).float() * pairs
    return largest(scores, pairs, batch.num_edges)


def _table(pairs: Ints, edges: list[Ints], members: Ints) -> PairTable:
    """Returns a pair table of some pairs."""
    counts = np.array([len(edges[pair]) for pair in members.tolist()], np.int64)
    return PairTable(
        pairs=pairs[members],
        pair_edges=np.concatenate([np.zeros((0, 2), np.int64), *(edges[pair] for pair in members.tolist())]),
        pair_offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
    )


class PairSampler:
    def __init__(self, model, blocks, pairs, counts, ids, *, seed, options, device):
        self.model, self.blocks, self.pairs, self.counts, self.ids = model, blocks, pairs, counts, ids
        self.seed, self.options, self.device = seed, options, device
        self.stubs = open_stubs(blocks) if model.degree_lists else blocks.degrees[:, 1]
        self.rounds = colour_pairs(
            pairs, blocks.num_blocks, stream_keys(seed, torch.from_numpy(ids), ROUND_STAGE).numpy()
        )
        self.num_rounds = int(self.rounds.max(initial=-1)) + 1
        self.padded = padded_size(int(blocks.sizes.max(initial=1)))
        self.edges = [np.zeros((0, 2), np.int64)] * len(pairs)
        self.done = [np.zeros(0, np.int64)]

    def members(self, number):
        return np.flatnonzero(self.rounds == number)

    @torch.no_grad()
    def draw(self, current, advance):
        outer = OuterEdges.of(self.blocks, _table(self.pairs, self.edges, np.concatenate(self.done)))
        made = {}
        for chosen, tier in _batches(self.model, current, self.counts, self.options.rows(self.padded)):
            batch = self.model.known_pairs(
                pair_batch(self.blocks, self.pairs[chosen], self.counts[chosen], outer, self.stubs, self.padded)
            )
            noise = CounterNoise(self.seed, torch.from_numpy(self.ids[chosen]).to(self.device), STAGE)
            drawn = tier(self.model, batch.to(self.device), noise, self.options).cpu().numpy()
            for row, pair in enumerate(chosen.tolist()):
                made[pair] = np.argwhere(drawn[row] > 0.5).astype(np.int64)
            advance(len(chosen))
        parts = [made[pair] for pair in current.tolist()]
        return np.concatenate(parts), np.concatenate([[0], np.cumsum([len(p) for p in parts])])

    def add(self, members, edges, offsets):
        for row, pair in enumerate(members.tolist()):
            self.edges[pair] = edges[offsets[row] : offsets[row + 1]]
        self.done.append(members)

    def result(self):
        table = _table(self.pairs, self.edges, np.arange(len(self.pairs)))
        return table.pair_edges, table.pair_offsets
