"""Chung-Lu graphs: independent edges with p_uv = min(1, w_u w_v / W), W the sum of all weights w.

Chung and Lu take the degrees as weights. Hubs then fall short of their degrees, by w_u^2 / W for the loop that a simple
graph lacks and by all that the minimum cuts off, so the weights are fitted until the expected degrees are the degrees.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.baselines.baseline import Templates
from sbgd.evaluation.baselines.block_counts import BlockCounts
from sbgd.evaluation.baselines.expected_degrees import IndependentEdges
from sbgd.graph import Graph


class ChungLu:
    """Keeps every degree of a reference graph of the nearest size in the mean.

    For another size degrees are drawn with replacement from that graph. A graph whose nodes all have one degree gives
    Erdos-Renyi graphs with independent edges.

    Args:
        reference: Graphs to imitate.

    References:
        Chung and Lu, 2002, "Connected components in random graphs with given expected degree sequences",
        doi 10.1007/PL00012580.
    """

    name = "chung_lu"

    def __init__(self, reference: Sequence[Graph]) -> None:
        self._templates = Templates(reference)
        self._degrees = [graph.degrees for graph in reference]
        self._laws = [_law(degrees) for degrees in self._degrees]

    def sample(self, num_nodes: int, generator: np.random.Generator) -> Graph:
        """Returns one graph with exactly `num_nodes` nodes; of equal size, node v imitates node v."""
        position = self._templates.nearest(num_nodes, generator)
        degrees, law = self._degrees[position], self._laws[position]
        if len(degrees) != num_nodes:
            law = _law(np.minimum(generator.choice(degrees, size=num_nodes), max(num_nodes - 1, 0)))
        return Graph.from_edges(law.sample(generator), num_nodes)


def _law(degrees: NDArray[np.int64]) -> IndependentEdges:
    no_pairs = np.zeros((0, 2), dtype=np.int64)
    counts = BlockCounts(np.array([len(degrees)]), np.array([degrees.sum() // 2]), no_pairs, no_pairs[:, 0])
    return IndependentEdges.fitted(degrees, np.zeros_like(degrees), counts)
