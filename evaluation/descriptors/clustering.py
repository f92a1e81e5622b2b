"""Clustering histogram: local clustering coefficients of all nodes in equal bins over [0, 1]."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from sbgd.evaluation.descriptors.descriptor import Vectors, probabilities
from sbgd.evaluation.graph_set import GraphSet


@dataclass(frozen=True)
class ClusteringHistogram:
    """Share of nodes by local clustering coefficient, (G, 1 + bins); column 0 is for graphs without nodes.

    Nodes of degree below 2 have coefficient 0. The last bin is closed.

    Attributes:
        bins: Number of bins over [0, 1].
        smoothing: Added to the sum that divides the counts; 0, or 1e-6 as in SPECTRE.

    References:
        You et al., 2018, "GraphRNN", arXiv:1802.08773.
    """

    bins: int = 100
    smoothing: float = 0.0
    uses_eigenvectors: ClassVar[bool] = False

    def __call__(self, graphs: GraphSet) -> Vectors:
        """Returns the histograms, float64 (G, 1 + bins)."""
        graphs = GraphSet.of(graphs)
        counts = np.zeros((len(graphs), self.bins))
        for row, (start, stop) in enumerate(pairwise(graphs.ends)):
            coefficients = graphs.local_clustering[start:stop]
            counts[row] = np.histogram(coefficients, bins=self.bins, range=(0.0, 1.0))[0]
        return probabilities(counts, graphs.sizes, self.smoothing)
