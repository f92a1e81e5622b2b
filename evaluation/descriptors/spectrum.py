"""Spectrum histogram: eigenvalues of the normalised Laplacian L = I - D^-1/2 A D^-1/2 in equal bins over [0, 2]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sbgd.evaluation.descriptors.descriptor import BudgetError, Vectors, probabilities
from sbgd.evaluation.graph_set import GraphSet

_DIGITS = 9
"""Decimals of an eigenvalue that count: far below the width of a bin, far above the error of a dense solver."""


@dataclass(frozen=True)
class SpectrumHistogram:
    """Share of eigenvalues by size, (G, 1 + bins); column 0 is for graphs without nodes.

    An isolated node has eigenvalue 0. A bipartite component has eigenvalue 2 up to rounding, which is clipped to 2.
    Eigenvalues are rounded to 9 digits, so that rational ones on the edge of a bin do not depend on the linear algebra
    library.

    Attributes:
        bins: Number of bins over [lowest, 2].
        lowest: Lower end of the first bin; -1e-5, or 0 as in O'Bray et al., 2022.
        max_nodes: Largest graph whose dense spectrum, of cost N^3, is computed.
        smoothing: Added to the unit sum that divides the shares; 0, or 1e-6 as in SPECTRE.
        clip: False to take eigenvalues as they are and let those that rounding put above 2 drop out of the histogram,
            as all sources do; which ones are lost depends on the linear algebra library.

    References:
        Liao et al., 2019, "Efficient graph generation with graph recurrent attention networks", arXiv:1910.00760.
    """

    bins: int = 200
    lowest: float = -1e-5
    max_nodes: int = 1500
    smoothing: float = 0.0
    clip: bool = True
    uses_eigenvectors: ClassVar[bool] = False

    def __call__(self, graphs: GraphSet) -> Vectors:
        """Returns the histograms, float64 (G, 1 + bins).

        Raises:
            BudgetError: A graph has more than `max_nodes` nodes.
        """
        graphs = GraphSet.of(graphs)
        largest = int(graphs.sizes.max(initial=0))
        if largest > self.max_nodes:
            raise BudgetError(f"the dense spectrum is limited to {self.max_nodes} nodes, got {largest}")
        counts = np.zeros((len(graphs), self.bins))
        for row, values in enumerate(graphs.spectra):
            kept = np.clip(values, 0.0, 2.0).round(_DIGITS) if self.clip else values
            counts[row] = np.histogram(kept, bins=self.bins, range=(self.lowest, 2.0))[0]
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        return probabilities(shares, graphs.sizes, self.smoothing)
