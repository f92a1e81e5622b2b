"""Memorisation and repetition: which generated graphs are copies of training graphs or of each other, exactly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sbgd.evaluation.isomorphism import Budget, Coloured, UndecidedError, isomorphic
from sbgd.graph import Graph

Key = tuple[int, int, bytes]

TOTAL_WORK = 1_000_000_000
"""Bound on the work of comparing a whole set, in nodes and edges visited: about a minute."""
LEAST_WORK = 50_000
"""What every question may do even after that, some milliseconds: hard graphs leave the easy ones an answer."""


@dataclass(frozen=True)
class IdenticalShare:
    """How many graphs of a set are isomorphic to some graph of another.

    Attributes:
        num_identical: Graphs with a proven copy.
        num_undecided: Graphs whose comparison reached its bound before an answer, no copy found.
        num_compared: Graphs large enough to count.
    """

    num_identical: int
    num_undecided: int
    num_compared: int

    @property
    def share(self) -> float | None:
        """Identical graphs per compared graph; None where no graph is large enough."""
        return self.num_identical / self.num_compared if self.num_compared else None

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON form."""
        counts = {"identical": self.num_identical, "undecided": self.num_undecided, "compared": self.num_compared}
        if self.share is None:
            return {**counts, "share": None, "reason": "no generated block is large enough to compare"}
        return {**counts, "share": self.share}


class GraphIndex:
    """Graphs filed by size and degrees, to be asked whether they hold a copy of a graph.

    Args:
        max_work: Bound on the work of one question, as in `Budget`.
        total: Bound on the work of all questions together, but for `LEAST_WORK` each; None for no bound.
    """

    def __init__(self, *, max_work: int = Budget.work, total: Budget | None = None) -> None:
        self._max_work = max_work
        self._total = total
        self._graphs: defaultdict[Key, list[_Entry]] = defaultdict(list)

    def add(self, graph: Graph) -> None:
        """Files a graph."""
        self._graphs[_key(graph)].append(_Entry(graph))

    def admit(self, graph: Graph) -> bool | None:
        """Answers as `contains`, and files the graph unless it is a copy: one of each kind is enough."""
        known = self.contains(graph)
        if not known:
            self.add(graph)
        return known

    def contains(self, graph: Graph) -> bool | None:
        """Says whether an isomorphic graph was filed; None if a bound was reached and no other comparison found it."""
        candidates = self._graphs.get(_key(graph), [])
        if not candidates:
            return False
        budget, asked, undecided = self._budget(), _Entry(graph), False
        for candidate in candidates:
            try:
                if isomorphic(asked.coloured, candidate.coloured, budget):
                    return True
            except UndecidedError:
                undecided = True
        return None if undecided else False

    def _budget(self) -> Budget:
        if self._total is not None and self._total.work <= 0:
            return Budget(min(self._max_work, LEAST_WORK))
        return Budget(self._max_work, self._total)


class _Entry:
    """A graph whose colours are refined when they are first needed: most graphs differ in size or degrees."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    @cached_property
    def coloured(self) -> Coloured:
        return Coloured.from_graph(self._graph)


def _key(graph: Graph) -> Key:
    return graph.num_nodes, graph.num_edges, np.sort(graph.degrees).tobytes()


def identical_share(
    blocks: Sequence[Graph],
    training_blocks: Sequence[Graph],
    *,
    min_nodes: int = 9,
    max_work: int = Budget.work,
    total_work: int = TOTAL_WORK,
) -> IdenticalShare:
    """Counts the graphs that are isomorphic to a training graph.

    Small graphs have few shapes and coincide by chance, so they are left out.

    Args:
        blocks: Generated graphs or blocks.
        training_blocks: Graphs or blocks that the generator was trained on.
        min_nodes: Smallest graph that is compared.
        max_work: Bound on the work for one graph; what is not decided within it is counted apart.
        total_work: Bound on the work for all of them, see `GraphIndex`.
    """
    index = GraphIndex(max_work=max_work, total=Budget(total_work))
    for graph in training_blocks:
        if graph.num_nodes >= min_nodes:
            index.admit(graph)
    answers = [index.contains(graph) for graph in blocks if graph.num_nodes >= min_nodes]
    return IdenticalShare(answers.count(True), answers.count(None), len(answers))


def num_duplicates(graphs: Sequence[Graph], *, max_work: int = Budget.work, total_work: int = TOTAL_WORK) -> int:
    """Returns the number of graphs proven isomorphic to an earlier graph of the same list."""
    index = GraphIndex(max_work=max_work, total=Budget(total_work))
    return sum(index.admit(graph) is True for graph in graphs)
