"""Wavelet histogram: energies of 12 graph filters g_f at every node, h[f, i] = |g_f(L) e_i|^2.

With L = U diag(lambda) U^T the normalised Laplacian, h[f, i] = sum_k U_ik^2 g_f(lambda_k)^2. The filters are one
low-pass exp(-(x / 0.06)^4) and 11 band-passes b(s x) at logarithmic scales s from 20 to 1/2, where b rises as x^2 up to
1, falls as 4 / x^2 from 2 on, and is the cubic in between that fits values and slopes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.descriptors.descriptor import BudgetError, Vectors, probabilities
from sbgd.evaluation.graph_set import GraphSet

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
    uses_eigenvectors: ClassVar[bool] = True

    def __call__(self, graphs: GraphSet) -> Vectors:
        """Returns the histograms, float64 (G, 1 + 12 bins).

        Raises:
            BudgetError: A graph has more than `max_nodes` nodes.
        """
        graphs = GraphSet.of(graphs)
        largest = int(graphs.sizes.max(initial=0))
        if largest > self.max_nodes:
            raise BudgetError(f"the dense eigenvectors are limited to {self.max_nodes} nodes, got {largest}")
        counts = np.zeros((len(graphs), NUM_FILTERS * self.bins))
        for row, (values, vectors) in enumerate(graphs.eigensystems):
            counts[row] = _histograms(wavelet_energies(values, vectors), self.bins)
        return probabilities(counts, graphs.sizes, self.smoothing)


def filter_bank(eigenvalues: Floats) -> Floats:
    """Returns the 12 filters at the eigenvalues, float64 (12, N)."""
    scales = np.geomspace(20.0, 0.5, NUM_FILTERS - 1)
    low_pass = _PEAK * np.exp(-((eigenvalues / 0.06) ** 4))
    return np.concatenate([low_pass[None, :], _band_pass(scales[:, None] * eigenvalues)])


def wavelet_energies(eigenvalues: Floats, eigenvectors: Floats) -> Floats:
    """Returns the energy of every filter at every node, float64 (12, N)."""
    return filter_bank(np.clip(eigenvalues, 0.0, 2.0)) ** 2 @ (eigenvectors**2).T


def _histograms(energies: Floats, bins: int) -> Floats:
    """Returns one histogram over [0, peak] for every filter, side by side, (12 bins,)."""
    edges = np.linspace(0.0, _PEAK, bins + 1)
    inside = energies <= _PEAK
    bin_of = np.clip(np.searchsorted(edges, energies, side="right") - 1, 0, bins - 1)
    cell = bin_of + bins * np.arange(NUM_FILTERS)[:, None]
    return np.bincount(cell[inside], minlength=NUM_FILTERS * bins).astype(float)


def _band_pass(x: Floats) -> Floats:
    middle = np.polynomial.polynomial.polyval(x, _CUBIC)
    return np.where(x <= 1, x**2, np.where(x < 2, middle, 4 / np.maximum(x, 1) ** 2))
