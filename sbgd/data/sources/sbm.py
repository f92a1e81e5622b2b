"""Stochastic block models as SPECTRE draws them: 2 to 5 communities of 20 to 40 nodes.

Two nodes are joined with probability .3 within a community and .005 between two.

Reference: Martinkus, Loukas, Perraudin, Wattenhofer, 2022, arXiv:2204.01613.
"""

from __future__ import annotations

from dataclasses import dataclass

import networkx as nx
import numpy as np

from sbgd.data.sources.recipe import Recipe, edge_array
from sbgd.errors import InputError
from sbgd.graph import Graph

SEED_STRIDE = 1_000_003  # graph i of seed 0 gets edge seed i, as published; other seeds share none of them


@dataclass(frozen=True)
class SbmRecipe(Recipe):
    """Community graphs; sizes come from `seed`, the edges of graph i from `seed * 1000003 + i`.

    Attributes:
        min_communities: Fewest communities of a graph.
        max_communities: Most communities of a graph.
        min_size: Fewest nodes of a community.
        max_size: Most nodes of a community.
        p_intra: Probability of an edge within a community.
        p_inter: Probability of an edge between two.
    """

    min_communities: int = 2
    max_communities: int = 5
    min_size: int = 20
    max_size: int = 40
    p_intra: float = 0.3
    p_inter: float = 0.005

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (1 <= self.min_communities <= self.max_communities and 1 <= self.min_size <= self.max_size):
            raise InputError(f"expected min_ at least 1 and at most max_, got {self}")
        if not (0 <= self.p_intra <= 1 and 0 <= self.p_inter <= 1):
            raise InputError(f"expected probabilities in 0..1, got {self}")

    def draw(self) -> list[Graph]:
        """Draws `num_graphs` graphs."""
        generator = np.random.default_rng(self.seed)
        return [self._graph(generator, self.seed * SEED_STRIDE + i) for i in range(self.num_graphs)]

    def _graph(self, generator: np.random.Generator, edge_seed: int) -> Graph:
        num_communities = int(generator.integers(self.min_communities, self.max_communities, endpoint=True))
        sizes = generator.integers(self.min_size, self.max_size, num_communities, endpoint=True).tolist()
        probabilities = np.full((num_communities, num_communities), self.p_inter)
        np.fill_diagonal(probabilities, self.p_intra)
        graph = nx.stochastic_block_model(sizes, probabilities.tolist(), seed=edge_seed)
        return Graph.from_edges(edge_array(list(graph.edges())), sum(sizes))
