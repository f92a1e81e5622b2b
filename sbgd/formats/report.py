"""What a reader counted: lines, edges kept, and everything it merged, dropped or left unused."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class ReadReport:
    """Counts of one reading; reports add up.

    Attributes:
        lines_read: Lines of a text file, comments and blank lines included.
        comments: Comment lines.
        headers: Lines before the edges that are neither comment nor edge, such as column names.
        edges_kept: Edges of all graphs, each once.
        duplicates_merged: Entries that repeat an edge, also reversed, where the format lists each edge once.
        self_loops_dropped: Entries dropped by `self_loops=drop`.
        edges_below_threshold: Entries dropped by `weight_threshold`.
        graphs_symmetrised: Directed graphs whose directions were forgotten.
        features_filled: Non-finite features replaced by the mean.
        zero_node_graphs: Graphs without nodes; they are kept.
        columns_ignored: Names of columns, attributes and arrays that were not used.
    """

    lines_read: int = 0
    comments: int = 0
    headers: int = 0
    edges_kept: int = 0
    duplicates_merged: int = 0
    self_loops_dropped: int = 0
    edges_below_threshold: int = 0
    graphs_symmetrised: int = 0
    features_filled: int = 0
    zero_node_graphs: int = 0
    columns_ignored: tuple[str, ...] = ()

    def __add__(self, other: ReadReport) -> ReadReport:
        totals: dict[str, Any] = {
            field.name: getattr(self, field.name) + getattr(other, field.name) for field in fields(self)
        }
        totals["columns_ignored"] = tuple(dict.fromkeys(totals["columns_ignored"]))
        return ReadReport(**totals)

    def lines(self) -> list[str]:
        """Returns one line for every count that is not zero."""
        counts = [
            _count(self.lines_read, "line read", "lines read"),
            _count(self.comments, "comment line skipped", "comment lines skipped"),
            _count(self.headers, "header line skipped", "header lines skipped"),
            _count(self.edges_kept, "edge kept", "edges kept"),
            _count(self.duplicates_merged, "duplicate merged", "duplicates merged"),
            _count(self.self_loops_dropped, "self-loop dropped", "self-loops dropped"),
            _count(self.edges_below_threshold, "edge at or below the threshold dropped", "edges dropped by threshold"),
            _count(self.graphs_symmetrised, "directed graph symmetrised", "directed graphs symmetrised"),
            _count(self.features_filled, "non-finite feature filled", "non-finite features filled"),
            _count(self.zero_node_graphs, "graph without nodes kept", "graphs without nodes kept"),
            f"not used: {', '.join(self.columns_ignored)}" if self.columns_ignored else "",
        ]
        return [line for line in counts if line]


def _count(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}" if count else ""
