"""Planar graphs, trees and lobsters: properties that can be decided exactly."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from sbgd.evaluation.validity.rule import VALID, Verdict
from sbgd.graph import Graph

_NO_NODES = Verdict(False, "no nodes")
_DISCONNECTED = Verdict(False, "not connected")


class Planar:
    """Connected and planar, as SPECTRE asks of its planar graphs; a single node counts.

    References:
        Martinkus et al., 2022, "SPECTRE", arXiv:2204.01613.
    """

    name = "planar"

    def __call__(self, graphs: Sequence[Graph]) -> list[Verdict]:
        """Returns one verdict a graph."""
        return [self._verdict(graph) for graph in graphs]

    def _verdict(self, graph: Graph) -> Verdict:
        if graph.num_nodes == 0:
            return _NO_NODES
        if not _is_connected(graph):
            return _DISCONNECTED
        # Euler: more edges than 3 n - 6 need no search
        too_many = graph.num_nodes > 2 and graph.num_edges > 3 * graph.num_nodes - 6
        plain = graph.replace(features=None, labels=None, node_ids=None)
        planar = not too_many and nx.check_planarity(plain.to_networkx())[0]
        return VALID if planar else Verdict(False, "not planar")


class Tree:
    """Connected and without cycles; a single node counts."""

    name = "tree"

    def __call__(self, graphs: Sequence[Graph]) -> list[Verdict]:
        """Returns one verdict a graph."""
        return [_tree(graph) for graph in graphs]


class Lobster:
    """A tree whose nodes are all within two steps of one path: without its leaves, twice, a path is left or nothing.

    References:
        Golomb, 1996, "Polyominoes"; data sets of lobsters: Liao et al., 2019, "GRAN", arXiv:1910.00760.
    """

    name = "lobster"

    def __call__(self, graphs: Sequence[Graph]) -> list[Verdict]:
        """Returns one verdict a graph."""
        return [self._verdict(graph) for graph in graphs]

    def _verdict(self, graph: Graph) -> Verdict:
        tree = _tree(graph)
        if not tree.valid:
            return tree
        edges = _without_leaves(_without_leaves(graph.edges, graph.num_nodes), graph.num_nodes)
        # what is left of a tree is a tree, and a tree without branches is a path
        degrees = np.bincount(edges.ravel(), minlength=1)
        return VALID if degrees.max() <= 2 else Verdict(False, "a node is more than two steps from every path")


def _tree(graph: Graph) -> Verdict:
    if graph.num_nodes == 0:
        return _NO_NODES
    if not _is_connected(graph):
        return _DISCONNECTED
    return VALID if graph.num_edges == graph.num_nodes - 1 else Verdict(False, "has a cycle")


def _is_connected(graph: Graph) -> bool:
    return bool(csgraph.connected_components(graph.to_scipy(), directed=False)[0] == 1)


def _without_leaves(edges: NDArray[np.int64], num_nodes: int) -> NDArray[np.int64]:
    degrees = np.bincount(edges.ravel(), minlength=num_nodes)
    return edges[(degrees[edges] > 1).all(axis=1)]
