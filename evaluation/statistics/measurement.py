"""One number of a graph or a set, which may be missing or sampled; means over sets and jackknife errors.

With theta the estimate from all B batches of a sample and theta_b that without batch b, the standard error is
sqrt((B - 1) / B sum_b (theta_b - mean theta_b)^2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Measurement:
    """One number that may be missing.

    Attributes:
        value: The number; None where it is undefined or skipped.
        spread: Standard deviation over the graphs of a set; for one graph the standard error of a sampled estimate.
        reason: Why the value, or a part of it, is missing.
    """

    value: float | None
    spread: float | None = None
    reason: str | None = None


def undefined(reason: str) -> Measurement:
    """Returns a missing number."""
    return Measurement(None, reason=reason)


def mean_over_graphs(measurements: Sequence[Measurement]) -> Measurement:
    """Returns the mean where there is a value, with the standard deviation as spread; the reason counts the others."""
    if not measurements:
        return undefined("the set has no graphs")
    values = np.array([m.value for m in measurements if m.value is not None])
    reasons = [m.reason for m in measurements if m.value is None]
    reason = f"left out {len(reasons)} of {len(measurements)} graphs: {reasons[0]}" if reasons else None
    if not len(values):
        return Measurement(None, reason=reason)
    spread = float(values.std(ddof=1)) if len(values) > 1 else None
    return Measurement(float(values.mean()), spread=spread, reason=reason)


def jackknife(batches: NDArray[np.int64], estimate: Callable[[NDArray[np.int64]], float]) -> Measurement:
    """Estimates from sampled batches, with the standard error as spread.

    Args:
        batches: Sums (B, ...) of batches of equal size, B >= 2.
        estimate: Function of the sum over batches.

    References:
        Efron and Stein, 1981, "The jackknife estimate of variance", doi 10.1214/aos/1176345462.
    """
    total = batches.sum(axis=0)
    without = np.array([estimate(total - batch) for batch in batches])
    return Measurement(estimate(total), spread=float(without.std() * np.sqrt(len(batches) - 1)))
