"""Rules that say which graphs are valid, by name."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sbgd.errors import InputError
from sbgd.evaluation.validity.block_model import BlockModel
from sbgd.evaluation.validity.legacy import LegacyBlockModel
from sbgd.evaluation.validity.molecule import Molecule
from sbgd.evaluation.validity.rule import Identifying, Rule, Verdict
from sbgd.evaluation.validity.shapes import Lobster, Planar, Tree

RULES: Mapping[str, Callable[[], Rule]] = MappingProxyType(
    {
        "planar": Planar,
        "tree": Tree,
        "lobster": Lobster,
        "sbm": BlockModel,
        "sbm_legacy": LegacyBlockModel,
        "molecule": Molecule,
    }
)
"""Makers of all rules by name."""


def find_rule(name: str) -> Rule:
    """Returns a rule by name.

    Raises:
        InputError: There is none of that name.
    """
    if name not in RULES:
        raise InputError(f"expected a rule among {', '.join(RULES)}, got {name!r}")
    return RULES[name]()


__all__ = [
    "RULES",
    "BlockModel",
    "Identifying",
    "LegacyBlockModel",
    "Lobster",
    "Molecule",
    "Planar",
    "Rule",
    "Tree",
    "Verdict",
    "find_rule",
]
