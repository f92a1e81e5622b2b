"""Blocks of the right density and no network: a stochastic block model with exact edge counts.

Given a partition of a reference graph into blocks with n_i nodes, m_i inner edges and e_ij edges between, draws m_i
pairs inside block i and e_ij between blocks i and j, all uniformly.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from sbgd.evaluation.baselines.baseline import Templates
from sbgd.evaluation.baselines.block_counts import BlockCounts, checked_assignments
from sbgd.graph import Graph


class DensityBlocks:
    """Keeps the edge count of every block and of every pair of blocks of a reference graph of the nearest size.

    Other sizes are met by copies of the block graph, as `block_counts` describes, which keeps the mean degree.

    Args:
        reference: Graphs to imitate.
        assignments: Block of every node of each reference graph, in the same order.

    Raises:
        InputError: There is not one assignment a graph, or one does not fit its graph.
    """

    name = "density_blocks"

    def __init__(self, reference: Sequence[Graph], assignments: Sequence[ArrayLike]) -> None:
        checked = checked_assignments(reference, assignments)
        self._templates = Templates(reference)
        self._blocks = [BlockCounts.from_assignment(*pair) for pair in zip(reference, checked, strict=True)]

    def sample(self, num_nodes: int, generator: np.random.Generator) -> Graph:
        """Returns one graph with exactly `num_nodes` nodes."""
        blocks = self._blocks[self._templates.nearest(num_nodes, generator)]
        return Graph.from_edges(blocks.resized(num_nodes, generator).edges(generator), num_nodes)
