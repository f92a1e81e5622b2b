"""Memorisation and repetition: which generated graphs are copies of training graphs or of each other, exactly."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sbgd.evaluation.isomorphism import Budget, Coloured, UndecidedError, isomorphic
from sbgd.graph import Graph


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
    """Graphs filed by their fingerprint, to be asked whether they hold a copy of a graph.

    Args:
        max_work: Bound on the work of one question, as in `Budget`.
    """

    def __init__(self, *, max_work: int = Budget.work) -> None:
        self._max_work = max_work
        self._graphs: defaultdict[int, list[Coloured]] = defaultdict(list)

    def add(self, graph: Coloured) -> None:
        """Files a graph."""
        self._graphs[graph.fingerprint].append(graph)

    def contains(self, graph: Coloured) -> bool:
        """Says whether an isomorphic graph was filed.

        Raises:
            UndecidedError: The bound was reached and no other comparison found a copy.
        """
        budget = Budget(self._max_work)
        undecided = False
        for candidate in self._graphs.get(graph.fingerprint, ()):
            try:
                if isomorphic(graph, candidate, budget):
                    return True
            except UndecidedError:
                undecided = True
        if undecided:
            raise UndecidedError
        return False


def identical_share(
    blocks: Sequence[Graph],
    training_blocks: Sequence[Graph],
    *,
    min_nodes: int = 9,
    max_work: int = Budget.work,
) -> IdenticalShare:
    """Counts the graphs that are isomorphic to a training graph.

    Small graphs have few shapes and coincide by chance, so they are left out.

    Args:
        blocks: Generated graphs or blocks.
        training_blocks: Graphs or blocks that the generator was trained on.
        min_nodes: Smallest graph that is compared.
        max_work: Bound on the work for one graph; what is not decided within it is counted apart.
    """
    index = GraphIndex(max_work=max_work)
    for graph in training_blocks:
        if graph.num_nodes >= min_nodes:
            index.add(Coloured.from_graph(graph))
    compared = [Coloured.from_graph(graph) for graph in blocks if graph.num_nodes >= min_nodes]
    answers = [_answer(index, graph) for graph in compared]
    return IdenticalShare(answers.count(True), answers.count(None), len(compared))


def num_duplicates(graphs: Sequence[Graph], *, max_work: int = Budget.work) -> int:
    """Returns the number of graphs proven isomorphic to an earlier graph of the same list."""
    index = GraphIndex(max_work=max_work)
    duplicates = 0
    same_size = Counter((graph.num_nodes, graph.num_edges) for graph in graphs)
    for graph in graphs:
        if same_size[graph.num_nodes, graph.num_edges] == 1:
            continue
        coloured = Coloured.from_graph(graph)
        if _answer(index, coloured):
            duplicates += 1
        else:
            index.add(coloured)
    return duplicates


def _answer(index: GraphIndex, graph: Coloured) -> bool | None:
    try:
        return index.contains(graph)
    except UndecidedError:
        return None
