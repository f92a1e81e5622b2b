"""Stochastic block model: every pair of nodes is joined independently, with a probability that the two blocks set.

With n_i nodes and m_i edges in block i and e_ij edges between blocks i and j,

    p_ii = 2 m_i / (n_i (n_i - 1)),    p_ij = e_ij / (n_i n_j).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from sbgd.evaluation.baselines.baseline import Templates
from sbgd.evaluation.baselines.block_counts import BlockCounts, checked_assignments
from sbgd.evaluation.baselines.communities import louvain_communities
from sbgd.graph import Graph


class StochasticBlockModel:
    """Keeps the density of every block and of every pair of blocks in the mean.

    Other sizes are met by copies of the block graph, as `block_counts` describes, which keeps the mean degree.

    Args:
        reference: Graphs to imitate.
        assignments: Block of every node of each reference graph, in the same order; None for Louvain communities.

    Raises:
        InputError: There is not one assignment a graph, one does not fit its graph, or a graph is too large to find
            its communities.

    References:
        Holland, Laskey and Leinhardt, 1983, "Stochastic blockmodels: first steps", doi 10.1016/0378-8733(83)90021-7.
    """

    name = "sbm"

    def __init__(self, reference: Sequence[Graph], assignments: Sequence[ArrayLike] | None = None) -> None:
        found = [louvain_communities(graph) for graph in reference] if assignments is None else assignments
        checked = checked_assignments(reference, found)
        self._templates = Templates(reference)
        self._blocks = [BlockCounts.from_assignment(*pair) for pair in zip(reference, checked, strict=True)]

    def sample(self, num_nodes: int, generator: np.random.Generator) -> Graph:
        """Returns one graph with exactly `num_nodes` nodes, numbered block after block."""
        blocks = self._blocks[self._templates.nearest(num_nodes, generator)].resized(num_nodes, generator)
        return Graph.from_edges(_redrawn(blocks, generator).edges(generator), num_nodes)


def _redrawn(blocks: BlockCounts, generator: np.random.Generator) -> BlockCounts:
    """Draws every count anew from the binomial law of which it is the mean."""
    inner, between = blocks.capacities
    return replace(
        blocks,
        inner=generator.binomial(inner, blocks.inner / np.maximum(inner, 1)),
        between=generator.binomial(between, blocks.between / np.maximum(between, 1)),
    )
