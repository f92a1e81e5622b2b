"""Valid, unique and novel graphs: the shares that SPECTRE and its descendants report, with the undecided apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sbgd.evaluation.isomorphism import Budget
from sbgd.evaluation.novelty import TOTAL_WORK, GraphIndex
from sbgd.evaluation.validity import Identifying, Rule
from sbgd.graph import Graph

Flags = tuple[bool | None, ...]


@dataclass(frozen=True)
class VUN:
    """What every generated graph is: True, False, or None where that was not decided.

    Shares count graphs that are known to be so, of all generated graphs: what is undecided is no success.

    Attributes:
        is_unique: Not equal to an earlier graph of the set, so that the first of equal ones counts. Equal are
            isomorphic graphs, or those that the rule says are (molecules of one SMILES).
        is_novel: Not equal to any training graph; None without training graphs.
        is_valid: Meets the rule; None without a rule.
        rule: Name of the rule.
    """

    is_unique: Flags
    is_novel: Flags | None = None
    is_valid: Flags | None = None
    rule: str | None = None

    @property
    def unique(self) -> float:
        """Share of unique graphs."""
        return _share(self.is_unique)

    @property
    def novel(self) -> float | None:
        """Share of novel graphs."""
        return None if self.is_novel is None else _share(self.is_novel)

    @property
    def valid(self) -> float | None:
        """Share of valid graphs."""
        return None if self.is_valid is None else _share(self.is_valid)

    @property
    def unique_novel(self) -> float | None:
        """Share of graphs that are unique and novel."""
        return None if self.is_novel is None else _share(self.is_unique, self.is_novel)

    @property
    def valid_unique(self) -> float | None:
        """Share of graphs that are valid and unique."""
        return None if self.is_valid is None else _share(self.is_valid, self.is_unique)

    @property
    def valid_novel(self) -> float | None:
        """Share of graphs that are valid and novel."""
        return None if self.is_valid is None or self.is_novel is None else _share(self.is_valid, self.is_novel)

    @property
    def vun(self) -> float | None:
        """Share of graphs that are valid, unique and novel."""
        if self.is_valid is None or self.is_novel is None:
            return None
        return _share(self.is_valid, self.is_unique, self.is_novel)

    @property
    def undecided(self) -> Mapping[str, int]:
        """Number of undecided graphs of each kind."""
        parts = {"unique": self.is_unique, "novel": self.is_novel, "valid": self.is_valid}
        return {name: flags.count(None) for name, flags in parts.items() if flags is not None}

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON form; keys that do not apply are left out."""
        shares = {
            "valid": self.valid,
            "unique": self.unique,
            "novel": self.novel,
            "unique_novel": self.unique_novel,
            "valid_unique": self.valid_unique,
            "valid_novel": self.valid_novel,
            "vun": self.vun,
            "rule": self.rule,
        }
        present = {key: value for key, value in shares.items() if value is not None}
        return {**present, "num_graphs": len(self.is_unique), "undecided": dict(self.undecided)}


def valid_unique_novel(
    generated: Sequence[Graph],
    *,
    train: Sequence[Graph] | None = None,
    rule: Rule | None = None,
    max_work: int = Budget.work,
    total_work: int = TOTAL_WORK,
) -> VUN:
    """Says which graphs are valid, unique and novel, exactly or not at all.

    Args:
        generated: At least one graph.
        train: Training graphs, for novelty.
        rule: Decides validity.
        max_work: Bound on the work for one graph, see `Budget`.
        total_work: Bound on the work for all of them; after it only easy graphs are decided, see `GraphIndex`.

    References:
        Martinkus et al., 2022, "SPECTRE", arXiv:2204.01613.
    """
    if isinstance(rule, Identifying):
        unique, novel = _by_name(rule.identities(generated), None if train is None else rule.identities(train))
    else:
        unique, novel = _by_isomorphism(generated, train, max_work, Budget(total_work))
    return VUN(
        is_unique=unique,
        is_novel=novel,
        is_valid=None if rule is None else tuple(verdict.valid for verdict in rule(generated)),
        rule=None if rule is None else rule.name,
    )


def _by_name(generated: Sequence[str], train: Sequence[str] | None) -> tuple[Flags, Flags | None]:
    """Returns which names are unique and which are novel."""
    first = {name: index for index, name in reversed(list(enumerate(generated)))}
    unique = tuple(first[name] == index for index, name in enumerate(generated))
    known = None if train is None else set(train)
    return unique, None if known is None else tuple(name not in known for name in generated)


def _by_isomorphism(
    generated: Sequence[Graph], train: Sequence[Graph] | None, max_work: int, total: Budget
) -> tuple[Flags, Flags | None]:
    """Returns which graphs are unique and which are novel."""
    seen = GraphIndex(max_work=max_work, total=total)
    unique = tuple(_negated(seen.admit(graph)) for graph in generated)
    if train is None:
        return unique, None
    index = GraphIndex(max_work=max_work, total=total)
    for graph in train:
        index.admit(graph)
    return unique, tuple(_negated(index.contains(graph)) for graph in generated)


def _negated(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


def _share(*flags: Flags) -> float:
    """Returns the share of graphs for which all flags are known to be true."""
    together = [all(flag is True for flag in row) for row in zip(*flags, strict=True)]
    return sum(together) / len(together)
