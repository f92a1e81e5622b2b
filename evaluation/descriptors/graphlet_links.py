"""Links of all nodes side by side: graphlets with a node next to all others are graphlets with one node less in a link.

The link of node h is the graph that its neighbours induce. A node of the union of all links is a directed edge (h, a),
and (h, a) ~ (h, b) where h, a, b are a triangle.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sbgd.evaluation.descriptors.descriptor import BudgetError
from sbgd.evaluation.descriptors.orbits import orbit_counts
from sbgd.evaluation.triangles import work_chunks
from sbgd.graph import Graph

Counts = NDArray[np.int64]

_RIM_ORBITS = {
    54: (6, 2), 55: (7, 1), 59: (4, 1), 60: (5, 1), 65: (9, 2), 66: (10, 2), 67: (11, 1), 68: (8, 1), 70: (12, 3),
    71: (13, 2), 72: (14, 4),
}  # fmt: skip
"""For orbits of graphlets that are h and a connected graphlet of its link: the orbit of `a` there, and the choices of h
that an `a` of the graphlet has."""

_HUB_ORBITS = {61: (4, 2), 69: (8, 4)}
"""The same for the h of graphlets that have only one: an orbit of the link, and its nodes in the graphlet."""


@dataclass(frozen=True)
class Links:
    """The union of the links of a graph with N nodes, M edges and t triangles.

    Attributes:
        num_nodes: N.
        hubs: h of every directed edge (h, a), int64 (2M,), ascending.
        rims: a of every directed edge, int64 (2M,), ascending for each h.
        triangles: Nodes of every triangle, int64 (t, 3).
    """

    num_nodes: int
    hubs: Counts
    rims: Counts
    triangles: Counts

    @classmethod
    def of(cls, graph: Graph, directed: sparse.csr_array) -> Links:
        """Builds the links of a graph from its edges and from the same edges as `triangles.degree_ordered` has them."""
        both = np.concatenate([graph.edges, graph.edges[:, ::-1]])
        hubs, rims = both[np.lexsort((both[:, 1], both[:, 0]))].T
        return cls(graph.num_nodes, hubs, rims, _triangles(directed))

    @cached_property
    def common(self) -> sparse.csr_array:
        """W, int64 (2M, N): row (h, a) is 1 at the common neighbours of h and a."""
        h, a, b = np.concatenate([self.triangles[:, order] for order in permutations(range(3))]).T
        shape = (len(self.hubs), self.num_nodes)
        return sparse.csr_array((np.ones(len(h), dtype=np.int64), (self._positions(h, a), b)), shape=shape)

    @cached_property
    def graph(self) -> Graph:
        """The union of the links, 2M nodes and 3t edges."""
        h, a, b = np.concatenate([self.triangles[:, order] for order in ([0, 1, 2], [1, 0, 2], [2, 0, 1])]).T
        ends = np.stack([self._positions(h, a), self._positions(h, b)], axis=1)
        return Graph.from_edges(ends, len(self.hubs))

    def hub_sums(self, values: Counts) -> Counts:
        """Returns for every node h the sum over (h, a) of values (2M,) or (2M, K)."""
        return self._sums(self.hubs, values)

    def orbits(self, *, max_work: int) -> dict[int, Counts]:
        """Counts the orbits of graphlets that are a node and a connected graphlet with 4 nodes of its link.

        Returns:
            int64 (N,) for 13 of the orbits 54 to 72.

        Raises:
            BudgetError: As `orbit_counts` on the links.
        """
        try:
            counts = orbit_counts(self.graph, max_work=max_work)
        except BudgetError as error:
            raise BudgetError(f"{error} among the neighbours of nodes") from error
        at_rims, at_hubs = self._sums(self.rims, counts), self._sums(self.hubs, counts)
        found = {orbit: at_rims[:, place] // choices for orbit, (place, choices) in _RIM_ORBITS.items()}
        return found | {orbit: at_hubs[:, place] // size for orbit, (place, size) in _HUB_ORBITS.items()}

    def _positions(self, hubs: Counts, rims: Counts) -> Counts:
        n = self.num_nodes
        return np.searchsorted(self.hubs * n + self.rims, hubs * n + rims).astype(np.int64)

    def _sums(self, nodes: Counts, values: Counts) -> Counts:
        entries = (np.ones(len(nodes), dtype=np.int64), (nodes, np.arange(len(nodes))))
        return np.asarray(sparse.csr_array(entries, shape=(self.num_nodes, len(nodes))) @ values)


def _triangles(directed: sparse.csr_array) -> Counts:
    """Lists every triangle once along the degree order, int64 (t, 3)."""
    out = np.diff(directed.indptr).astype(np.int64)
    low, middle = directed.nonzero()
    found = [np.zeros((0, 3), dtype=np.int64)]
    for start, stop in work_chunks(out[low] + out[middle]):
        u, v = low[start:stop], middle[start:stop]
        edge, top = sparse.csr_array(directed[u].multiply(directed[v])).nonzero()
        found.append(np.stack([u[edge], v[edge], top], axis=1).astype(np.int64))
    return np.concatenate(found)
