"""Distances between nodes by breadth-first search from 64 sources at a time.

Bit s of a node's word says that source s has reached it; one level of 64 searches is one bitwise-or over the
neighbours of every node, so a batch costs O(M) a level and one word a node.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from sbgd.evaluation.statistics.measurement import Measurement, jackknife
from sbgd.graph import Graph

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

MAX_EXACT_NODES = 5000
"""Largest number of nodes of which every one is a source."""
NUM_BATCHES = 16
"""Batches of 64 random sources where not every node is one."""

_BATCH = 64
_WORDS = 2_000_000
"""Words of 64 searches that a level holds, at least one for every end of an edge."""
_ONES_IN_BYTE = np.array([byte.bit_count() for byte in range(256)], dtype=np.uint8)


@dataclass(frozen=True)
class DistanceLaw:
    """Numbers of ordered pairs (source, node) by distance.

    Attributes:
        counts: int64 (B, L), pairs at distances 1 .. L from every batch of 64 sources; L = 0 without a pair.
        is_exact: Whether every node was a source; else there are only batches of 64 random ones.
    """

    counts: Ints
    is_exact: bool

    @property
    def longest(self) -> int:
        """The largest distance from a source: the diameter, or where sources are sampled a lower bound of it."""
        return self.counts.shape[1]

    def mean(self) -> Measurement:
        """Returns the mean distance, L >= 1; where sources are sampled with the standard error."""
        return self._measured(_mean_distance)

    def effective_diameter(self) -> Measurement:
        """Returns the distance within which 90 % of the pairs are, interpolated linearly between whole ones, L >= 1.

        References:
            Leskovec, Kleinberg and Faloutsos, 2007, "Graph evolution", arXiv:physics/0603229.
        """
        return self._measured(_ninth_decile)

    def _measured(self, estimate: Callable[[Ints], float]) -> Measurement:
        return Measurement(estimate(self.counts.sum(axis=0))) if self.is_exact else jackknife(self.counts, estimate)


def components(graph: Graph) -> Ints:
    """Returns the connected component of every node, numbered from 0 by their first nodes, (N,)."""
    return np.asarray(csgraph.connected_components(graph.to_scipy(), directed=False)[1], dtype=np.int64)


def distance_law(
    graph: Graph,
    nodes: Ints,
    *,
    max_exact_nodes: int = MAX_EXACT_NODES,
    num_batches: int = NUM_BATCHES,
    generator: np.random.Generator,
) -> DistanceLaw:
    """Counts the pairs of nodes of whole components by distance; exact up to `max_exact_nodes`, sampled above.

    Args:
        graph: Graph that holds the components.
        nodes: Nodes (C,) of one or several connected components of 2 or more nodes, ascending.
        max_exact_nodes: Largest C for which every node is a source.
        num_batches: Batches of 64 random sources for larger C.
        generator: Source of randomness for the sources.
    """
    is_exact = len(nodes) <= max(max_exact_nodes, num_batches * _BATCH)
    if not len(nodes):
        return DistanceLaw(np.zeros((0, 0), dtype=np.int64), is_exact)
    indptr, indices = _neighbours(graph, nodes)
    sources = np.arange(len(nodes)) if is_exact else generator.permutation(len(nodes))[: num_batches * _BATCH]
    per_call = _BATCH * max(_WORDS // len(indices), 1)
    calls = range(0, len(sources), per_call)
    parts = [_counts_by_level(indptr, indices, sources[i : i + per_call]) for i in calls]
    longest = max(part.shape[1] for part in parts)
    counts = np.concatenate([np.pad(part, ((0, 0), (0, longest - part.shape[1]))) for part in parts])
    return DistanceLaw(counts, is_exact)


def _neighbours(graph: Graph, nodes: Ints) -> tuple[Ints, Ints]:
    """Returns indptr and indices of the adjacency of the components, where no row is empty."""
    A = graph.to_scipy()
    inside = A if len(nodes) == graph.num_nodes else sparse.csr_array(A[nodes][:, nodes])
    return inside.indptr.astype(np.int64), inside.indices.astype(np.int64)


def _counts_by_level(indptr: Ints, indices: Ints, sources: Ints) -> Ints:
    """Returns the nodes first reached at levels 1, 2, ... for every 64 of the sources, int64 (ceil(S / 64), L)."""
    position = np.arange(len(sources))
    reached = np.zeros((len(indptr) - 1, -(-len(sources) // _BATCH)), dtype=np.uint64)
    reached[sources, position // _BATCH] = np.uint64(1) << (position % _BATCH).astype(np.uint64)
    levels: list[Ints] = []
    frontier = reached
    while True:
        frontier = np.bitwise_or.reduceat(frontier[indices], indptr[:-1], axis=0) & ~reached
        if not frontier.any():
            return np.array(levels, dtype=np.int64).reshape(-1, reached.shape[1]).T
        reached = reached | frontier
        levels.append(_ones(frontier))


def _ones(words: Words) -> Ints:
    """Returns the number of set bits in every column."""
    in_bytes = _ONES_IN_BYTE[words.view(np.uint8)].sum(axis=0, dtype=np.int64)
    return in_bytes.reshape(-1, 8).sum(axis=1)


def _mean_distance(counts: Ints) -> float:
    return float(counts @ np.arange(1, len(counts) + 1) / counts.sum())


def _ninth_decile(counts: Ints) -> float:
    within = np.concatenate([[0.0], np.cumsum(counts) / counts.sum()])
    level = int(np.searchsorted(within, 0.9))
    return level - 1 + float((0.9 - within[level - 1]) / (within[level] - within[level - 1]))
