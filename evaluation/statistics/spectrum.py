"""Spectral density of the normalised Laplacian L = I - H, H = D^-1/2 A D^-1/2, on [0, 2]; isolated nodes have 0.

Exact from the eigenvalues of small graphs. Of larger ones the Chebyshev moments mu_k = tr T_k(H) / n over the n nodes
with an edge are estimated by v^T T_k(H) v / n with random signs v, two a product by 2 T_i T_j = T_(i+j) + T_|i-j|. With
Jackson's damping g_k and cos theta = 1 - lambda, the share of their eigenvalues up to lambda is
(theta + 2 sum_k g_k mu_k sin(k theta) / k) / pi.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sbgd.evaluation.graph_set import laplacian_spectrum
from sbgd.graph import Graph

Floats = NDArray[np.float64]
Block = NDArray[np.float32]

MAX_EXACT_NODES = 1500
"""Largest graph whose eigenvalues are computed."""


@dataclass(frozen=True)
class SpectralDensity:
    """Shares of eigenvalues on a grid.

    Attributes:
        edges: Ends (B + 1,) of equal bins over [0, 2].
        cumulative: Share of eigenvalues (B + 1,) from 0 up to every end; 0 at the first, where the first bin begins.
        standard_error: Of the shares, (B + 1,), from the random vectors; None where the eigenvalues are exact.
    """

    edges: Floats
    cumulative: Floats
    standard_error: Floats | None = None

    @property
    def histogram(self) -> Floats:
        """Share of eigenvalues in every bin, (B,)."""
        return np.diff(self.cumulative)


def spectral_density(
    graph: Graph,
    *,
    bins: int = 200,
    max_exact_nodes: int = MAX_EXACT_NODES,
    num_moments: int = 200,
    num_probes: int = 8,
    generator: np.random.Generator | None = None,
) -> SpectralDensity:
    """Returns the spectral density, smoothed over about pi / num_moments where the graph is large.

    Args:
        graph: Graph of N >= 1 nodes.
        bins: Number of bins.
        max_exact_nodes: Largest N for which the eigenvalues are computed.
        num_moments: Chebyshev moments, even.
        num_probes: Random vectors, at least 2.
        generator: Source of randomness for them; seed 0 by default.

    References:
        Weisse, Wellein, Alvermann and Fehske, 2006, "The kernel polynomial method", doi 10.1103/RevModPhys.78.275,
        eq. 30, 38 and 71.
    """
    edges = np.linspace(0.0, 2.0, bins + 1)
    if graph.num_nodes <= max_exact_nodes:
        return SpectralDensity(edges, _exact_shares(graph, edges))
    moments = chebyshev_moments(
        graph, num_moments=num_moments, num_probes=num_probes, generator=generator or np.random.default_rng(0)
    )
    isolated = float((graph.degrees == 0).mean())
    shares = (1 - isolated) * _smoothed_shares(moments, edges) + isolated * (edges > 0)
    return SpectralDensity(edges, shares.mean(axis=0), shares.std(axis=0, ddof=1) / np.sqrt(num_probes))


def mean_density(densities: Sequence[SpectralDensity]) -> SpectralDensity:
    """Returns the mean over graphs, on their common grid; exact ones have no error."""
    errors = [np.zeros_like(d.edges) if d.standard_error is None else d.standard_error for d in densities]
    squared = np.sum(np.square(errors), axis=0)
    error = np.sqrt(squared) / len(densities) if squared.any() else None
    return SpectralDensity(densities[0].edges, np.mean([d.cumulative for d in densities], axis=0), error)


def chebyshev_moments(
    graph: Graph, *, num_moments: int = 200, num_probes: int = 8, generator: np.random.Generator
) -> Floats:
    """Estimates mu_0, mu_1, ... over the nodes with an edge, a row a random vector, float64 (P, num_moments)."""
    occupied = np.flatnonzero(graph.degrees)
    H = _scaled_adjacency(graph, occupied)
    before = generator.choice(np.array([-1, 1], dtype=np.float32), size=(len(occupied), num_probes))
    last = H @ before
    first, second = np.full(num_probes, float(len(occupied))), _products(last, before)
    moments = [first, second]
    while len(moments) < num_moments:
        moments.append(2 * _products(last, last) - first)
        before *= -1
        before += 2 * (H @ last)
        before, last = last, before
        moments.append(2 * _products(last, before) - second)
    return np.stack(moments, axis=1)[:, :num_moments] / max(len(occupied), 1)


def _exact_shares(graph: Graph, edges: Floats) -> Floats:
    # rounding would put equal eigenvalues, such as many ones of a star, on both sides of the end of a bin
    values = np.sort(np.clip(laplacian_spectrum(graph).round(9), 0.0, 2.0))
    shares = np.searchsorted(values, edges.round(9), side="right") / graph.num_nodes
    shares[0] = 0.0
    return np.asarray(shares, dtype=np.float64)


def _smoothed_shares(moments: Floats, edges: Floats) -> Floats:
    """Returns the share of eigenvalues up to every edge, float64 (P, B + 1)."""
    num_moments = moments.shape[1]
    k = np.arange(1, num_moments)
    theta = np.arccos(np.clip(1 - edges, -1.0, 1.0))
    waves = np.sin(np.outer(k, theta)) / k[:, None]
    return np.asarray((theta + 2 * (jackson_damping(num_moments)[1:] * moments[:, 1:]) @ waves) / np.pi)


def jackson_damping(num_moments: int) -> Floats:
    """Returns the factors g_k that keep the truncated series positive, (num_moments,)."""
    k, q = np.arange(num_moments), np.pi / (num_moments + 1)
    return np.asarray(((num_moments - k + 1) * np.cos(q * k) + np.sin(q * k) / np.tan(q)) / (num_moments + 1))


def _scaled_adjacency(graph: Graph, occupied: NDArray[np.int64]) -> sparse.csr_array:
    """Returns H of the nodes with an edge as float32: half the memory of float64, and its errors stay near 1e-6."""
    scale = 1 / np.sqrt(np.maximum(graph.degrees, 1))
    A = graph.to_scipy()
    A.data = np.repeat(scale, np.diff(A.indptr)) * scale[A.indices]
    H = A if len(occupied) == graph.num_nodes else sparse.csr_array(A[occupied][:, occupied])
    return sparse.csr_array(H.astype(np.float32))


def _products(left: Block, right: Block) -> Floats:
    """Returns the inner products of columns, summed in float64, (P,)."""
    return np.asarray(np.einsum("nk,nk->k", left, right, dtype=np.float64), dtype=np.float64)
