"""Counts triangles with sparse products over edges directed from lower to higher degree.

With U the adjacency whose edges u -> v point to the node of higher (degree, index), every triangle is one u -> v -> w
with u -> w. Then ((U U) * U)[u, w] counts middle nodes and ((U^T U) * U)[v, w] counts low nodes, at a cost of
O(M^1.5) whatever the hubs (Chiba and Nishizeki, 1985, "Arboricity and subgraph listing algorithms").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sbgd.graph import Graph

_CHUNK_WORK = 5_000_000
"""Multiplications a row chunk may take; bounds the entries that a product holds at once."""


@dataclass(frozen=True)
class TriangleRoles:
    """Triangles of every node by its place in the degree order, three int64 arrays (N,)."""

    low: NDArray[np.int64]
    middle: NDArray[np.int64]
    top: NDArray[np.int64]

    @property
    def total(self) -> NDArray[np.int64]:
        """Triangles through every node, int64 (N,)."""
        return self.low + self.middle + self.top


def adjacency(graph: Graph) -> sparse.csr_array:
    """Returns the symmetric adjacency as an int64 CSR array (N, N)."""
    return sparse.csr_array(graph.to_scipy().astype(np.int64))


def degree_ordered(graph: Graph) -> sparse.csr_array:
    """Returns U, int64 (N, N), each edge once from its lower to its higher (degree, index) end."""
    rank = np.empty(graph.num_nodes, dtype=np.int64)
    rank[np.argsort(graph.degrees, kind="stable")] = np.arange(graph.num_nodes)
    u, v = graph.edges.T
    forward = rank[u] < rank[v]
    rows, cols = np.where(forward, u, v), np.where(forward, v, u)
    shape = (graph.num_nodes, graph.num_nodes)
    return sparse.csr_array((np.ones(graph.num_edges, dtype=np.int64), (rows, cols)), shape=shape)


def work_chunks(work: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yields row ranges (start, stop) that cover all rows, each of bounded total work unless it is a single row."""
    ends = np.cumsum(work)
    start = 0
    while start < len(work):
        done = int(ends[start - 1]) if start else 0
        stop = max(int(np.searchsorted(ends, done + _CHUNK_WORK, side="right")), start + 1)
        yield start, stop
        start = stop


def product_rows(left: sparse.csr_array, right: sparse.csr_array) -> Iterator[tuple[int, int, sparse.csr_array]]:
    """Yields (start, stop, rows start..stop of left @ right), never holding the whole product."""
    for start, stop in work_chunks(left @ np.diff(right.indptr).astype(np.int64)):
        yield start, stop, sparse.csr_array(left[start:stop] @ right)


def masked_product(left: sparse.csr_array, right: sparse.csr_array, mask: sparse.csr_array) -> sparse.csr_array:
    """Returns (left @ right) * mask as CSR, with memory bounded by the mask and one row chunk."""
    rows = [sparse.csr_array(mask[a:b].multiply(part)) for a, b, part in product_rows(left, right)]
    return sparse.csr_array(sparse.vstack(rows, format="csr")) if rows else mask.copy()


def triangle_roles(directed: sparse.csr_array) -> TriangleRoles:
    """Counts every node's triangles by its place in the order of `directed` = U from `degree_ordered`."""
    middles = masked_product(directed, directed, directed)
    lows = masked_product(sparse.csr_array(directed.T), directed, directed)
    return TriangleRoles(low=_sums(middles, 1), middle=_sums(lows, 1), top=_sums(lows, 0))


def triangles_per_node(graph: Graph) -> NDArray[np.int64]:
    """Returns the number of triangles through every node, int64 (N,)."""
    return triangle_roles(degree_ordered(graph)).total


def local_clustering(graph: Graph) -> NDArray[np.float64]:
    """Returns c(v) = 2 t(v) / (d(v) (d(v) - 1)), 0 where d(v) < 2, float64 (N,)."""
    degrees = graph.degrees
    wedges = degrees * (degrees - 1)
    return 2 * triangles_per_node(graph) / np.maximum(wedges, 1)


def _sums(matrix: sparse.csr_array, axis: int) -> NDArray[np.int64]:
    return np.asarray(matrix.sum(axis=axis), dtype=np.int64).ravel()
