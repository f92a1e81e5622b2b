"""Counts the 15 orbits of connected graphlets with 2 to 4 nodes at every node, in closed form over sparse products.

Non-induced counts come from degrees d, common neighbours c_uw = (A A)_uw, T_uv = c_uv on edges, triangles t and
4-cliques k4; induced ones by inclusion and exclusion. Numbering of the orbits: Przulj, 2007,
doi 10.1093/bioinformatics/btl301. Counting by linear relations: Hocevar and Demsar, 2014,
doi 10.1093/bioinformatics/btt717.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.cliques import CliqueLister
from sbgd.evaluation.descriptors.descriptor import BudgetError, Vectors
from sbgd.evaluation.graph_set import GraphSet
from sbgd.evaluation.triangles import adjacency, product_rows
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
    uses_eigenvectors: ClassVar[bool] = False

    def __call__(self, graphs: GraphSet) -> Vectors:
        """Returns the mean counts, float64 (G, 15).

        Raises:
            BudgetError: The graphs have too many wedges or too many 4-cliques.
        """
        graphs = GraphSet.of(graphs)
        counts = orbit_counts(graphs, max_work=self.max_work)
        return graphs.sums(counts) / np.maximum(graphs.sizes, 1)[:, None]


def orbit_counts(graphs: Graph | GraphSet, *, max_work: int = 300_000_000) -> Counts:
    """Returns how often every node is in each orbit of induced graphlets with up to 4 nodes.

    Args:
        graphs: Graph of N nodes, or a set of N nodes in all, whose nodes are counted graph after graph.
        max_work: As in `OrbitCounts`.

    Returns:
        int64 (N, 15).

    Raises:
        BudgetError: The graph has too many wedges or too many 4-cliques.
    """
    graphs = GraphSet([graphs]) if isinstance(graphs, Graph) else graphs
    d = graphs.union.degrees
    _check_work("wedges", int((d**2).sum()), max_work)
    lister = graphs.cliques
    _check_work("4-cliques", sum(lister.clique_work(triangles) for triangles in lister.triangles()), max_work)

    ends = _Ends(*lister.edges, len(d))
    T = np.zeros(len(ends.tails), dtype=np.int64)
    for found in lister.triangles():
        for edge in (found.uv, found.vw, found.uw):
            T += np.bincount(edge, minlength=len(T))
    t = ends.sums(T, T) // 2
    k4, n12 = _four_cliques(lister, T, len(d))
    s = ends.neighbour_sums(d - 1)

    n13 = ends.sums(T * (T - 1), T * (T - 1)) // 2
    n11 = t * (d - 2)
    n10 = ends.sums(T * (d[ends.heads] - 2), T * (d[ends.tails] - 2))
    n9 = ends.neighbour_sums(t) - 2 * t
    n8 = _four_cycles(graphs.union)
    n7 = d * (d - 1) * (d - 2) // 6
    n6 = ends.neighbour_sums((d - 1) * (d - 2) // 2)
    n5 = (d - 1) * s - 2 * t
    n4 = ends.neighbour_sums(s) - d * (d - 1) - 2 * t

    o14 = k4
    o13 = n13 - 3 * k4
    o12 = n12 - 3 * k4
    o11 = n11 - 2 * o13 - 3 * o14
    o10 = n10 - 2 * o13 - 2 * o12 - 6 * o14
    o9 = n9 - 2 * o12 - 3 * o14
    o8 = n8 - o12 - o13 - 3 * o14
    o7 = n7 - o11 - o13 - o14
    o6 = n6 - o9 - o10 - o13 - 2 * o12 - 3 * o14
    o5 = n5 - 2 * o8 - 2 * o11 - o10 - 2 * o12 - 4 * o13 - 6 * o14
    o4 = n4 - 2 * o8 - 2 * o9 - o10 - 4 * o12 - 2 * o13 - 6 * o14
    o2, o1 = d * (d - 1) // 2 - t, s - 2 * t
    return np.stack([d, o1, o2, t, o4, o5, o6, o7, o8, o9, o10, o11, o12, o13, o14], axis=1)


def _check_work(what: str, work: int, max_work: int) -> None:
    if work > max_work:
        raise BudgetError(f"counting {what} would take {work:.1e} steps, over the limit of {max_work:.1e}")


@dataclass(frozen=True)
class _Ends:
    """Sums over the edges at every node, in int64.

    Attributes:
        tails: One end of every edge (M,).
        heads: The other end (M,).
        num_nodes: Number of nodes N.
    """

    tails: Counts
    heads: Counts
    num_nodes: int

    def sums(self, at_tails: Counts, at_heads: Counts) -> Counts:
        """Returns for every node the sum of `at_tails` over edges out of it and of `at_heads` over edges into it."""
        totals = np.zeros(self.num_nodes, dtype=np.int64)
        np.add.at(totals, self.tails, at_tails)
        np.add.at(totals, self.heads, at_heads)
        return totals

    def neighbour_sums(self, values: Counts) -> Counts:
        """Returns A values."""
        return self.sums(values[self.heads], values[self.tails])


def _four_cliques(lister: CliqueLister, T: Counts, num_nodes: int) -> tuple[Counts, Counts]:
    """Returns the 4-cliques through every node, and the sum of T - 1 over the edges opposite it in its triangles."""
    cliques, opposite = np.zeros((2, num_nodes), dtype=np.int64)
    for found in lister.triangles():
        for corner, edge in ((found.u, found.vw), (found.v, found.uw), (found.w, found.uv)):
            np.add.at(opposite, corner, T[edge] - 1)
        for index, top in lister.four_cliques(found):
            for corner in (found.u[index], found.v[index], found.w[index], top):
                cliques += np.bincount(corner, minlength=num_nodes)
    return cliques, opposite


def _four_cycles(graph: Graph) -> Counts:
    """Returns the non-induced 4-cycles through every node: sum over w of C(c_uw, 2), c = A A off the diagonal."""
    A = adjacency(graph)
    cycles = np.zeros(A.shape[0], dtype=np.int64)
    for start, stop, common in product_rows(A, A):
        pairs = common.data * (common.data - 1)
        occupied = np.flatnonzero(np.diff(common.indptr))
        if len(occupied):
            cycles[start:stop][occupied] = np.add.reduceat(pairs, common.indptr[occupied]) // 2
    # c_uu = d_u is on the diagonal of A A and closes no cycle
    return cycles - graph.degrees * (graph.degrees - 1) // 2
