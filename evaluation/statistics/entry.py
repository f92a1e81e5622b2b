"""Entries of the table of statistics.

Statistics describe one graph and are averaged over a set; distances compare a generated set with a reference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from sbgd.evaluation.statistics.measurement import Measurement
from sbgd.evaluation.statistics.profile import Profile
from sbgd.graph import Graph

Need = Literal["labels", "features"]


@dataclass(frozen=True)
class Statistic:
    """A number that describes one graph of at least one node.

    Attributes:
        name: What reports and `metrics.json` call it.
        unit: What it counts in; empty for a pure number.
        description: What it is, in one line.
        measure: Its value for the profile of a graph.
        needs: Attributes that the graph must have.
        sampled: Where it is an estimate with a standard error instead of exact, in words; None for never.
    """

    name: str
    unit: str
    description: str
    measure: Callable[[Profile], Measurement]
    needs: tuple[Need, ...] = ()
    sampled: str | None = None


@dataclass(frozen=True)
class SetDistance:
    """A number that compares a generated set with a reference.

    Attributes:
        name: What reports and `metrics.json` call it.
        unit: What it counts in; empty for a pure number.
        description: What it is, in one line.
        measure: Its value for (generated, reference, seed).
        needs: Attributes that all graphs must have.
        sampled: Where it is an estimate with a standard error instead of exact, in words; None for never.
    """

    name: str
    unit: str
    description: str
    measure: Callable[[Sequence[Graph], Sequence[Graph], int], Measurement]
    needs: tuple[Need, ...] = ()
    sampled: str | None = None


def unseeded(
    measure: Callable[[Sequence[Graph], Sequence[Graph]], Measurement],
) -> Callable[[Sequence[Graph], Sequence[Graph], int], Measurement]:
    """Returns the measure of a distance that samples nothing."""
    return lambda generated, reference, _: measure(generated, reference)
