"""Counts the 73 orbits of connected graphlets with 2 to 5 nodes at every node: homomorphisms, then a triangular system.

Orbits 0 to 14 are `orbit_counts`, 13 orbits of graphlets with a node next to all others are `orbit_counts` of links,
and the other 45 follow, graphlets with more edges first, from

    (times v is in orbit o) = (hom(o; v) - sum over other orbits p of surj(o; p) * (times v is in p)) / surj(o; o).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.descriptors.descriptor import BudgetError, Vectors
from sbgd.evaluation.descriptors.graphlet_homomorphisms import Homomorphisms, homomorphisms
from sbgd.evaluation.descriptors.graphlet_links import Links
from sbgd.evaluation.descriptors.graphlets import NUM_ORBITS_5, num_edges_of_orbits, surjections
from sbgd.evaluation.descriptors.orbits import NUM_ORBITS, orbit_counts
from sbgd.evaluation.graph_set import GraphSet
from sbgd.evaluation.triangles import adjacency, product_rows, work_chunks
from sbgd.graph import Graph

Counts = NDArray[np.int64]

_MAX_DEGREE = 55_108
"""Largest degree whose 4th power, which bounds every homomorphism count of a node, is an int64."""

_MAX_PAIRS = 50_000_000
"""Entries that A A of a graph may have, of which a few such matrices are held at once: some GB."""


@dataclass(frozen=True)
class OrbitCounts5:
    """Mean over nodes of the 5-node orbit counts, (G, 73), not normalised; 0 for graphs without nodes.

    Attributes:
        max_work: Predicted multiplications above which counting is refused; the default is about a minute.

    References:
        Hocevar and Demsar, 2014, "A combinatorial approach to graphlet counting", doi 10.1093/bioinformatics/btt717.
    """

    max_work: int = 2_000_000_000
    uses_eigenvectors: ClassVar[bool] = False

    def __call__(self, graphs: GraphSet) -> Vectors:
        """Returns the mean counts, float64 (G, 73).

        Raises:
            BudgetError: The graphs are too large and dense, or have a node with too many neighbours.
        """
        graphs = GraphSet.of(graphs)
        counts = orbit_counts_5(graphs, max_work=self.max_work)
        return graphs.sums(counts) / np.maximum(graphs.sizes, 1)[:, None]


def orbit_counts_5(graphs: Graph | GraphSet, *, max_work: int = 2_000_000_000) -> Counts:
    """Returns how often every node is in each orbit of induced graphlets with up to 5 nodes.

    Args:
        graphs: Graph of N nodes, or a set of N nodes in all, whose nodes are counted graph after graph.
        max_work: As in `OrbitCounts5`.

    Returns:
        int64 (N, 73), of which the first 15 columns are `orbit_counts`.

    Raises:
        BudgetError: The graphs are too large and dense, or have a node with too many neighbours.
    """
    graphs = GraphSet([graphs]) if isinstance(graphs, Graph) else graphs
    work = _checked_work(graphs, max_work)
    parts = [_counts(graphs[start:stop], max_work) for start, stop in work_chunks(work)]
    return np.concatenate([np.zeros((0, NUM_ORBITS_5), dtype=np.int64), *parts])


def _checked_work(graphs: GraphSet, max_work: int) -> Counts:
    """Returns the multiplications that every graph will take, int64 (G,)."""
    degrees = graphs.union.degrees
    largest = int(degrees.max(initial=0))
    if largest > _MAX_DEGREE:
        raise BudgetError(f"expected degrees of at most {_MAX_DEGREE}, whose counts are int64, got {largest}")
    _check("wedges", int((degrees**2).sum()), max_work)
    reach = _reach(graphs)
    pairs = int(graphs.sums(reach).max(initial=0))
    if pairs > _MAX_PAIRS:
        raise BudgetError(f"expected at most {_MAX_PAIRS:.1e} pairs of nodes with a common neighbour, got {pairs:.1e}")
    walks = graphs.sums(3 * degrees * reach).astype(np.int64)
    over_triangles = graphs.sums(2 * graphs.triangles * reach).astype(np.int64)
    _check("walks of 3 steps", int(walks.sum()), max_work)
    _check("graphlets over triangles", int(over_triangles.sum()), max_work)
    return walks + over_triangles


def _reach(graphs: GraphSet) -> Counts:
    """Returns how many nodes have a neighbour in common with every node, itself included, int64 (N,)."""
    A = adjacency(graphs.union)
    sizes = [np.diff(rows.indptr) for _, _, rows in product_rows(A, A)]
    return np.concatenate([np.zeros(0, dtype=np.int64), *sizes]).astype(np.int64)


def _check(what: str, work: int, max_work: int) -> None:
    if work > max_work:
        raise BudgetError(f"counting {what} would take {work:.1e} steps, over the limit of {max_work:.1e}")


def _counts(graphs: GraphSet, max_work: int) -> Counts:
    counts = np.zeros((graphs.union.num_nodes, NUM_ORBITS_5), dtype=np.int64)
    counts[:, :NUM_ORBITS] = orbit_counts(graphs, max_work=max_work)
    links = Links.of(graphs.union, graphs.directed)
    for orbit, found in links.orbits(max_work=max_work).items():
        counts[:, orbit] = found
    return _solved(counts, homomorphisms(adjacency(graphs.union), links))


def _solved(counts: Counts, homs: Homomorphisms) -> Counts:
    """Fills the columns of `counts` (N, 73) for which there are homomorphisms; the others must be right, these 0."""
    surj, num_edges = surjections(), num_edges_of_orbits()
    for orbit in sorted(homs, key=lambda orbit: -num_edges[orbit]):
        counts[:, orbit] = (homs[orbit] - counts @ surj[orbit]) // surj[orbit, orbit]
    return counts
