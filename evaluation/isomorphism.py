"""Exact graph isomorphism by individualisation and colour refinement, with a bound on the work.

Colour refinement (1-dimensional Weisfeiler-Leman) replaces every node's colour by a hash of it and of the colours of
its neighbours until the classes stop splitting. Equal graphs keep equal colour counts; when all colours differ, the
colours are the only candidate for a mapping, which is then checked edge by edge. Otherwise one node of the smallest
class is given a colour of its own in one graph and tried at every place of that class in the other. The answers "same"
and "different" are exact; hash collisions can only cost time.

References:
    McKay and Piperno, 2014, "Practical graph isomorphism, II", arXiv:1301.1493.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sbgd.graph import Graph

Colours = NDArray[np.uint64]

_ROUND_OVERHEAD = 1000
"""What a round costs apart from the graph, in nodes."""
_MAX_ROUNDS = 100
"""A long path refines for N / 2 rounds; stopping earlier costs the search some branches and never its exactness."""


class UndecidedError(Exception):
    """The bound on the work was reached before an answer."""


@dataclass
class Budget:
    """Work that a search may still do, in nodes and edges visited; the default is some seconds.

    Attributes:
        work: What is left.
        total: A larger budget that is spent at the same time, for many searches together.
    """

    work: int = 50_000_000
    total: Budget | None = None

    def spend(self, graph: Graph) -> None:
        """Takes one round of refinement of a graph.

        Raises:
            UndecidedError: Nothing is left, here or in the larger budget.
        """
        if self.work <= 0:
            raise UndecidedError
        if self.total is not None:
            self.total.spend(graph)
        self.work -= graph.num_nodes + graph.num_edges + _ROUND_OVERHEAD


@dataclass(frozen=True, eq=False)
class Coloured:
    """A graph with its stable colours, equal up to order for isomorphic graphs.

    Attributes:
        graph: The graph.
        colours: uint64 (N,).
        fingerprint: Hash of size, edge count and colours; isomorphic graphs have the same.
    """

    graph: Graph
    colours: Colours = field(repr=False)
    fingerprint: int

    @classmethod
    def from_graph(cls, graph: Graph) -> Coloured:
        """Refines from equal colours."""
        colours = refined(graph, np.ones(graph.num_nodes, dtype=np.uint64))
        return cls(graph, colours, hash((graph.num_nodes, graph.num_edges, np.sort(colours).tobytes())))


def refined(graph: Graph, colours: Colours, budget: Budget | None = None) -> Colours:
    """Refines colours until the number of classes stops growing, at most 100 times, uint64 (N,).

    Raises:
        UndecidedError: The budget ran out first.
    """
    u, v = graph.edges.T
    classes = len(np.unique(colours))
    for _ in range(_MAX_ROUNDS):
        if budget is not None:
            budget.spend(graph)
        signal = _mixed(colours)
        total = np.zeros(graph.num_nodes, dtype=np.uint64)
        np.add.at(total, u, signal[v])
        np.add.at(total, v, signal[u])
        colours = _mixed(colours * np.uint64(3) + _mixed(total))
        refined_classes = len(np.unique(colours))
        if refined_classes == classes:
            break
        classes = refined_classes
    return colours


def isomorphic(left: Coloured, right: Coloured, budget: Budget) -> bool:
    """Says whether two graphs are isomorphic.

    Raises:
        UndecidedError: The budget ran out first.
    """
    if left.fingerprint != right.fingerprint:
        return False
    if np.array_equal(left.graph.edges, right.graph.edges):
        return True
    return _matches(left.graph, left.colours, right.graph, right.colours, budget)


def _matches(left: Graph, a: Colours, right: Graph, b: Colours, budget: Budget) -> bool:
    """Searches depth first with an explicit stack, whose depth can reach N; places are refined only when tried."""
    stack: list[tuple[Colours, Iterator[Colours]]] = [(a, iter([b]))]
    while stack:
        a, places = stack[-1]
        b_next = next(places, None)
        if b_next is None:
            stack.pop()
        elif np.array_equal(np.sort(a), np.sort(b_next)):
            values, first, counts = np.unique(a, return_index=True, return_counts=True)
            discrete = len(values) == len(a)
            if not discrete:
                budget.spend(left)
            # any order within a class will do for nodes with the same neighbours, such as the leaves of a star
            if _maps(left, a, right, b_next):
                return True
            if discrete:
                continue
            pick = np.where(counts > 1, counts, len(a) + 1).argmin()
            marked = _individualised(left, a, int(first[pick]), budget)
            stack.append((marked, _places(right, b_next, values[pick], budget)))
    return False


def _places(graph: Graph, colours: Colours, colour: np.uint64, budget: Budget) -> Iterator[Colours]:
    for node in np.flatnonzero(colours == colour):
        yield _individualised(graph, colours, int(node), budget)


def _individualised(graph: Graph, colours: Colours, node: int, budget: Budget) -> Colours:
    changed = colours.copy()
    changed[node] = ~changed[node]
    return refined(graph, changed, budget)


def _maps(left: Graph, a: Colours, right: Graph, b: Colours) -> bool:
    image = np.empty(len(a), dtype=np.int64)
    image[np.argsort(a)] = np.argsort(b)
    mapped = np.sort(image[left.edges], axis=1)
    return np.array_equal(mapped[np.lexsort((mapped[:, 1], mapped[:, 0]))], right.edges)


def _mixed(values: Colours) -> Colours:
    """Finaliser of SplitMix64: a bijection of 64-bit words without visible structure."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
