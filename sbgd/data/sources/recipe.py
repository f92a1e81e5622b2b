"""Synthetic benchmarks: a recipe is a few numbers from which the same graphs come every time."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.formats import LoadedGraphs, ReadReport
from sbgd.graph import Graph


@dataclass(frozen=True)
class Recipe(ABC):
    """Base of all recipes: a subclass adds parameters with defaults and says how to draw.

    The first graphs are for training, the next for validation, the last for testing: with T = round(n / 5) for testing,
    round(4 (n - T) / 5) are for training, as in the field's usual cut of 200 into 128, 32 and 40.

    Attributes:
        num_graphs: Graphs of all parts together.
        seed: Seed of everything random.
    """

    num_graphs: int = 200
    seed: int = 0

    def __post_init__(self) -> None:
        if self.num_graphs < 1 or self.seed < 0:
            raise InputError(f"expected num_graphs of at least 1 and a seed of at least 0, got {self}")

    @classmethod
    def from_text(cls, parameters: Mapping[str, str]) -> Self:
        """Builds a recipe from parameters as text.

        Raises:
            InputError: A parameter is unknown or no number.
        """
        kinds: dict[str, type[int] | type[float]] = {
            field.name: float if isinstance(field.default, float) else int for field in fields(cls)
        }
        values: dict[str, Any] = {}
        for key, text in parameters.items():
            if key not in kinds:
                raise InputError(f"expected a parameter among {', '.join(kinds)}, got {key}")
            try:
                values[key] = kinds[key](text)
            except ValueError:
                raise InputError(f"expected {kinds[key].__name__} for {key}, got {text!r}") from None
        return cls(**values)

    @abstractmethod
    def draw(self) -> list[Graph]:
        """Draws `num_graphs` graphs."""

    def part_sizes(self) -> tuple[int, int, int]:
        """Returns how many graphs are for training, validation and testing."""
        num_test = round(self.num_graphs / 5)
        num_train = round(4 * (self.num_graphs - num_test) / 5)
        return num_train, self.num_graphs - num_train - num_test, num_test

    def load(self) -> LoadedGraphs:
        """Draws the graphs and returns them with their split, as if they had been read."""
        graphs = self.draw()
        report = ReadReport(edges_kept=sum(graph.num_edges for graph in graphs))
        split = np.repeat(np.arange(3, dtype=np.int8), self.part_sizes())
        return LoadedGraphs(graphs, report, str(self), "generated", _digest(graphs), {"in_order": split})


def _digest(graphs: Sequence[Graph]) -> str:
    digest = hashlib.sha256()
    for graph in graphs:
        digest.update(np.int64(graph.num_nodes).tobytes() + graph.edges.tobytes())
    return digest.hexdigest()


def edge_array(edges: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
    """Returns an int64 array (M, 2), also of no edges."""
    return np.array(edges, np.int64).reshape(-1, 2)
