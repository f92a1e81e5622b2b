"""Wavelet histogram: energies of 12 graph filters g_f at every node, h[f, i] = |g_f(L) e_i|^2.

With L = U diag(lambda) U^T the normalised Laplacian, h[f, i] = sum_k U_ik^2 g_f(lambda_k)^2. The filters are one
low-pass exp(-(x / 0.06)^4) and 11 band-passes b(s x) at logarithmic scales s from 20 to 1/2, where b rises as x^2 up to
1, falls as 4 / x^2 from 2 on, and is the cubic in between that fits values and slopes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from sbgd.evaluation.descriptors.descriptor import BudgetError, Vectors, probabilities
from sbgd.evaluation.descriptors.spectrum import normalised_laplacian
from sbgd.graph import Graph

Floats = NDArray[np.float64]

NUM_FILTERS = 12

_CUBIC = np.array([-5.0, 11.0, -6.0, 1.0])
"""Coefficients of the cubic with b(1) = b(2) = 1, b'(1) = 2, b'(2) = -1, constant first."""

_PEAK_AT = (6 - np.sqrt(3)) / 3
_PEAK = float(np.polynomial.polynomial.polyval(_PEAK_AT, _CUBIC))
"""Largest value of b, also the height of the low-pass and the upper end of the histograms."""


@dataclass(frozen=True)
class WaveletHistogram:
    """Share of (filter, node) pairs by energy, (G, 1 + 12 bins); column 0 is for graphs without nodes.

    Energies above the largest filter value are left out, as in SPECTRE.

    Attributes:
        bins: Number of bins of each filter over [0, 1.385].
        max_nodes: Largest graph whose dense eigenvectors, of cost N^3, are computed.
        smoothing: Added to the sum that divides the counts; 0, or 1e-6 as in SPECTRE.

    References:
        Martinkus et al., 2022, "SPECTRE", arXiv:2204.01613; Hammond, Vandergheynst and Gribonval, 2011,
        arXiv:0912.3848, for the filters.
    """

    bins: int = 100
    max_nodes: int = 1500
    smoothing: float = 0.0

    def __call__(self, graphs: Sequence[Graph]) -> Vectors:
        """Returns the histograms, float64 (G, 1 + 12 bins).

        Raises:
            BudgetError: A graph has more than `max_nodes` nodes.
        """
        sizes = np.array([graph.num_nodes for graph in graphs], dtype=np.int64)
        if sizes.max(initial=0) > self.max_nodes:
            raise BudgetError(f"the dense eigenvectors are limited to {self.max_nodes} nodes, got {sizes.max()}")
        counts = np.zeros((len(graphs), NUM_FILTERS, self.bins))
        for row, graph in enumerate(graphs):
            for index, energies in enumerate(wavelet_energies(graph)):
                counts[row, index] = np.histogram(energies, bins=self.bins, range=(0.0, _PEAK))[0]
        return probabilities(counts.reshape(len(graphs), -1), sizes, self.smoothing)


def filter_bank(eigenvalues: Floats) -> Floats:
    """Returns the 12 filters at the eigenvalues, float64 (12, N)."""
    scales = np.geomspace(20.0, 0.5, NUM_FILTERS - 1)
    low_pass = _PEAK * np.exp(-((eigenvalues / 0.06) ** 4))
    return np.concatenate([low_pass[None, :], _band_pass(scales[:, None] * eigenvalues)])


def wavelet_energies(graph: Graph) -> Floats:
    """Returns the energy of every filter at every node, float64 (12, N)."""
    if graph.num_nodes == 0:
        return np.zeros((NUM_FILTERS, 0))
    eigenvalues, vectors = linalg.eigh(normalised_laplacian(graph))
    return np.asarray(filter_bank(np.clip(eigenvalues, 0.0, 2.0)) ** 2 @ (vectors**2).T, dtype=np.float64)


def _band_pass(x: Floats) -> Floats:
    middle = np.polynomial.polynomial.polyval(x, _CUBIC)
    return np.where(x <= 1, x**2, np.where(x < 2, middle, 4 / np.maximum(x, 1) ** 2))
