"""Uniformly random labelled trees, by Pruefer sequences; the defaults give exactly the published benchmark.

A tree on n nodes is a sequence of n - 2 nodes, each tree one sequence, so uniform sequences are uniform trees.

Reference: Bergmeister, Martinkus, Perraudin, Wattenhofer, 2023, arXiv:2312.11529.
"""

from __future__ import annotations

from dataclasses import dataclass

import networkx as nx
import numpy as np

from sbgd.data.sources.recipe import Recipe, edge_array
from sbgd.errors import InputError
from sbgd.graph import Graph

SEEDS_PER_COLLECTION = 3


@dataclass(frozen=True)
class TreeRecipe(Recipe):
    """Trees; training, validation and test graphs come from seeds 3 `seed`, 3 `seed` + 1 and 3 `seed` + 2.

    Attributes:
        num_nodes: Nodes of every tree.
    """

    num_nodes: int = 64

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.num_nodes < 2:
            raise InputError(f"expected trees of at least 2 nodes, got num_nodes={self.num_nodes}")

    def draw(self) -> list[Graph]:
        """Draws `num_graphs` graphs."""
        first_seed = SEEDS_PER_COLLECTION * self.seed
        generators = [np.random.default_rng(first_seed + part) for part in range(SEEDS_PER_COLLECTION)]
        return [
            self._graph(generator)
            for generator, size in zip(generators, self.part_sizes(), strict=True)
            for _ in range(size)
        ]

    def _graph(self, generator: np.random.Generator) -> Graph:
        sequence = generator.integers(0, self.num_nodes, self.num_nodes - 2).tolist()
        return Graph.from_edges(edge_array(list(nx.from_prufer_sequence(sequence).edges())), self.num_nodes)
