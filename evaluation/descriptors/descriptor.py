"""What a descriptor is: a map phi from graphs to vectors, R^K, on which kernels act."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sbgd.graph import Graph

Vectors = NDArray[np.float64]


class BudgetError(ValueError):
    """Says why a descriptor was not computed: its cost, known in advance, is over the limit."""


class Descriptor(Protocol):
    """Describes each graph of a list by one vector."""

    def __call__(self, graphs: Sequence[Graph]) -> Vectors:
        """Returns float64 (G, K); K may depend on the list, missing trailing columns mean 0.

        Raises:
            BudgetError: The computation would cost more than the descriptor allows.
        """
        ...


def graph_index(graphs: Sequence[Graph]) -> NDArray[np.int64]:
    """Returns the position in `graphs` of every node of their disjoint union, int64 (sum of N,)."""
    return np.repeat(np.arange(len(graphs)), [graph.num_nodes for graph in graphs])


def disjoint_union(graphs: Sequence[Graph]) -> Graph:
    """Returns one graph with all graphs side by side, nodes numbered graph after graph."""
    sizes = np.array([graph.num_nodes for graph in graphs], dtype=np.int64)
    offsets = np.cumsum(sizes) - sizes
    edges = [graph.edges + offset for graph, offset in zip(graphs, offsets, strict=True)]
    return Graph(int(sizes.sum()), np.concatenate([np.zeros((0, 2), dtype=np.int64), *edges]))


def probabilities(counts: Vectors, sizes: NDArray[np.int64], smoothing: float) -> Vectors:
    """Returns histograms divided by (their sum + smoothing), with one column put in front for graphs without nodes.

    A graph of size 0 has all its mass in column 0 and is at total variation 1 from every other; column 0 is 0 for
    all others and changes no distance between them.

    Args:
        counts: Histograms (G, K).
        sizes: Number of nodes of each graph (G,).
        smoothing: 0, or 1e-6 to repeat the numbers of SPECTRE and its descendants.

    Returns:
        float64 (G, K + 1).
    """
    scaled = counts / np.maximum(counts.sum(axis=1, keepdims=True) + smoothing, np.finfo(float).tiny)
    return np.concatenate([(sizes == 0).astype(float)[:, None], scaled], axis=1)
