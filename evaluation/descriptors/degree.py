"""Degree histogram: phi(G)[1 + d] = share of nodes with degree d."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sbgd.evaluation.descriptors.descriptor import Vectors, disjoint_union, graph_index, probabilities
from sbgd.graph import Graph


@dataclass(frozen=True)
class DegreeHistogram:
    """Share of nodes of each degree, (G, 2 + largest degree); column 0 is for graphs without nodes.

    Attributes:
        smoothing: Added to the sum that divides the counts; 0, or 1e-6 as in SPECTRE.

    References:
        You et al., 2018, "GraphRNN", arXiv:1802.08773.
    """

    smoothing: float = 0.0

    def __call__(self, graphs: Sequence[Graph]) -> Vectors:
        """Returns the histograms, float64 (G, 2 + largest degree)."""
        degrees = disjoint_union(graphs).degrees
        counts = np.zeros((len(graphs), int(degrees.max(initial=0)) + 1))
        np.add.at(counts, (graph_index(graphs), degrees), 1.0)
        return probabilities(counts, np.array([graph.num_nodes for graph in graphs]), self.smoothing)
