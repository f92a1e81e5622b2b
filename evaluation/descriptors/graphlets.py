"""The 30 connected graphs with 2 to 5 nodes, their 73 node orbits, and the homomorphisms between them.

A homomorphism of H into G maps edges to edges; its image spans a connected set of at most |H| nodes. Sorted by the
induced graph F on that set, the maps that take node r of H to node v of G are

    hom(H, r; G, v) = sum over orbits (F, s) of surj(H, r; F, s) * (times v is in orbit (F, s))

with surj the homomorphisms of H onto all nodes of F that take r to s (Lovasz, 1967, "Operations with structures").
Between graphs of equal size it is 0 unless F has more edges than H or is H, so that the system is triangular.
Numbering of the orbits: Przulj, 2007, doi 10.1093/bioinformatics/btl301.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

NUM_ORBITS_5 = 73


@dataclass(frozen=True)
class Graphlet:
    """A connected graph whose nodes are known by their orbits.

    Attributes:
        orbits: Orbit of every node.
        edges: Pairs of nodes.
    """

    orbits: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return len(self.orbits)

    @property
    def adjacency(self) -> NDArray[np.bool_]:
        """Symmetric adjacency (n, n)."""
        A = np.zeros((self.num_nodes, self.num_nodes), dtype=bool)
        for u, v in self.edges:
            A[u, v] = A[v, u] = True
        return A


GRAPHLETS = (
    Graphlet((0, 0), ((0, 1),)),
    Graphlet((1, 2, 1), ((0, 1), (1, 2))),
    Graphlet((3, 3, 3), ((0, 1), (0, 2), (1, 2))),
    Graphlet((4, 5, 5, 4), ((0, 1), (1, 2), (2, 3))),
    Graphlet((7, 6, 6, 6), ((0, 1), (0, 2), (0, 3))),
    Graphlet((8, 8, 8, 8), ((0, 1), (1, 2), (2, 3), (0, 3))),
    Graphlet((9, 11, 10, 10), ((0, 1), (1, 2), (1, 3), (2, 3))),
    Graphlet((12, 13, 13, 12), ((0, 1), (0, 2), (1, 2), (1, 3), (2, 3))),
    Graphlet((14, 14, 14, 14), ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))),
    Graphlet((15, 16, 17, 16, 15), ((0, 1), (1, 2), (2, 3), (3, 4))),
    Graphlet((18, 20, 21, 19, 19), ((0, 1), (1, 2), (2, 3), (2, 4))),
    Graphlet((23, 22, 22, 22, 22), ((0, 1), (0, 2), (0, 3), (0, 4))),
    Graphlet((24, 26, 25, 26, 24), ((0, 1), (1, 2), (2, 3), (1, 3), (3, 4))),
    Graphlet((27, 28, 30, 29, 29), ((0, 1), (1, 2), (2, 3), (2, 4), (3, 4))),
    Graphlet((31, 31, 33, 32, 32), ((0, 2), (1, 2), (2, 3), (2, 4), (3, 4))),
    Graphlet((34, 34, 34, 34, 34), ((0, 1), (1, 2), (2, 3), (3, 4), (0, 4))),
    Graphlet((35, 38, 37, 37, 36), ((0, 1), (1, 2), (1, 3), (2, 4), (3, 4))),
    Graphlet((39, 42, 40, 40, 41), ((0, 1), (1, 2), (1, 3), (1, 4), (2, 4), (3, 4))),
    Graphlet((43, 43, 44, 43, 43), ((0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4))),
    Graphlet((45, 47, 48, 48, 46), ((0, 1), (1, 2), (1, 3), (2, 3), (2, 4), (3, 4))),
    Graphlet((50, 49, 49, 49, 50), ((0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4))),
    Graphlet((51, 51, 53, 52, 53), ((0, 1), (1, 2), (2, 3), (3, 4), (2, 4), (0, 4))),
    Graphlet((55, 55, 54, 54, 54), ((0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4))),
    Graphlet((56, 58, 57, 57, 57), ((0, 1), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4))),
    Graphlet((61, 59, 60, 60, 59), ((0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4))),
    Graphlet((62, 63, 63, 64, 64), ((0, 1), (0, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4))),
    Graphlet((65, 67, 67, 66, 66), ((0, 1), (0, 2), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4))),
    Graphlet((69, 68, 68, 68, 68), ((0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4), (1, 4))),
    Graphlet((70, 70, 71, 71, 71), ((0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4))),
    Graphlet((72,) * 5, ((0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4))),
)


@cache
def surjections() -> Ints:
    """Returns surj for all pairs of orbits, int64 (73, 73): rows for (H, r), columns for (F, s)."""
    table = np.zeros((NUM_ORBITS_5, NUM_ORBITS_5), dtype=np.int64)
    for source in GRAPHLETS:
        for target in GRAPHLETS:
            homs = _onto_homomorphisms(source, target)
            for node, orbit in enumerate(source.orbits):
                table[orbit, list(target.orbits)] = np.bincount(homs[:, node], minlength=target.num_nodes)
    return table


def num_edges_of_orbits() -> dict[int, int]:
    """Returns the number of edges of the graphlet of every orbit."""
    return {orbit: len(graphlet.edges) for graphlet in GRAPHLETS for orbit in graphlet.orbits}


def _onto_homomorphisms(source: Graphlet, target: Graphlet) -> Ints:
    maps = _onto_maps(source.num_nodes, target.num_nodes)
    u, v = np.array(source.edges).T
    kept: Ints = maps[target.adjacency[maps[:, u], maps[:, v]].all(axis=1)]
    return kept


@cache
def _onto_maps(num_sources: int, num_targets: int) -> Ints:
    maps = [m for m in product(range(num_targets), repeat=num_sources) if len(set(m)) == num_targets]
    return np.array(maps, dtype=np.int64).reshape(-1, num_sources)
