"""4-cycle motif: how many induced 4-cycles there are, in the form in which the field reports it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sbgd.evaluation.descriptors.descriptor import Vectors
from sbgd.evaluation.descriptors.orbits import orbit_counts
from sbgd.evaluation.graph_set import GraphSet

_FOUR_CYCLE = 8
"""Orbit of the nodes of an induced 4-cycle."""


@dataclass(frozen=True)
class FourCycles:
    """Mean over nodes of the induced 4-cycles through a node, (G, 1); 0 for graphs without nodes.

    Attributes:
        max_work: Limit of the orbit count, as in `OrbitCounts`.

    References:
        You et al., 2018, "GraphRNN", arXiv:1802.08773, whose `motif_stats` this is with motif "4cycle".
    """

    max_work: int = 300_000_000
    uses_eigenvectors: ClassVar[bool] = False

    def __call__(self, graphs: GraphSet) -> Vectors:
        """Returns the means, float64 (G, 1).

        Raises:
            BudgetError: The graphs have too many wedges or too many 4-cliques.
        """
        graphs = GraphSet.of(graphs)
        through = orbit_counts(graphs, max_work=self.max_work)[:, [_FOUR_CYCLE]]
        return graphs.sums(through) / np.maximum(graphs.sizes, 1)[:, None]
