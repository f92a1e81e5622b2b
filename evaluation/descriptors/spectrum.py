"""Spectrum histogram: eigenvalues of the normalised Laplacian L = I - D^-1/2 A D^-1/2 in equal bins over [0, 2]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from sbgd.evaluation.descriptors.descriptor import BudgetError, Vectors, probabilities
from sbgd.graph import Graph


@dataclass(frozen=True)
class SpectrumHistogram:
    """Share of eigenvalues by size, (G, 1 + bins); column 0 is for graphs without nodes.

    An isolated node has eigenvalue 0. Eigenvalues are clipped to [0, 2]: a bipartite component has eigenvalue 2 up to
    rounding, and what lies above the last edge would drop out of the histogram on some machines.

    Attributes:
        bins: Number of bins over (-1e-5, 2).
        max_nodes: Largest graph whose dense spectrum, of cost N^3, is computed.
        smoothing: Added to the unit sum that divides the shares; 0, or 1e-6 as in SPECTRE.

    References:
        Liao et al., 2019, "Efficient graph generation with graph recurrent attention networks", arXiv:1910.00760.
    """

    bins: int = 200
    max_nodes: int = 1500
    smoothing: float = 0.0

    def __call__(self, graphs: Sequence[Graph]) -> Vectors:
        """Returns the histograms, float64 (G, 1 + bins).

        Raises:
            BudgetError: A graph has more than `max_nodes` nodes.
        """
        sizes = np.array([graph.num_nodes for graph in graphs], dtype=np.int64)
        if sizes.max(initial=0) > self.max_nodes:
            raise BudgetError(f"the dense spectrum is limited to {self.max_nodes} nodes, got {sizes.max()}")
        shares = np.zeros((len(graphs), self.bins))
        for row, graph in enumerate(graphs):
            counts = np.histogram(laplacian_spectrum(graph), bins=self.bins, range=(-1e-5, 2.0))[0]
            shares[row] = counts / max(graph.num_nodes, 1)
        return probabilities(shares, sizes, self.smoothing)


def laplacian_spectrum(graph: Graph) -> NDArray[np.float64]:
    """Returns the eigenvalues of the normalised Laplacian in ascending order, in [0, 2], float64 (N,)."""
    if graph.num_nodes == 0:
        return np.zeros(0)
    return np.clip(np.asarray(linalg.eigvalsh(normalised_laplacian(graph)), dtype=np.float64), 0.0, 2.0)


def normalised_laplacian(graph: Graph) -> NDArray[np.float64]:
    """Returns I - D^-1/2 A D^-1/2 as a dense array (N, N), with zero rows for isolated nodes."""
    degrees = graph.degrees
    scale = 1.0 / np.sqrt(np.maximum(degrees, 1))
    laplacian = np.diag((degrees > 0).astype(float))
    u, v = graph.edges.T
    laplacian[u, v] = laplacian[v, u] = -scale[u] * scale[v]
    return laplacian
