"""Degree histogram: phi(G)[1 + d] = share of nodes with degree d."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sbgd.evaluation.descriptors.descriptor import Vectors, probabilities
from sbgd.evaluation.graph_set import GraphSet


@dataclass(frozen=True)
class DegreeHistogram:
    """Share of nodes of each degree, (G, 2 + largest degree); column 0 is for graphs without nodes.

    Attributes:
        smoothing: Added to the sum that divides the counts; 0, or 1e-6 as in SPECTRE.

    References:
        You et al., 2018, "GraphRNN", arXiv:1802.08773.
    """

    smoothing: float = 0.0
    uses_eigenvectors: ClassVar[bool] = False

    def __call__(self, graphs: GraphSet) -> Vectors:
        """Returns the histograms, float64 (G, 2 + largest degree)."""
        graphs = GraphSet.of(graphs)
        degrees = graphs.union.degrees
        counts = np.zeros((len(graphs), int(degrees.max(initial=0)) + 1))
        np.add.at(counts, (graphs.owner, degrees), 1.0)
        return probabilities(counts, graphs.sizes, self.smoothing)
