"""A list of graphs described together: what several descriptors need is computed once and kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from sbgd.evaluation.cliques import CliqueLister
from sbgd.evaluation.triangles import degree_ordered
from sbgd.graph import Graph

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class GraphSet(Sequence[Graph]):
    """Graphs with their disjoint union and with intermediate results that descriptors share.

    Args:
        graphs: Any number of graphs.
        eigenvectors: Whether some descriptor will ask for eigenvectors, so that eigenvalues should be computed with
            them at once; either answer gives the same results.
    """

    def __init__(self, graphs: Sequence[Graph], *, eigenvectors: bool = False) -> None:
        self._graphs = tuple(graphs)
        self._eigenvectors = eigenvectors

    @classmethod
    def of(cls, graphs: Sequence[Graph]) -> GraphSet:
        """Returns the graphs as a set, the same object if they are one."""
        return graphs if isinstance(graphs, GraphSet) else cls(graphs)

    def __len__(self) -> int:
        return len(self._graphs)

    @overload
    def __getitem__(self, index: int) -> Graph: ...
    @overload
    def __getitem__(self, index: slice) -> GraphSet: ...
    def __getitem__(self, index: int | slice) -> Graph | GraphSet:
        if isinstance(index, slice):
            return GraphSet(self._graphs[index], eigenvectors=self._eigenvectors)
        return self._graphs[index]

    def __iter__(self) -> Iterator[Graph]:
        return iter(self._graphs)

    @cached_property
    def sizes(self) -> Ints:
        """Number of nodes of every graph, (G,)."""
        return np.array([graph.num_nodes for graph in self], dtype=np.int64)

    @cached_property
    def owner(self) -> Ints:
        """Position of the graph of every node of the union, (sum of N,)."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @cached_property
    def ends(self) -> Ints:
        """Nodes of the union before every graph and after the last, (G + 1,)."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    @cached_property
    def union(self) -> Graph:
        """All graphs side by side as one graph, nodes numbered graph after graph."""
        edges = [graph.edges + offset for graph, offset in zip(self, self.ends, strict=False)]
        return Graph(int(self.ends[-1]), np.concatenate([np.zeros((0, 2), dtype=np.int64), *edges]))

    @cached_property
    def directed(self) -> sparse.csr_array:
        """The union's edges from lower to higher degree, as `triangles.degree_ordered` has them."""
        return degree_ordered(self.union)

    @cached_property
    def cliques(self) -> CliqueLister:
        """Lists triangles and 4-cliques of the union."""
        return CliqueLister(self.directed, self.sizes)

    @cached_property
    def triangles(self) -> Ints:
        """Triangles through every node of the union, (sum of N,)."""
        counts = np.zeros(len(self.owner), dtype=np.int64)
        for found in self.cliques.triangles():
            for corner in (found.u, found.v, found.w):
                counts += np.bincount(corner, minlength=len(counts))
        return counts

    @cached_property
    def local_clustering(self) -> Floats:
        """c(v) = 2 t(v) / (d(v) (d(v) - 1)) of every node of the union, 0 where d(v) < 2."""
        degrees = self.union.degrees
        return 2 * self.triangles / np.maximum(degrees * (degrees - 1), 1)

    @cached_property
    def spectra(self) -> list[Floats]:
        """Eigenvalues of every normalised Laplacian in ascending order, up to rounding in [0, 2]."""
        if self._eigenvectors:
            return [values for values, _ in self.eigensystems]
        return [laplacian_spectrum(graph) for graph in self]

    @cached_property
    def eigensystems(self) -> list[tuple[Floats, Floats]]:
        """Eigenvalues (N,) as in `spectra` and eigenvectors in columns (N, N) of every normalised Laplacian."""
        return [laplacian_eigensystem(graph) for graph in self]

    def sums(self, values: NDArray[np.generic]) -> NDArray[np.generic]:
        """Returns the sum over the nodes of every graph of values (sum of N, K), (G, K)."""
        totals = np.zeros((len(self), *values.shape[1:]), dtype=values.dtype)
        occupied = np.flatnonzero(self.sizes)
        if len(occupied):
            totals[occupied] = np.add.reduceat(values, self.ends[occupied], axis=0)
        return totals


def laplacian_spectrum(graph: Graph) -> Floats:
    """Returns the eigenvalues of the normalised Laplacian in ascending order, up to rounding in [0, 2], (N,)."""
    if graph.num_nodes == 0:
        return np.zeros(0)
    laplacian = normalised_laplacian(graph)
    values = linalg.eigvalsh(laplacian, overwrite_a=True, check_finite=False, driver="evd")
    return np.asarray(values, dtype=np.float64)


def laplacian_eigensystem(graph: Graph) -> tuple[Floats, Floats]:
    """Returns eigenvalues (N,) as in `laplacian_spectrum` and eigenvectors in columns (N, N), float64."""
    if graph.num_nodes == 0:
        return np.zeros(0), np.zeros((0, 0))
    laplacian = normalised_laplacian(graph)
    values, vectors = linalg.eigh(laplacian, overwrite_a=True, check_finite=False, driver="evd")
    return np.asarray(values, dtype=np.float64), np.asarray(vectors, dtype=np.float64)


def normalised_laplacian(graph: Graph) -> Floats:
    """Returns I - D^-1/2 A D^-1/2 as a dense array (N, N), with zero rows for isolated nodes."""
    degrees = graph.degrees
    scale = 1.0 / np.sqrt(np.maximum(degrees, 1))
    laplacian = np.diag((degrees > 0).astype(float))
    u, v = graph.edges.T
    laplacian[u, v] = laplacian[v, u] = -scale[u] * scale[v]
    return laplacian
