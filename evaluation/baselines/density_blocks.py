"""Blocks of the right density and no network: a stochastic block model with exact edge counts.

Given a partition of a reference graph into blocks with n_i nodes, m_i inner edges and e_ij edges between, draws m_i
pairs inside block i and e_ij between blocks i and j, all uniformly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbgd.errors import InputError
from sbgd.evaluation.baselines.baseline import Templates
from sbgd.evaluation.baselines.cells import distinct_cells, stochastic_round, triangle_pairs
from sbgd.graph import Graph

Ints = NDArray[np.int64]

_REWIRED_SHARE = 0.2


@dataclass(frozen=True)
class BlockCounts:
    """Sizes and edge counts of a partitioned graph.

    Attributes:
        sizes: Nodes n_i of each block (k,).
        inner: Edges m_i inside each block (k,).
        pairs: Blocks i < j with edges between them (p, 2).
        between: Edges e_ij of these pairs (p,).
    """

    sizes: Ints
    inner: Ints
    pairs: Ints
    between: Ints

    @classmethod
    def from_assignment(cls, graph: Graph, assignment: ArrayLike) -> BlockCounts:
        """Counts the edges inside and between blocks.

        Args:
            graph: Graph of N nodes.
            assignment: Block of every node, integers (N,) from 0.

        Raises:
            InputError: The assignment does not have one entry a node.
        """
        blocks = np.asarray(assignment, dtype=np.int64)
        if blocks.shape != (graph.num_nodes,):
            raise InputError(f"expected {graph.num_nodes} block numbers, one a node, got an array of {blocks.shape}")
        sizes = np.bincount(blocks)
        low, high = np.sort(blocks[graph.edges], axis=1).T
        keys, between = np.unique(low[low < high] * len(sizes) + high[low < high], return_counts=True)
        pairs = np.stack([keys // len(sizes), keys % len(sizes)], axis=1)
        return cls(sizes, np.bincount(low[low == high], minlength=len(sizes)), pairs, between)


class DensityBlocks:
    """Keeps the edge count of every block and of every pair of blocks of a reference graph of the nearest size.

    For N nodes where the reference has n, takes round(N / n) copies (at least one) of the block graph, moves a fifth
    of the block pairs between copies, and stretches sizes and counts by the remaining ratio, which keeps the mean
    degree.

    Args:
        reference: Graphs to imitate.
        assignments: Block of every node of each reference graph, in the same order.

    Raises:
        InputError: There is not one assignment a graph, or one does not fit its graph.
    """

    name = "density_blocks"

    def __init__(self, reference: Sequence[Graph], assignments: Sequence[ArrayLike]) -> None:
        if len(reference) != len(assignments):
            raise InputError(f"expected {len(reference)} block assignments, one a graph, got {len(assignments)}")
        self._templates = Templates(reference)
        self._blocks = [BlockCounts.from_assignment(*pair) for pair in zip(reference, assignments, strict=True)]

    def sample(self, num_nodes: int, generator: np.random.Generator) -> Graph:
        """Returns one graph with exactly `num_nodes` nodes."""
        blocks = self._blocks[self._templates.nearest(num_nodes, generator)]
        size = int(blocks.sizes.sum())
        if size != num_nodes:
            blocks = _lifted(blocks, max(round(num_nodes / size), 1), generator)
            blocks = _stretched(blocks, num_nodes, generator)
        return Graph.from_edges(_edges(blocks, generator), num_nodes)


def _edges(blocks: BlockCounts, generator: np.random.Generator) -> Ints:
    starts = np.cumsum(blocks.sizes) - blocks.sizes
    inside, cells = distinct_cells(blocks.sizes * (blocks.sizes - 1) // 2, blocks.inner, generator)
    inner = starts[inside][:, None] + np.stack(triangle_pairs(cells), axis=1)
    left, right = blocks.pairs.T
    across, cells = distinct_cells(blocks.sizes[left] * blocks.sizes[right], blocks.between, generator)
    width = np.maximum(blocks.sizes[right][across], 1)
    outer = np.stack([starts[left][across] + cells // width, starts[right][across] + cells % width], axis=1)
    return np.concatenate([inner, outer])


def _lifted(blocks: BlockCounts, copies: int, generator: np.random.Generator) -> BlockCounts:
    """Returns `copies` copies of the block graph, a fifth of whose pairs (i, j) lead to j in a random copy."""
    k = len(blocks.sizes)
    home = np.repeat(np.arange(copies), len(blocks.pairs))
    away = np.where(generator.random(len(home)) < _REWIRED_SHARE, generator.integers(0, copies, len(home)), home)
    pairs = np.tile(blocks.pairs, (copies, 1)) + k * np.stack([home, away], axis=1)
    return BlockCounts(
        np.tile(blocks.sizes, copies),
        np.tile(blocks.inner, copies),
        np.sort(pairs, axis=1),
        np.tile(blocks.between, copies),
    )


def _stretched(blocks: BlockCounts, num_nodes: int, generator: np.random.Generator) -> BlockCounts:
    """Scales sizes to `num_nodes` in all, and edge counts by the same ratio, as far as they fit."""
    ends = np.cumsum(blocks.sizes)
    sizes = np.diff(np.floor(ends * (num_nodes / ends[-1]) + 0.5).astype(np.int64), prepend=0)
    ratio = num_nodes / int(ends[-1])
    left, right = blocks.pairs.T
    inner = stochastic_round(blocks.inner * ratio, generator)
    between = stochastic_round(blocks.between * ratio, generator)
    return BlockCounts(
        sizes,
        np.minimum(inner, sizes * (sizes - 1) // 2),
        blocks.pairs,
        np.minimum(between, sizes[left] * sizes[right]),
    )
