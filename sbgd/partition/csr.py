"""The bare adjacency lists that partitioning works on, and the subgraphs that labels induce in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from sbgd.graph import Graph


@dataclass(frozen=True, eq=False)
class Adjacency:
    """Neighbour lists of a simple undirected graph: those of node v are neighbours[starts[v] : starts[v+1]].

    Attributes:
        starts: int64 (n+1,).
        neighbours: int64 (2m,), both directions of every edge.
    """

    starts: NDArray[np.int64]
    neighbours: NDArray[np.int64]

    @classmethod
    def of(cls, graph: Graph) -> Adjacency:
        """Returns the neighbour lists of a graph."""
        matrix = graph.to_scipy()
        return cls(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64))

    @property
    def num_nodes(self) -> int:
        """Number of nodes n."""
        return len(self.starts) - 1

    @property
    def sources(self) -> NDArray[np.int64]:
        """The node that every entry of `neighbours` is a neighbour of, int64 (2m,)."""
        return np.repeat(np.arange(self.num_nodes), np.diff(self.starts))

    def within(self, labels: NDArray[np.int64]) -> Adjacency:
        """Returns the same nodes with only the edges between nodes of equal label."""
        sources = self.sources
        kept = labels[sources] == labels[self.neighbours]
        return Adjacency(_starts(sources[kept], self.num_nodes), self.neighbours[kept])

    def reordered(self, order: NDArray[np.int64]) -> Adjacency:
        """Returns the graph with node order[i] renamed to i; neighbours come in no particular order."""
        position = np.empty_like(order)
        position[order] = np.arange(self.num_nodes)
        degrees = np.diff(self.starts)[order]
        starts = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
        entries = np.arange(len(self.neighbours)) + np.repeat(self.starts[:-1][order] - starts[:-1], degrees)
        return Adjacency(starts, position[self.neighbours[entries]])

    def components(self) -> NDArray[np.int64]:
        """Returns the connected component of every node, int64 (n,)."""
        if self.num_nodes == 0:
            return np.zeros(0, np.int64)
        return csgraph.connected_components(self._matrix(), directed=False)[1].astype(np.int64)

    def breadth_first_order(self, root: int) -> NDArray[np.int64]:
        """Returns the nodes of the component of `root`, nearest first."""
        order = csgraph.breadth_first_order(self._matrix(), root, directed=False, return_predecessors=False)
        return np.asarray(order, np.int64)

    def subgraphs(self, labels: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int64], Adjacency]]:
        """Yields (nodes, induced adjacency) of every non-negative label, smallest first.

        All are cut from one copy sorted by label, so the whole costs O(n + m) however many labels there are.
        """
        nodes = np.argsort(labels, kind="stable")
        nodes = nodes[np.searchsorted(labels[nodes], 0) :]
        position = np.full(self.num_nodes, -1)
        position[nodes] = np.arange(len(nodes))
        sources = self.sources
        kept = (labels[sources] == labels[self.neighbours]) & (labels[sources] >= 0)
        ends = position[sources[kept]] * max(len(nodes), 1) + position[self.neighbours[kept]]
        rows, columns = np.divmod(np.sort(ends), max(len(nodes), 1))
        starts = _starts(rows, len(nodes))
        bounds = np.flatnonzero(np.diff(labels[nodes], prepend=-1, append=-1))
        for low, high in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            local = starts[low : high + 1]
            yield nodes[low:high], Adjacency(local - local[0], columns[local[0] : local[-1]] - low)

    def _matrix(self) -> sparse.csr_array:
        ones = np.ones(len(self.neighbours))
        return sparse.csr_array((ones, self.neighbours, self.starts), shape=(self.num_nodes, self.num_nodes))


def _starts(sources: NDArray[np.int64], num_nodes: int) -> NDArray[np.int64]:
    counts = np.bincount(sources, minlength=num_nodes)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
