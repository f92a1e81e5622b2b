"""Counts the 15 orbits of connected graphlets with 2 to 4 nodes at every node, in closed form over sparse products.

Non-induced counts come from degrees d, common neighbours c_uw = (A A)_uw, T_uv = c_uv on edges, triangles t and
4-cliques k4; induced ones by inclusion and exclusion. Numbering of the orbits: Przulj, 2007,
doi 10.1093/bioinformatics/btl301. Counting by linear relations: Hocevar and Demsar, 2014,
doi 10.1093/bioinformatics/btt717.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sbgd.evaluation.descriptors.descriptor import BudgetError, Vectors, disjoint_union, graph_index
from sbgd.evaluation.triangles import (
    TriangleRoles,
    adjacency,
    degree_ordered,
    masked_product,
    product_rows,
    triangle_roles,
    work_chunks,
)
from sbgd.graph import Graph

NUM_ORBITS = 15

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class OrbitCounts:
    """Mean over nodes of the 4-node orbit counts, (G, 15), not normalised; 0 for graphs without nodes.

    Attributes:
        max_work: Predicted multiplications, for wedges and for 4-cliques each, above which counting is refused;
            the default is some seconds.

    References:
        You et al., 2018, "GraphRNN", arXiv:1802.08773.
    """

    max_work: int = 300_000_000

    def __call__(self, graphs: Sequence[Graph]) -> Vectors:
        """Returns the mean counts, float64 (G, 15).

        Raises:
            BudgetError: The graphs have too many wedges or too many 4-cliques.
        """
        counts = orbit_counts(disjoint_union(graphs), max_work=self.max_work)
        owner = graph_index(graphs)
        sums = np.zeros((len(graphs), NUM_ORBITS), dtype=np.int64)
        np.add.at(sums, owner, counts)
        return sums / np.maximum(np.bincount(owner, minlength=len(graphs)), 1)[:, None]


def orbit_counts(graph: Graph, *, max_work: int = 300_000_000) -> Counts:
    """Returns how often every node is in each orbit of induced graphlets with up to 4 nodes.

    Args:
        graph: Graph of N nodes.
        max_work: As in `OrbitCounts`.

    Returns:
        int64 (N, 15).

    Raises:
        BudgetError: The graph has too many wedges or too many 4-cliques.
    """
    degrees = graph.degrees
    _check_work("wedges", int((degrees**2).sum()), max_work)
    directed = degree_ordered(graph)
    roles = triangle_roles(directed)
    _check_work("4-cliques", _clique_work(directed, roles), max_work)

    A = adjacency(graph)
    T, c4 = _common_neighbours(A, degrees)
    opposite = T.copy()
    opposite.data -= 1
    d, t, k4 = degrees, roles.total, _four_cliques(directed)
    s = A @ (d - 1)

    n13 = _row_sums(sparse.csr_array(T.multiply(T) - T)) // 2
    n12 = _row_sums(masked_product(A, opposite, A)) // 2
    n11 = t * (d - 2)
    n10 = T @ (d - 2)
    n9 = A @ t - 2 * t
    n7 = d * (d - 1) * (d - 2) // 6
    n6 = A @ ((d - 1) * (d - 2) // 2)
    n5 = (d - 1) * s - 2 * t
    n4 = A @ s - d * (d - 1) - 2 * t

    o14 = k4
    o13 = n13 - 3 * k4
    o12 = n12 - 3 * k4
    o11 = n11 - 2 * o13 - 3 * o14
    o10 = n10 - 2 * o13 - 2 * o12 - 6 * o14
    o9 = n9 - 2 * o12 - 3 * o14
    o8 = c4 - o12 - o13 - 3 * o14
    o7 = n7 - o11 - o13 - o14
    o6 = n6 - o9 - o10 - o13 - 2 * o12 - 3 * o14
    o5 = n5 - 2 * o8 - 2 * o11 - o10 - 2 * o12 - 4 * o13 - 6 * o14
    o4 = n4 - 2 * o8 - 2 * o9 - o10 - 4 * o12 - 2 * o13 - 6 * o14
    o2, o1 = d * (d - 1) // 2 - t, s - 2 * t
    return np.stack([d, o1, o2, t, o4, o5, o6, o7, o8, o9, o10, o11, o12, o13, o14], axis=1)


def _check_work(what: str, work: int, max_work: int) -> None:
    if work > max_work:
        raise BudgetError(f"counting {what} would take {work:.1e} steps, over the limit of {max_work:.1e}")


def _common_neighbours(A: sparse.csr_array, degrees: Counts) -> tuple[sparse.csr_array, Counts]:
    """Returns T, the common neighbours of the ends of every edge, and the 4-cycles (non-induced) through every node."""
    on_edges, cycles = [sparse.csr_array((0, A.shape[0]), dtype=np.int64)], np.zeros(A.shape[0], dtype=np.int64)
    for start, stop, common in product_rows(A, A):
        on_edges.append(sparse.csr_array(A[start:stop].multiply(common)))
        cycles[start:stop] = _row_sums(sparse.csr_array(common.multiply(common) - common)) // 2
    # c_uu = d_u is on the diagonal of A A and closes no cycle
    return sparse.csr_array(sparse.vstack(on_edges, format="csr")), cycles - degrees * (degrees - 1) // 2


def _clique_work(directed: sparse.csr_array, roles: TriangleRoles) -> int:
    """Bounds the entries that `_four_cliques` touches: for each triangle the out-degrees of its two higher nodes."""
    out = np.diff(directed.indptr).astype(np.int64)
    return int(((roles.middle + roles.top) * out).sum())


def _four_cliques(directed: sparse.csr_array) -> Counts:
    """Returns the 4-cliques through every node, extending edges to triangles to cliques along the degree order."""
    counts = np.zeros(directed.shape[0], dtype=np.int64)
    out = np.diff(directed.indptr).astype(np.int64)
    low, middle = directed.nonzero()
    for start, stop in work_chunks(out[low] + out[middle]):
        u, v = low[start:stop], middle[start:stop]
        triangles = sparse.csr_array(directed[u].multiply(directed[v]))
        edge, w = triangles.nonzero()
        for first, last in work_chunks(np.diff(triangles.indptr)[edge] + out[w]):
            e, third = edge[first:last], w[first:last]
            cliques = sparse.csr_array(triangles[e].multiply(directed[third]))
            found = _row_sums(cliques)
            for corner in (u[e], v[e], third):
                np.add.at(counts, corner, found)
            counts += np.asarray(cliques.sum(axis=0), dtype=np.int64).ravel()
    return counts


def _row_sums(matrix: sparse.csr_array) -> Counts:
    return np.asarray(matrix.sum(axis=1), dtype=np.int64).ravel()
