"""The eigenvalues of a graph, all a covariance that is a function of its adjacency needs to know of it.

Let S = D^-1/2 A D^-1/2. Then |lambda(S)| <= 1 (Chung 1997, "Spectral Graph Theory", Lemma 1.7), whatever the degrees,
while max(mean degree, sqrt(d_max)) <= lambda_max(A) <= d_max (Rayleigh quotients of the constant vector and of a star,
and Perron-Frobenius). For random graphs with given expected degrees lambda_max(A) is about
max(sqrt(d_max), sum d^2 / sum d), where these two are far enough apart (Chung, Lu & Vu 2003, PNAS 100:6313).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sbgd.errors import InputError
from sbgd.graph import Graph
from sbgd.theory.law import Array

GraphMatrix = Literal["normalised", "adjacency", "laplacian"]
MATRICES: tuple[GraphMatrix, ...] = ("normalised", "adjacency", "laplacian")
MAX_DENSE_NODES = 5000


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Eigenvalues with weights, exact or a quadrature of the spectral density.

    Build one with `Spectrum.of`, `exact_spectrum` or `lanczos_spectrum`; the constructor trusts its arguments.

    Attributes:
        eigenvalues: float64 (m,).
        weights: float64 (m,): how many of the N eigenvalues each stands for, in sum N.
    """

    eigenvalues: Array
    weights: Array

    @classmethod
    def of(cls, eigenvalues: ArrayLike, weights: ArrayLike | None = None, *, num_nodes: int | None = None) -> Spectrum:
        """Builds a spectrum from a sample or a histogram of eigenvalues.

        Args:
            eigenvalues: Values (m,).
            weights: Relative weights (m,), equal by default; those that are 0 are dropped.
            num_nodes: Number N that the weights are scaled to sum to; by default they are taken as they are.

        Raises:
            InputError: No eigenvalue has weight, a value is not finite, or a weight is negative.
        """
        values = np.asarray(eigenvalues, np.float64).ravel()
        shares = np.ones_like(values) if weights is None else np.asarray(weights, np.float64).ravel()
        if shares.shape != values.shape or not np.all(np.isfinite([values, shares])) or np.any(shares < 0):
            raise InputError(
                f"expected finite eigenvalues and as many weights of at least 0, got {values.size} and {shares.size}"
            )
        kept = shares > 0
        if not kept.any():
            raise InputError("expected at least one eigenvalue with weight, got none")
        scale = 1.0 if num_nodes is None else num_nodes / shares.sum()
        return cls(values[kept], shares[kept] * scale)

    @property
    def num_nodes(self) -> float:
        """Number of nodes N."""
        return float(self.weights.sum())

    @property
    def radius(self) -> float:
        """The largest |lambda|."""
        return float(np.abs(self.eigenvalues).max())


def graph_matrix(graph: Graph, matrix: GraphMatrix = "normalised") -> sparse.csr_array:
    """Returns S, A or D - A as float64 CSR (N, N); isolated nodes have zero rows in all three.

    Raises:
        InputError: There is no such matrix, or the graph has no node.
    """
    if matrix not in MATRICES:
        raise InputError(f"expected a matrix among {', '.join(MATRICES)}, got {matrix!r}")
    if graph.num_nodes == 0:
        raise InputError("expected a graph with nodes, got an empty one")
    adjacency, degrees = graph.to_scipy(), graph.degrees.astype(np.float64)
    if matrix == "adjacency":
        return adjacency
    if matrix == "laplacian":
        return sparse.csr_array(sparse.diags_array(degrees) - adjacency)
    roots = sparse.diags_array(np.divide(1.0, np.sqrt(degrees), out=np.zeros_like(degrees), where=degrees > 0))
    return sparse.csr_array(roots @ adjacency @ roots)


def exact_spectrum(graph: Graph, matrix: GraphMatrix = "normalised") -> Spectrum:
    """Returns all N eigenvalues by a dense decomposition, O(N^3).

    Raises:
        InputError: The graph has more than 5,000 nodes.
    """
    if graph.num_nodes > MAX_DENSE_NODES:
        raise InputError(
            f"expected at most {MAX_DENSE_NODES} nodes for a dense decomposition, got {graph.num_nodes}; "
            "use lanczos_spectrum"
        )
    return Spectrum.of(np.linalg.eigvalsh(graph_matrix(graph, matrix).toarray()))
