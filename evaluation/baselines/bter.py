"""BTER-like graphs: dense blocks of nodes of like degree for the clustering, and a Chung-Lu graph for the rest.

Nodes of degree at least 2 are sorted by degree and cut into affinity blocks of d + 1 nodes, d the lowest degree of the
block, each an Erdos-Renyi graph of density rho = c_d^(1/3), with c_d the mean local clustering at degree d. What a node
lacks, d_v - rho (block size - 1), is its weight in the Chung-Lu graph.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.baselines.baseline import Templates
from sbgd.evaluation.baselines.cells import distinct_cells, triangle_pairs
from sbgd.evaluation.triangles import local_clustering
from sbgd.graph import Graph

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class BTER:
    """Keeps degrees in the mean and clustering by degree; many nodes of degree 1 end up isolated.

    Simplified from the paper in that colliding Chung-Lu edges are merged, not made up for. For another size than the
    reference has, degrees are drawn with replacement.

    Args:
        reference: Graphs to imitate.

    References:
        Seshadhri, Kolda and Pinar, 2012, arXiv:1112.3644; Kolda et al., 2014, arXiv:1302.6636.
    """

    name = "bter"

    def __init__(self, reference: Sequence[Graph]) -> None:
        self._templates = Templates(reference)
        self._reference = reference
        self._clustering = [_clustering_by_degree(graph) for graph in reference]

    def sample(self, num_nodes: int, generator: np.random.Generator) -> Graph:
        """Returns one graph with exactly `num_nodes` nodes."""
        position = self._templates.nearest(num_nodes, generator)
        degrees = self._reference[position].degrees
        if len(degrees) != num_nodes:
            degrees = generator.choice(degrees, size=num_nodes)
        inner, excess = _affinity_blocks(degrees, self._clustering[position], generator)
        return Graph.from_edges(np.concatenate([inner, _chung_lu(excess, generator)]), num_nodes)


def _clustering_by_degree(graph: Graph) -> Floats:
    degrees = graph.degrees
    counts = np.bincount(degrees, minlength=1)
    return np.bincount(degrees, weights=local_clustering(graph), minlength=1) / np.maximum(counts, 1)


def _affinity_blocks(degrees: Ints, clustering: Floats, generator: np.random.Generator) -> tuple[Ints, Floats]:
    """Returns the edges inside affinity blocks, (M, 2), and every node's remaining expected degree, (N,)."""
    order = generator.permutation(len(degrees))
    order = order[np.argsort(degrees[order], kind="stable")]
    order = order[degrees[order] >= 2]
    starts, sizes, lowest = _cut(degrees[order])
    density = np.cbrt(clustering[lowest])
    capacity = sizes * (sizes - 1) // 2
    blocks, cells = distinct_cells(capacity, generator.binomial(capacity, density), generator)
    u, v = triangle_pairs(cells)
    excess = degrees.astype(float)
    excess[order] -= np.repeat(density * (sizes - 1), sizes)
    return np.stack([order[starts[blocks] + u], order[starts[blocks] + v]], axis=1), np.maximum(excess, 0.0)


def _cut(ascending: Ints) -> tuple[Ints, Ints, Ints]:
    """Cuts sorted degrees into blocks of d + 1 nodes; returns starts, sizes and lowest degrees of the blocks."""
    starts = []
    start = 0
    while start < len(ascending):
        starts.append(start)
        start += int(ascending[start]) + 1
    first = np.array(starts, dtype=np.int64)
    return first, np.diff(np.append(first, len(ascending))), ascending[first]


def _chung_lu(weights: Floats, generator: np.random.Generator) -> Ints:
    """Returns edges with ends drawn in proportion to the weights, half their sum in number before loops are dropped."""
    total = weights.sum()
    if total <= 0:
        return np.zeros((0, 2), dtype=np.int64)
    ends = np.searchsorted(np.cumsum(weights), generator.random((round(total / 2), 2)) * total, side="right")
    edges = np.minimum(ends, len(weights) - 1).astype(np.int64)
    return edges[edges[:, 0] != edges[:, 1]]
