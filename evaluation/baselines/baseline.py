"""What a baseline is: a classical generator without learned weights, fitted in its constructor on reference graphs.

A network that does not beat these on a statistic has not learned that statistic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from sbgd.errors import InputError
from sbgd.graph import Graph


class Baseline(Protocol):
    """Draws graphs of any number of nodes that share some statistics with the reference.

    Attributes:
        name: Key of the baseline in results.
    """

    name: str

    def sample(self, num_nodes: int, generator: np.random.Generator) -> Graph:
        """Returns one graph with exactly `num_nodes` nodes."""
        ...


class Templates:
    """Reference graphs to imitate, found by size.

    Args:
        reference: Graphs, of which at least one has a node.

    Raises:
        InputError: No reference graph has a node.
    """

    def __init__(self, reference: Sequence[Graph]) -> None:
        self._positions = [position for position, graph in enumerate(reference) if graph.num_nodes]
        if not self._positions:
            raise InputError("expected a reference graph with nodes to fit a baseline, got none; check the reference")
        self._sizes = np.array([reference[position].num_nodes for position in self._positions])

    def nearest(self, num_nodes: int, generator: np.random.Generator) -> int:
        """Returns the position of a reference graph, drawn among those whose size is nearest to `num_nodes`."""
        distance = np.abs(self._sizes - num_nodes)
        return self._positions[int(generator.choice(np.flatnonzero(distance == distance.min())))]


def sample_sizes(baseline: Baseline, sizes: Sequence[int], *, seed: int) -> list[Graph]:
    """Draws one graph of each size; graph i depends only on (seed, i)."""
    return [baseline.sample(size, np.random.default_rng([seed, index])) for index, size in enumerate(sizes)]
