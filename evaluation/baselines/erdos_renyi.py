"""Erdos-Renyi graphs G(n, m): exactly m edges, all sets of m pairs equally likely."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sbgd.evaluation.baselines.baseline import Templates
from sbgd.evaluation.baselines.cells import distinct_cells, triangle_pairs
from sbgd.graph import Graph


class ErdosRenyi:
    """Keeps the number of edges of a reference graph of the nearest size; for another size its mean degree.

    Args:
        reference: Graphs to imitate.
    """

    name = "erdos_renyi"

    def __init__(self, reference: Sequence[Graph]) -> None:
        self._templates = Templates(reference)
        self._reference = reference

    def sample(self, num_nodes: int, generator: np.random.Generator) -> Graph:
        """Returns one graph with exactly `num_nodes` nodes."""
        template = self._reference[self._templates.nearest(num_nodes, generator)]
        capacity = num_nodes * (num_nodes - 1) // 2
        count = min(round(template.num_edges * num_nodes / template.num_nodes), capacity)
        _, cells = distinct_cells(np.array([capacity]), np.array([count]), generator)
        return Graph.from_edges(np.stack(triangle_pairs(cells), axis=1), num_nodes)
