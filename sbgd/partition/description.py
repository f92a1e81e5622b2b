"""Partitioners as primitive values, for model files and manifests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sbgd.errors import InputError
from sbgd.partition.louvain import LouvainPartitioner
from sbgd.partition.metis import MetisPartitioner
from sbgd.partition.partition import Partitioner

_NAMES: dict[str, type[MetisPartitioner] | type[LouvainPartitioner]] = {
    "metis": MetisPartitioner,
    "louvain": LouvainPartitioner,
}


def describe_partitioner(partitioner: Partitioner) -> dict[str, Any] | None:
    """Returns the name and parameters of a partitioner of this package; None for one from elsewhere."""
    for name, cls in _NAMES.items():
        if isinstance(partitioner, cls):
            return {"name": name, **asdict(partitioner)}
    return None


def build_partitioner(description: Mapping[str, Any]) -> Partitioner:
    """Builds a partitioner from what `describe_partitioner` returned.

    Raises:
        InputError: The name or the parameters are unknown.
    """
    arguments = {key: value for key, value in description.items() if key != "name"}
    try:
        return _NAMES[description["name"]](**arguments)
    except (KeyError, TypeError) as error:
        raise InputError(f"expected a partitioner metis or louvain with its parameters, got {description}") from error
