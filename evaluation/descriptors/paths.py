"""Shortest-path histogram: distances between all pairs of nodes by breadth-first search from 64 sources at a time.

Bit s of a node's word says that source s of its graph has reached it. Graphs of a set share no edge, so one search
over their union serves all of them: its level d counts the pairs at distance d of every graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.descriptors.descriptor import BudgetError, Vectors, probabilities
from sbgd.evaluation.graph_set import GraphSet

Words = NDArray[np.uint64]
Counts = NDArray[np.int64]

_WORD = 64
_HELD = 2_000_000
"""Words that a level of the search holds, at least one for every edge."""
_ONES_IN_BYTE = np.array([byte.bit_count() for byte in range(256)], dtype=np.uint8)


@dataclass(frozen=True)
class ShortestPathHistogram:
    """Share of ordered pairs of distinct nodes by distance, (G, 2 + longest distance).

    Column 0 is for graphs without a pair of nodes, column 1 for pairs without a path, column 1 + d for pairs at
    distance d.

    Attributes:
        max_nodes: Largest graph whose distances, at a cost of M N / 64 words for every level, are computed.

    References:
        Borgwardt and Kriegel, 2005, "Shortest-path kernels on graphs", doi 10.1109/ICDM.2005.132.
    """

    max_nodes: int = 2000
    uses_eigenvectors: ClassVar[bool] = False

    def __call__(self, graphs: GraphSet) -> Vectors:
        """Returns the histograms, float64 (G, 2 + longest distance).

        Raises:
            BudgetError: A graph has more than `max_nodes` nodes.
        """
        graphs = GraphSet.of(graphs)
        largest = int(graphs.sizes.max(initial=0))
        if largest > self.max_nodes:
            raise BudgetError(f"shortest paths between all nodes are limited to {self.max_nodes} nodes, got {largest}")
        connected = _pairs_by_distance(graphs)
        apart = graphs.sizes * (graphs.sizes - 1) - connected.sum(axis=1)
        counts = np.concatenate([apart[:, None], connected], axis=1)
        return probabilities(counts.astype(float), graphs.sizes // 2, 0.0)


def _pairs_by_distance(graphs: GraphSet) -> Counts:
    """Returns the number of ordered pairs of nodes at distance 1, 2, ... of every graph, int64 (G, longest)."""
    A = graphs.union.to_scipy()
    num_words = -(-int(graphs.sizes.max(initial=0)) // _WORD)
    at_once = max(_HELD // max(A.nnz, 1), 1)
    totals = np.zeros((len(graphs), 0), dtype=np.int64)
    for first in range(0, num_words, at_once):
        sources = _sources(graphs, first, min(first + at_once, num_words))
        levels = _levels(A.indptr.astype(np.int64), A.indices.astype(np.int64), sources)
        found = [np.asarray(graphs.sums(_ones(level)), dtype=np.int64) for level in levels]
        width = max(totals.shape[1], len(found))
        totals = np.pad(totals, ((0, 0), (0, width - totals.shape[1])))
        totals[:, : len(found)] += np.array(found, dtype=np.int64).reshape(-1, len(graphs)).T
    return totals


def _sources(graphs: GraphSet, first: int, last: int) -> Words:
    """Returns words first..last - 1 of every node before the search, with its own bit set, (sum of N, last - first)."""
    position = np.arange(len(graphs.owner)) - graphs.ends[graphs.owner]
    word = position // _WORD - first
    words = np.zeros((len(position), last - first), dtype=np.uint64)
    here = np.flatnonzero((word >= 0) & (word < last - first))
    words[here, word[here]] = np.uint64(1) << (position[here] % _WORD).astype(np.uint64)
    return words


def _levels(indptr: Counts, indices: Counts, sources: Words) -> Iterator[Words]:
    """Yields for distance 1, 2, ... the sources that reach every node first at that distance, like `sources`."""
    # reduceat needs rows with an entry; isolated nodes are reached by nobody
    occupied = np.flatnonzero(np.diff(indptr))
    reached, frontier = sources, sources
    while True:
        spread = np.zeros_like(reached)
        if len(occupied):
            spread[occupied] = np.bitwise_or.reduceat(frontier[indices], indptr[occupied], axis=0)
        frontier = spread & ~reached
        if not frontier.any():
            return
        reached = reached | frontier
        yield frontier


def _ones(words: Words) -> Counts:
    """Returns the number of set bits of every row."""
    return _ONES_IN_BYTE[np.ascontiguousarray(words).view(np.uint8)].sum(axis=1, dtype=np.int64)
