"""One side of a page: graphs, and how those that are drawn fall into blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.baselines.communities import MAX_NODES, louvain_communities
from sbgd.evaluation.report.cut_graph import CutGraph
from sbgd.graph import Graph

Ints = NDArray[np.int64]

MAX_LOOKED_INTO = min(MAX_NODES, 10_000)
"""Largest graph in which communities are looked for where no blocks are given."""


@dataclass(frozen=True, eq=False)
class ShownSet:
    """Graphs of which some are drawn.

    Attributes:
        graphs: All graphs of the set.
        blocks: Returns the block of every node, int64 (N,) from 0, of the graph with a number; communities by default.
    """

    graphs: Sequence[Graph]
    blocks: Callable[[int], Ints] | None = None

    @classmethod
    def of(cls, graphs: ShownSet | Sequence[Graph]) -> ShownSet:
        """Returns the graphs as such a set, the same object if they are one."""
        return graphs if isinstance(graphs, ShownSet) else cls(graphs)

    def cut(self, number: int) -> CutGraph:
        """Returns a graph with its blocks."""
        graph = self.graphs[number]
        if self.blocks is not None:
            return CutGraph(graph, np.asarray(self.blocks(number), dtype=np.int64))
        if graph.num_nodes > MAX_LOOKED_INTO or not graph.num_edges:
            return CutGraph(graph, np.zeros(graph.num_nodes, dtype=np.int64))
        return CutGraph(graph, louvain_communities(graph))

    @property
    def largest(self) -> int:
        """Number of the graph with most nodes, the first of equal ones."""
        return int(np.argmax([graph.num_nodes for graph in self.graphs]))


def matched(generated: ShownSet, reference: ShownSet, *, most: int, max_nodes: int) -> list[tuple[int, int]]:
    """Returns pairs of numbers: the first generated graphs, each with the unused reference graph nearest in size.

    Args:
        generated: Graphs to be judged.
        reference: Graphs to compare with.
        most: Most pairs.
        max_nodes: Nodes after which no further pair is taken; the first pair is taken in any case.
    """
    sizes = np.array([graph.num_nodes for graph in reference.graphs], dtype=np.float64)
    pairs: list[tuple[int, int]] = []
    nodes = 0
    for number, graph in enumerate(generated.graphs[: min(most, len(sizes))]):
        nearest = int(np.argmin(np.abs(sizes - graph.num_nodes)))
        nodes += graph.num_nodes + reference.graphs[nearest].num_nodes
        if pairs and nodes > max_nodes:
            break
        pairs.append((number, nearest))
        sizes[nearest] = np.inf
    return pairs
