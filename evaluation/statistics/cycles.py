"""Counts of 4-cycles and 4-cliques, exact by the degree order, and an unbiased estimate where that takes long.

Every 4-cycle has one node t of highest (degree, index). With c_to the number of paths t - a - o over a below t, to o
below t, t is on top of sum_o c_to (c_to - 1) / 2 of them. All c_to take sum over edges of min(d_u, d_v) <= O(M^1.5)
steps (Chiba and Nishizeki, 1985, "Arboricity and subgraph listing algorithms").
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sbgd.evaluation.cliques import CliqueLister
from sbgd.evaluation.statistics.measurement import Measurement, undefined
from sbgd.evaluation.triangles import adjacency, degree_ordered, product_rows
from sbgd.graph import Graph

Ints = NDArray[np.int64]

MAX_SQUARE_WORK = 500_000_000
"""Multiplications above which 4-cycles are estimated; some seconds."""
MAX_CLIQUE_WORK = 300_000_000
"""Candidates above which 4-cliques are not counted."""

_MIN_SAMPLED = 256


def square_work(directed: sparse.csr_array, degrees: Ints) -> Ints:
    """Returns the multiplications that `squares_by_top` takes at every node, (N,)."""
    return np.asarray(directed.T @ degrees, dtype=np.int64)


def squares_by_top(graph: Graph, directed: sparse.csr_array, tops: Ints | None = None) -> Ints:
    """Counts the 4-cycles, induced or not, at their node of highest (degree, index).

    Args:
        graph: Graph of N nodes.
        directed: Its edges from lower to higher, as `degree_ordered` has them.
        tops: Nodes (T,) to count at, all by default.

    Returns:
        int64 (T,).
    """
    tops = np.arange(graph.num_nodes) if tops is None else tops
    order = graph.degrees * graph.num_nodes + np.arange(graph.num_nodes)
    below = sparse.csr_array(sparse.csr_array(directed.T)[tops])
    counts = np.zeros(len(tops), dtype=np.int64)
    for start, stop, paths in product_rows(below, adjacency(graph)):
        rows = np.repeat(np.arange(start, stop), np.diff(paths.indptr))
        is_below = order[paths.indices] < order[tops[rows]]
        pairs = paths.data * (paths.data - 1) // 2 * is_below
        # bincount sums in float64, exact below 2^53, which no count within reach exceeds
        counts[start:stop] = np.bincount(rows - start, weights=pairs, minlength=stop - start)
    return counts


def square_count(
    graph: Graph, *, max_work: int = MAX_SQUARE_WORK, generator: np.random.Generator | None = None
) -> Measurement:
    """Returns the number of 4-cycles, induced or not; above `max_work` multiplications an unbiased estimate.

    The estimate draws top nodes with probability in proportion to their work w_t: the mean of squares_t sum(w) / w_t.

    Args:
        graph: Graph of N nodes.
        max_work: Multiplications above which nodes are sampled, about as many as the sample takes.
        generator: Source of randomness for the sample; seed 0 by default.
    """
    directed = degree_ordered(graph)
    work = square_work(directed, graph.degrees)
    total = int(work.sum())
    if total <= max_work:
        return Measurement(float(squares_by_top(graph, directed).sum()))
    share = work / total
    num_sampled = max(int(max_work / float(share @ work)), _MIN_SAMPLED)
    tops = np.sort((generator or np.random.default_rng(0)).choice(graph.num_nodes, size=num_sampled, p=share))
    estimates = squares_by_top(graph, directed, tops) / share[tops]
    return Measurement(float(estimates.mean()), spread=float(estimates.std(ddof=1) / np.sqrt(num_sampled)))


def four_clique_count(graph: Graph, *, max_work: int = MAX_CLIQUE_WORK) -> Measurement:
    """Returns the number of 4-cliques; None where it would take more than `max_work` steps."""
    cliques = CliqueLister(degree_ordered(graph), np.array([graph.num_nodes]))
    work, count = 0, 0
    for triangles in cliques.triangles():
        work += cliques.clique_work(triangles)
        if work > max_work:
            return undefined(f"counting 4-cliques would take over {max_work:.0e} steps")
        count += sum(len(top) for _, top in cliques.four_cliques(triangles))
    return Measurement(float(count))
