"""Spectral measures of large sparse matrices by Lanczos quadrature.

k Lanczos steps from a vector x give the k-point Gauss rule of mu_x = sum_i (u_i . x)^2 delta(lambda_i): exact for
polynomials of degree 2 k - 1. With random signs for x, E mu_x = sum_i delta(lambda_i), the spectral density; with a
column of features, mu_x is the energy of that column at every graph frequency.

References:
    Golub & Meurant (2010), "Matrices, Moments and Quadrature"; Ubaru, Chen & Saad (2017), "Fast estimation of tr(f(A))
    via stochastic Lanczos quadrature".
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.linalg import eigh_tridiagonal

from sbgd.errors import InputError
from sbgd.graph import Graph
from sbgd.theory.law import Array
from sbgd.theory.spectrum import GraphMatrix, Spectrum, graph_matrix

Measure = tuple[Array, Array]


def lanczos_spectrum(
    graph: Graph,
    matrix: GraphMatrix = "normalised",
    *,
    num_probes: int = 16,
    num_steps: int = 60,
    rng: np.random.Generator,
) -> Spectrum:
    """Estimates the spectral density from random signs; extreme eigenvalues converge first.

    Raises:
        InputError: There are no probes or steps.
    """
    if num_probes < 1 or num_steps < 1:
        raise InputError(f"expected num_probes and num_steps of at least 1, got {num_probes} and {num_steps}")
    signs = rng.choice([-1.0, 1.0], size=(num_probes, graph.num_nodes))
    nodes, weights = energy_measure(graph_matrix(graph, matrix), signs, num_steps=num_steps)
    return Spectrum.of(nodes, weights, num_nodes=graph.num_nodes)


def energy_measure(matrix: sparse.csr_array, vectors: Array, *, num_steps: int = 60) -> Measure:
    """Returns nodes and weights of the Gauss rules of all `vectors` (p, N), joined; the weights sum to sum |x|^2."""
    rules = [_gauss_rule(matrix, vector, num_steps) for vector in vectors]
    nodes, weights = (np.concatenate(parts) for parts in zip(*rules, strict=True))
    return nodes, weights


def _gauss_rule(matrix: sparse.csr_array, vector: Array, num_steps: int) -> Measure:
    norm = float(np.linalg.norm(vector))
    if norm == 0:
        return np.zeros(0), np.zeros(0)
    diagonal, off = _tridiagonal(matrix, vector / norm, min(num_steps, len(vector)))
    nodes, basis = eigh_tridiagonal(diagonal, off)
    return np.asarray(nodes, np.float64), np.asarray(basis[0] ** 2 * norm**2, np.float64)


def _tridiagonal(matrix: sparse.csr_array, start: Array, num_steps: int) -> tuple[Array, Array]:
    rows = np.zeros((num_steps, len(start)))
    diagonal, off = np.zeros(num_steps), np.zeros(num_steps)
    rows[0] = start
    for step in range(num_steps):
        image = matrix @ rows[step]
        diagonal[step] = rows[step] @ image
        # twice against all earlier vectors: without it converged eigenvalues come back as ghosts
        for _ in range(2):
            image -= rows[: step + 1].T @ (rows[: step + 1] @ image)
        off[step] = np.linalg.norm(image)
        if off[step] < 1e-10 * max(1.0, np.abs(diagonal).max()) or step + 1 == num_steps:
            return diagonal[: step + 1], off[:step]
        rows[step + 1] = image / off[step]
    raise AssertionError("the loop returns in its last step")
