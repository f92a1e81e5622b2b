"""Mean shortest-path length in the largest component by breadth-first search from 64 sources at a time.

Bit s of a node's word says that source s has reached it; one level of 64 searches is one bitwise-or over the
neighbours of every node, so a batch costs O(M) a level and one word a node.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from sbgd.graph import Graph

_BATCH = 64
_WORDS = 200_000
"""Words of 64 searches that a call holds, at least one a node."""
_ONES_IN_BYTE = np.array([byte.bit_count() for byte in range(256)], dtype=np.uint8)


@dataclass(frozen=True)
class PathLength:
    """A mean path length.

    Attributes:
        mean: Mean distance over ordered pairs of distinct nodes.
        standard_error: Error from sampling the sources; None where every node was a source.
    """

    mean: float
    standard_error: float | None


def largest_component(graph: Graph) -> NDArray[np.int64]:
    """Returns the nodes of the largest connected component in ascending order, the first one of equals."""
    _, component = csgraph.connected_components(graph.to_scipy(), directed=False)
    return np.flatnonzero(component == np.bincount(component).argmax())


def mean_path_length(
    graph: Graph,
    nodes: NDArray[np.int64],
    *,
    max_exact_nodes: int = 5000,
    num_batches: int = 16,
    generator: np.random.Generator,
) -> PathLength:
    """Returns the mean distance between distinct nodes of one connected component.

    Args:
        graph: Graph that holds the component.
        nodes: Nodes (C,) of a connected component, C >= 2, ascending.
        max_exact_nodes: Largest C for which every node is a source.
        num_batches: Batches of 64 random sources in larger components; the standard error is taken between them.
        generator: Source of randomness for the sources.
    """
    indptr, indices = _neighbours(graph, nodes)
    exact = len(nodes) <= max_exact_nodes
    sources = np.arange(len(nodes)) if exact else generator.permutation(len(nodes))[: num_batches * _BATCH]
    per_call = _BATCH * max(_WORDS // len(nodes), 1)
    calls = range(0, len(sources), per_call)
    sums = np.concatenate([_distance_sums(indptr, indices, sources[i : i + per_call]) for i in calls])
    mean = float(sums.sum() / (len(sources) * (len(nodes) - 1)))
    if exact:
        return PathLength(mean, None)
    batch_sizes = np.diff(np.append(np.arange(0, len(sources), _BATCH), len(sources)))
    means = sums / (batch_sizes * (len(nodes) - 1))
    return PathLength(mean, float(means.std(ddof=1) / np.sqrt(len(means))))


def _neighbours(graph: Graph, nodes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns indptr and indices of the component's adjacency, where no row is empty."""
    component = sparse.csr_array(graph.to_scipy()[nodes][:, nodes])
    return component.indptr.astype(np.int64), component.indices.astype(np.int64)


def _distance_sums(
    indptr: NDArray[np.int64], indices: NDArray[np.int64], sources: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Returns the sum of distances to all nodes for every 64 of the sources, int64 (ceil(S / 64),)."""
    position = np.arange(len(sources))
    reached = np.zeros((len(indptr) - 1, -(-len(sources) // _BATCH)), dtype=np.uint64)
    reached[sources, position // _BATCH] = np.uint64(1) << (position % _BATCH).astype(np.uint64)
    sums = np.zeros(reached.shape[1], dtype=np.int64)
    frontier, level = reached, 0
    while frontier.any():
        level += 1
        frontier = np.bitwise_or.reduceat(frontier[indices], indptr[:-1], axis=0) & ~reached
        reached = reached | frontier
        sums += level * _ones(frontier)
    return sums


def _ones(words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Returns the number of set bits in every column."""
    in_bytes = _ONES_IN_BYTE[words.view(np.uint8)].sum(axis=0, dtype=np.int64)
    return in_bytes.reshape(-1, 8).sum(axis=1)
