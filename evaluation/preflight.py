"""Counts what is unusual about two sets of graphs before anything is measured, and refuses sets that hold nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sbgd.errors import InputError
from sbgd.evaluation.novelty import num_duplicates
from sbgd.graph import Graph

MIN_SAMPLE = 20
"""Sets with fewer graphs give MMDs mostly made of noise: the floor is above 1/20 + 1/m."""


@dataclass(frozen=True)
class SetSummary:
    """Counts of one set of graphs.

    Attributes:
        num_graphs: Graphs.
        num_nodes: Nodes of all graphs.
        num_edges: Edges of all graphs.
        zero_node_graphs: Graphs without nodes.
        edgeless_graphs: Graphs with nodes and without edges.
        isolated_nodes: Nodes of degree 0 in all graphs.
        duplicate_graphs: Graphs isomorphic to an earlier graph of the set.
    """

    num_graphs: int
    num_nodes: int
    num_edges: int
    zero_node_graphs: int
    edgeless_graphs: int
    isolated_nodes: int
    duplicate_graphs: int

    @classmethod
    def from_graphs(cls, graphs: Sequence[Graph]) -> SetSummary:
        """Counts a set."""
        return cls(
            num_graphs=len(graphs),
            num_nodes=sum(int(graph.num_nodes) for graph in graphs),
            num_edges=sum(graph.num_edges for graph in graphs),
            zero_node_graphs=sum(int(graph.num_nodes == 0) for graph in graphs),
            edgeless_graphs=sum(int(graph.num_nodes > 0 and graph.num_edges == 0) for graph in graphs),
            isolated_nodes=sum(int((graph.degrees == 0).sum()) for graph in graphs),
            duplicate_graphs=num_duplicates(graphs),
        )


def check_not_empty(which: str, graphs: Sequence[Graph]) -> None:
    """Refuses a set that holds nothing: generating nothing is never a score.

    Args:
        which: What the set is, for the error: generated, reference, train.
        graphs: The set.

    Raises:
        InputError: The set has no graph, or no graph with a node.
    """
    if not graphs:
        raise InputError(f"expected at least one {which} graph, got an empty set; check the file or the generator")
    if not any(graph.num_nodes for graph in graphs):
        raise InputError(
            f"expected a {which} graph with nodes, got {len(graphs)} without any; check the file or the generator"
        )


def summarise(which: str, graphs: Sequence[Graph]) -> SetSummary:
    """Counts a set that is about to be measured.

    Raises:
        InputError: As in `check_not_empty`.
    """
    check_not_empty(which, graphs)
    return SetSummary.from_graphs(graphs)


def warnings(which: str, summary: SetSummary) -> list[str]:
    """Returns one line for everything about a set that a reader of its metrics should know."""
    facts = [
        (summary.zero_node_graphs, "graphs without nodes (kept: unlike every graph that has nodes)"),
        (summary.edgeless_graphs, "graphs without edges"),
        (summary.duplicate_graphs, "graphs isomorphic to an earlier one"),
    ]
    lines = [f"{which}: {count} of {summary.num_graphs} {what}" for count, what in facts if count]
    if 1 < summary.num_graphs < MIN_SAMPLE:
        lines.append(f"{which}: only {summary.num_graphs} graphs, read every MMD beside its floor and interval")
    if summary.num_graphs == 1:
        lines.append(f"{which}: one graph, for which an MMD^2 says little (0 for a copy, up to 2); read the statistics")
    return lines
