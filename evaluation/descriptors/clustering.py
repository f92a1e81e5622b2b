"""Clustering histogram: local clustering coefficients of all nodes in equal bins over [0, 1]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sbgd.evaluation.descriptors.descriptor import Vectors, disjoint_union, graph_index, probabilities
from sbgd.evaluation.triangles import local_clustering
from sbgd.graph import Graph


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

    def __call__(self, graphs: Sequence[Graph]) -> Vectors:
        """Returns the histograms, float64 (G, 1 + bins)."""
        coefficients = local_clustering(disjoint_union(graphs))
        owner = graph_index(graphs)
        ends = np.searchsorted(owner, np.arange(len(graphs) + 1))
        counts = np.zeros((len(graphs), self.bins))
        for row, (start, stop) in enumerate(pairwise(ends)):
            counts[row] = np.histogram(coefficients[start:stop], bins=self.bins, range=(0.0, 1.0))[0]
        return probabilities(counts, np.diff(ends), self.smoothing)
