"""Planar graphs: Delaunay triangulations of points drawn uniformly from the unit square.

Reference: Martinkus, Loukas, Perraudin, Wattenhofer, 2022, arXiv:2204.01613.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import Delaunay

from sbgd.data.sources.recipe import Recipe
from sbgd.errors import InputError
from sbgd.graph import Graph


@dataclass(frozen=True)
class PlanarRecipe(Recipe):
    """Triangulations, all from one stream of `seed`.

    Attributes:
        num_nodes: Points of every graph.
    """

    num_nodes: int = 64

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.num_nodes < 3:
            raise InputError(f"expected at least 3 points to triangulate, got num_nodes={self.num_nodes}")

    def draw(self) -> list[Graph]:
        """Draws `num_graphs` graphs."""
        generator = np.random.default_rng(self.seed)
        return [self._graph(generator) for _ in range(self.num_graphs)]

    def _graph(self, generator: np.random.Generator) -> Graph:
        triangles = Delaunay(generator.random((self.num_nodes, 2))).simplices
        edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [0, 2]]])
        return Graph.from_edges(edges, self.num_nodes)
