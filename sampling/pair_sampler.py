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
from numpy.typing import NDArray
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


class PairSampler:
    """Draws the pairs of a plan, any part of a round at a time.

    A round may be drawn when the edges of all earlier rounds have been added, by whomever they were drawn.

    Args:
        model: The trained model.
        blocks: Generated blocks with their wanted degree lists.
        pairs: int64 (p, 2) block numbers i < j.
        counts: int64 (p,) edges e_ij.
        ids: int64 (p,) stream number of each pair.
        seed: Seed of the run.
        options: Steps and batch size.
        device: Where the networks run.
    """

    def __init__(
        self,
        model: BlockDiffusion,
        blocks: BlockTable,
        pairs: Ints,
        counts: Ints,
        ids: Ints,
        *,
        seed: int,
        options: SolverOptions,
        device: torch.device,
    ) -> None:
        self.model, self.blocks, self.pairs, self.counts, self.ids = model, blocks, pairs, counts, ids
        self.seed, self.options, self.device = seed, options, device
        keys = stream_keys(seed, torch.from_numpy(ids), ROUND_STAGE).numpy()
        self._rounds = colour_pairs(pairs, blocks.num_blocks, keys)
        self._stubs = open_stubs(blocks) if model.degree_lists else blocks.degrees[:, 1]
        self._padded = padded_size(int(blocks.sizes.max(initial=1)))
        self._members: list[Ints] = [np.zeros(0, np.int64)]
        self._edges: list[NDArray[np.int32]] = [np.zeros((0, 2), np.int32)]
        self._lengths: list[Ints] = [np.zeros(0, np.int64)]
        self._outer: OuterEdges | None = None

    @property
    def num_rounds(self) -> int:
        """Number of rounds."""
        return int(self._rounds.max(initial=-1)) + 1

    def members(self, number: int) -> Ints:
        """Returns the numbers of the pairs of a round, ascending."""
        return np.flatnonzero(self._rounds == number)

    @torch.no_grad()
    def draw(self, members: Ints, advance: Callable[[int], None]) -> tuple[Ints, Ints]:
        """Draws some pairs of one round.

        Args:
            members: int64 (q,) pair numbers, ascending.
            advance: Called with the number of pairs after each batch.

        Returns:
            Edges (M, 2) as local nodes of i and j, grouped by pair, and their offsets (q+1,).
        """
        owners, edges = [np.zeros(0, np.int64)], [np.zeros((0, 2), np.int64)]
        for chosen, tier in _batches(self.model, members, self.counts, self.options.rows(self._padded)):
            drawn = tier(self.model, self._batch(chosen), self._noise(chosen), self.options).cpu().numpy()
            row, u, v = np.nonzero(drawn > 0.5)
            owners.append(chosen[row])
            edges.append(np.stack([u, v], axis=1))
            advance(len(chosen))
        return _grouped(np.searchsorted(members, np.concatenate(owners)), np.concatenate(edges), len(members))

    def add(self, members: Ints, edges: Ints, offsets: Ints) -> None:
        """Takes in edges as `draw` returns them."""
        self._members.append(members)
        self._edges.append(edges.astype(np.int32))
        self._lengths.append(np.diff(offsets))
        self._outer = None

    def result(self) -> tuple[Ints, Ints]:
        """Returns all edges added, (M, 2) local to their blocks and grouped by pair, and their offsets (p+1,)."""
        owner = np.repeat(np.concatenate(self._members), np.concatenate(self._lengths))
        return _grouped(owner, np.concatenate(self._edges), len(self.pairs))

    def _batch(self, chosen: Ints) -> PairBatch:
        if self._outer is None:
            self._outer = OuterEdges.of(self.blocks, self._added())
        pairs, counts = self.pairs[chosen], self.counts[chosen]
        batch = pair_batch(self.blocks, pairs, counts, self._outer, self._stubs, self._padded)
        return self.model.known_pairs(batch).to(self.device)

    def _noise(self, chosen: Ints) -> CounterNoise:
        return CounterNoise(self.seed, torch.from_numpy(self.ids[chosen]).to(self.device), STAGE)

    def _added(self) -> PairTable:
        offsets = np.concatenate([[0], np.cumsum(np.concatenate(self._lengths))]).astype(np.int64)
        return PairTable(self.pairs[np.concatenate(self._members)], np.concatenate(self._edges), offsets)


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
    """Generates all pairs of a plan; the arguments are those of `PairSampler`, the result is that of its `result`."""
    sampler = PairSampler(model, blocks, pairs, counts, ids, seed=seed, options=options, device=device)
    for number in range(sampler.num_rounds):
        members = sampler.members(number)
        sampler.add(members, *sampler.draw(members, advance))
    return sampler.result()


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


def _grouped(owner: Ints, edges: Ints, count: int) -> tuple[Ints, Ints]:
    """Sorts edges by the pair that owns them, keeping their order within it; returns them and their offsets."""
    offsets = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=count))]).astype(np.int64)
    return edges[np.argsort(owner, kind="stable")], offsets
