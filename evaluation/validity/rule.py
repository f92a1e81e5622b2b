"""What a validity rule is: a property that every graph of a data set has, asked of one graph at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sbgd.graph import Graph


@dataclass(frozen=True)
class Verdict:
    """What a rule says of a graph.

    Attributes:
        valid: Whether the graph has the property; None where the rule could not decide.
        reason: Why not, or why it is undecided.
        p_value: Of the test that the rule rests on, where it is one.
    """

    valid: bool | None
    reason: str | None = None
    p_value: float | None = None


VALID = Verdict(True)


class Rule(Protocol):
    """Decides which graphs are valid."""

    @property
    def name(self) -> str:
        """What the rule is called in results and on the command line."""
        ...

    def __call__(self, graphs: Sequence[Graph]) -> list[Verdict]:
        """Returns one verdict a graph, in order; graphs without nodes are never valid."""
        ...


@runtime_checkable
class Identifying(Protocol):
    """A rule that also says which graphs are the same, where isomorphism of the bare graphs would not."""

    def identities(self, graphs: Sequence[Graph]) -> list[str]:
        """Returns a name a graph, the same for graphs that are the same."""
        ...
