"""What several statistics of one graph need, computed once, and for a set of graphs over their union."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.graph_set import GraphSet
from sbgd.evaluation.statistics.cycles import square_work, squares_by_top
from sbgd.evaluation.statistics.paths import DistanceLaw, components, distance_law
from sbgd.graph import Graph

Ints = NDArray[np.int64]

_SHARED_WORK = 50_000_000
"""Multiplications up to which the 4-cycles of a whole set are counted at once."""


class Profile:
    """A graph of N nodes with lazily computed intermediate results.

    Args:
        graphs: The set that the graph belongs to; its triangles and 4-cycles are counted together.
        index: Position of the graph.
        seed: Seed of everything sampled. Every sample starts from it anew, so that a statistic does not depend on
            which others are asked for.
    """

    def __init__(self, graphs: ProfiledSet, index: int, seed: int) -> None:
        self._graphs = graphs
        self._rows = slice(int(graphs.ends[index]), int(graphs.ends[index + 1]))
        self.graph: Graph = graphs[index]
        self.seed = seed

    @classmethod
    def of(cls, graph: Graph, *, seed: int = 0) -> Profile:
        """Returns the profile of a graph that belongs to no set."""
        return cls(ProfiledSet([graph]), 0, seed)

    @property
    def generator(self) -> np.random.Generator:
        """A new source of randomness."""
        return np.random.default_rng(self.seed)

    @cached_property
    def degrees(self) -> Ints:
        """Degree of every node, (N,)."""
        return self.graph.degrees

    @cached_property
    def triangles(self) -> Ints:
        """Triangles through every node, (N,)."""
        return self._graphs.triangles[self._rows]

    @cached_property
    def squares(self) -> int | None:
        """4-cycles; None where counting those of the set would take long."""
        counts = self._graphs.squares
        return None if counts is None else int(counts[self._rows].sum())

    @cached_property
    def component_sizes(self) -> Ints:
        """Number of nodes of every connected component."""
        return np.bincount(self._components)

    @cached_property
    def distances(self) -> DistanceLaw:
        """Distances between all pairs of nodes with a path between them."""
        if len(self._largest) == np.count_nonzero(self.degrees):
            return self.distances_in_largest
        return distance_law(self.graph, np.flatnonzero(self.degrees), generator=self.generator)

    @cached_property
    def distances_in_largest(self) -> DistanceLaw:
        """Distances between all pairs of nodes in the largest component, the first one of equals."""
        return distance_law(self.graph, self._largest, generator=self.generator)

    @cached_property
    def _components(self) -> Ints:
        return components(self.graph)

    @cached_property
    def _largest(self) -> Ints:
        return np.flatnonzero(self._components == self.component_sizes.argmax())


class ProfiledSet(GraphSet):
    """Graphs whose 4-cycles are counted over the union too."""

    def profiles(self, *, seed: int = 0) -> list[Profile]:
        """Returns the profile of every graph."""
        return [Profile(self, index, seed) for index in range(len(self))]

    @cached_property
    def squares(self) -> Ints | None:
        """4-cycles by the node that `squares_by_top` counts them at, (sum of N,); None where that takes long."""
        if int(square_work(self.directed, self.union.degrees).sum()) > _SHARED_WORK:
            return None
        return squares_by_top(self.union, self.directed)


def profiles(graphs: Sequence[Graph], *, seed: int = 0) -> list[Profile]:
    """Returns the profile of every graph."""
    return ProfiledSet(graphs).profiles(seed=seed)
