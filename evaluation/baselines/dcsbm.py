"""Degree-corrected stochastic block model: independent edges whose rates follow blocks and degrees.

Karrer and Newman draw a Poisson number of edges between u in block r and v in block s, of mean theta_u theta_v omega_rs
with theta_u the share of u in the degrees of its block. Here nodes are joined at most once and not to themselves, with
p_uv = min(1, theta_u theta_v omega_rs), and theta and omega are fitted to the degrees and to the edge counts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbgd.evaluation.baselines.baseline import Templates
from sbgd.evaluation.baselines.block_counts import BlockCounts, checked_assignments
from sbgd.evaluation.baselines.communities import louvain_communities
from sbgd.evaluation.baselines.expected_degrees import IndependentEdges
from sbgd.graph import Graph

Ints = NDArray[np.int64]


class DegreeCorrectedBlockModel:
    """Keeps every degree and the edge count of every block and pair of blocks in the mean.

    Other sizes are met by copies of the block graph, as `block_counts` describes, with degrees drawn with replacement
    from the block copied and scaled to its edges.

    Args:
        reference: Graphs to imitate.
        assignments: Block of every node of each reference graph, in the same order; None for Louvain communities.

    Raises:
        InputError: There is not one assignment a graph, one does not fit its graph, or a graph is too large to find
            its communities.

    References:
        Karrer and Newman, 2011, "Stochastic blockmodels and community structure in networks", arXiv:1008.3926.
    """

    name = "dcsbm"

    def __init__(self, reference: Sequence[Graph], assignments: Sequence[ArrayLike] | None = None) -> None:
        found = [louvain_communities(graph) for graph in reference] if assignments is None else assignments
        self._assignments = checked_assignments(reference, found)
        self._templates = Templates(reference)
        self._degrees = [graph.degrees for graph in reference]
        self._counts = [BlockCounts.from_assignment(*pair) for pair in zip(reference, self._assignments, strict=True)]
        fitted = zip(self._degrees, self._assignments, self._counts, strict=True)
        self._laws = [IndependentEdges.fitted(*parts) for parts in fitted]

    def sample(self, num_nodes: int, generator: np.random.Generator) -> Graph:
        """Returns one graph with exactly `num_nodes` nodes; of equal size, node v imitates node v."""
        position = self._templates.nearest(num_nodes, generator)
        law = self._laws[position]
        if len(self._degrees[position]) != num_nodes:
            law = self._resized(position, num_nodes, generator)
        return Graph.from_edges(law.sample(generator), num_nodes)

    def _resized(self, position: int, num_nodes: int, generator: np.random.Generator) -> IndependentEdges:
        counts = self._counts[position].resized(num_nodes, generator)
        degrees, blocks = _resampled(self._degrees[position], self._assignments[position], counts.sizes, generator)
        return IndependentEdges.fitted(degrees, blocks, counts)


def _resampled(degrees: Ints, blocks: Ints, sizes: Ints, generator: np.random.Generator) -> tuple[Ints, Ints]:
    """Returns degrees drawn from the block of which each is a copy, and blocks of the given sizes, both (N,)."""
    available = np.bincount(blocks)
    starts = np.cumsum(available) - available
    new_blocks = np.repeat(np.arange(len(sizes)), sizes)
    origins = new_blocks % len(available)
    drawn = starts[origins] + generator.integers(0, available[origins])
    return degrees[np.argsort(blocks, kind="stable")][drawn], new_blocks
