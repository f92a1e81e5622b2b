"""A graph seen through a partition into blocks: n_i nodes and m_i edges inside block i, e_ij edges between i and j.

For N nodes where the counts have n, takes round(N / n) copies (at least one) of the block graph, moves a fifth of the
block pairs between copies, and stretches sizes and counts by the remaining ratio, which keeps the mean degree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbgd.errors import InputError
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
        pairs = np.stack([keys // max(len(sizes), 1), keys % max(len(sizes), 1)], axis=1)
        return cls(sizes, np.bincount(low[low == high], minlength=len(sizes)), pairs, between)

    @property
    def capacities(self) -> tuple[Ints, Ints]:
        """Pairs of nodes inside every block (k,) and between the blocks of every pair (p,)."""
        left, right = self.pairs.T
        return self.sizes * (self.sizes - 1) // 2, self.sizes[left] * self.sizes[right]

    @property
    def volumes(self) -> Ints:
        """Sum of the degrees in every block (k,)."""
        volumes = 2 * self.inner
        np.add.at(volumes, self.pairs, self.between[:, None])
        return volumes

    def resized(self, num_nodes: int, generator: np.random.Generator) -> BlockCounts:
        """Returns counts for `num_nodes` nodes; block i of the result goes back to block i modulo k."""
        size = int(self.sizes.sum())
        if size == num_nodes:
            return self
        return self._lifted(max(round(num_nodes / size), 1), generator)._stretched(num_nodes, generator)

    def edges(self, generator: np.random.Generator) -> Ints:
        """Draws as many pairs as counted, all alike; returns edges (M, 2), with nodes numbered block after block."""
        starts = np.cumsum(self.sizes) - self.sizes
        inner_capacities, capacities = self.capacities
        inside, cells = distinct_cells(inner_capacities, self.inner, generator)
        inner = starts[inside][:, None] + np.stack(triangle_pairs(cells), axis=1)
        left, right = self.pairs.T
        across, cells = distinct_cells(capacities, self.between, generator)
        width = np.maximum(self.sizes[right][across], 1)
        outer = np.stack([starts[left][across] + cells // width, starts[right][across] + cells % width], axis=1)
        return np.concatenate([inner, outer])

    def _lifted(self, copies: int, generator: np.random.Generator) -> BlockCounts:
        """Returns `copies` copies of the block graph, a fifth of whose pairs (i, j) lead to j in a random copy."""
        home = np.repeat(np.arange(copies), len(self.pairs))
        away = np.where(generator.random(len(home)) < _REWIRED_SHARE, generator.integers(0, copies, len(home)), home)
        pairs = np.tile(self.pairs, (copies, 1)) + len(self.sizes) * np.stack([home, away], axis=1)
        return BlockCounts(
            np.tile(self.sizes, copies),
            np.tile(self.inner, copies),
            np.sort(pairs, axis=1),
            np.tile(self.between, copies),
        )

    def _stretched(self, num_nodes: int, generator: np.random.Generator) -> BlockCounts:
        """Scales sizes to `num_nodes` in all, and edge counts by the same ratio, as far as they fit."""
        ends = np.cumsum(self.sizes)
        sizes = np.diff(np.floor(ends * (num_nodes / ends[-1]) + 0.5).astype(np.int64), prepend=0)
        ratio = num_nodes / int(ends[-1])
        inner = stochastic_round(self.inner * ratio, generator)
        between = stochastic_round(self.between * ratio, generator)
        scaled = replace(self, sizes=sizes)
        inner_capacities, capacities = scaled.capacities
        return replace(scaled, inner=np.minimum(inner, inner_capacities), between=np.minimum(between, capacities))


def checked_assignments(reference: Sequence[Graph], assignments: Sequence[ArrayLike]) -> list[Ints]:
    """Returns the assignments as integers.

    Raises:
        InputError: There is not one assignment a graph.
    """
    if len(reference) != len(assignments):
        raise InputError(f"expected {len(reference)} block assignments, one a graph, got {len(assignments)}")
    return [np.asarray(assignment, dtype=np.int64) for assignment in assignments]
