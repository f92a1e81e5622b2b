"""The exact error as a function of one variable: steps, diffusion length, graph size, feature size."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass

import numpy as np

from sbgd.errors import InputError
from sbgd.theory.divergence import METRICS, Metric
from sbgd.theory.error_split import ExactError
from sbgd.theory.law import Array


@dataclass(frozen=True)
class ErrorCurve:
    """Errors at several values of one variable.

    Attributes:
        variable: Name of the variable.
        values: Its values.
        errors: The error at every value.
    """

    variable: str
    values: tuple[float, ...]
    errors: tuple[ExactError, ...]

    @classmethod
    def of(cls, variable: str, values: Iterable[float], error: Callable[[float], ExactError]) -> ErrorCurve:
        """Evaluates `error` at every value.

        Raises:
            InputError: There are no values.
        """
        points = tuple(values)
        if not points:
            raise InputError(f"expected at least one value of {variable}, got none")
        return cls(variable, points, tuple(error(value) for value in points))

    def metric(self, metric: Metric = "relative_w2") -> Array:
        """Returns the named figure at every value, (n,)."""
        return np.array([error.value(metric) for error in self.errors])

    def part(self, name: str, metric: Metric = "relative_w2") -> Array:
        """Returns one part of the named figure at every value, (n,); `name` is an attribute of `ErrorParts`."""
        return np.array([getattr(error.parts(metric), name) for error in self.errors])

    def slope(self, metric: Metric = "relative_w2") -> float:
        """Returns the least-squares slope of ln error against ln value, the order of convergence with sign."""
        return float(np.polyfit(np.log(self.values), np.log(self.metric(metric)), 1)[0])

    def rows(self) -> list[dict[str, float]]:
        """Returns one flat row a value: totals, figures per dimension and the parts of every metric."""
        return [_row(self.variable, value, error) for value, error in zip(self.values, self.errors, strict=True)]


def _row(variable: str, value: float, error: ExactError) -> dict[str, float]:
    row = {variable: value, **asdict(error.divergence)}
    for metric in METRICS:
        row[metric] = error.value(metric)
        row |= {f"{metric}.{name}": part for name, part in asdict(error.parts(metric)).items()}
    return row
