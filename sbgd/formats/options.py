"""What a reader may do about input that is not a simple undirected graph with finite features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class ReadOptions:
    """Policies of every reader; each default refuses, and whatever a policy changes is counted in the report.

    Duplicate edges, in either direction, are always merged and counted.

    Attributes:
        self_loops: `error` refuses edges from a node to itself, `drop` removes them.
        directed: `error` refuses files that declare their edges directed, `symmetrise` forgets the direction.
        weights: `error` refuses a weight column whose values are not all 1, `ignore` keeps every edge.
        weight_threshold: Keeps the edges whose weight is greater, whatever `weights` says.
        non_finite: `error` refuses NaN and infinite features, `mean` puts the mean of the column's finite entries.
    """

    self_loops: Literal["error", "drop"] = "error"
    directed: Literal["error", "symmetrise"] = "error"
    weights: Literal["error", "ignore"] = "error"
    weight_threshold: float | None = None
    non_finite: Literal["error", "mean"] = "error"
