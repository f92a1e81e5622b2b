"""Estimators of the squared maximum mean discrepancy, MMD^2 = E k(x, x') + E k(y, y') - 2 E k(x, y).

The biased one, printed in nearly all papers, averages over all pairs with the diagonal k(x, x) = 1 included. For equal
laws its mean is (1/n + 1/m) (1 - E k(x, x')), at most the floor 1/n + 1/m, which it reaches when the kernel is so
narrow that only equal graphs look alike. The unbiased one leaves the diagonal out and has mean 0 for equal laws.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Gram = NDArray[np.float64]


@dataclass(frozen=True)
class Grams:
    """Kernel values within and between two samples.

    Attributes:
        xx: (n, n) within the first sample.
        yy: (m, m) within the second sample.
        xy: (n, m) between them.
    """

    xx: Gram
    yy: Gram
    xy: Gram

    @property
    def floor(self) -> float:
        """1/n + 1/m."""
        return 1.0 / len(self.xx) + 1.0 / len(self.yy)


@dataclass(frozen=True)
class MMDEstimate:
    """A squared MMD with what is needed to read it.

    Attributes:
        biased: The V-statistic.
        unbiased: The U-statistic, may be negative; None with fewer than two graphs on a side.
        floor: 1/n + 1/m, the most that the biased estimate can owe to its bias.
        interval: 95 % bootstrap interval of the unbiased estimate; None where that is None.
    """

    biased: float
    unbiased: float | None
    floor: float
    interval: tuple[float, float] | None


def biased_mmd(grams: Grams) -> float:
    """Returns the biased estimate (V-statistic), Gretton et al., 2012, JMLR 13, eq. 5."""
    return float(grams.xx.mean() + grams.yy.mean() - 2 * grams.xy.mean())


def unbiased_mmd(grams: Grams) -> float | None:
    """Returns the unbiased estimate, Gretton et al., 2012, JMLR 13, eq. 3; None with fewer than two a side."""
    n, m = grams.xy.shape
    if min(n, m) < 2:
        return None
    within_x = (grams.xx.sum() - np.trace(grams.xx)) / (n * (n - 1))
    within_y = (grams.yy.sum() - np.trace(grams.yy)) / (m * (m - 1))
    return float(within_x + within_y - 2 * grams.xy.mean())


def bootstrap_interval(
    grams: Grams, *, level: float = 0.95, num_resamples: int = 1000, generator: np.random.Generator
) -> tuple[float, float] | None:
    """Returns a percentile interval of the unbiased estimate over resamples of both sets of graphs.

    A graph drawn twice is not compared with itself, otherwise every resample would be shifted up by about 1/n + 1/m.
    Near 0 the interval describes the noise of the sets and is only approximate as a test.

    Args:
        grams: Kernel values of the two samples.
        level: Share of resamples inside the interval.
        num_resamples: Number of resamples.
        generator: Source of randomness.

    Returns:
        Lower and upper end, or None with fewer than two graphs on a side.
    """
    n, m = grams.xy.shape
    if min(n, m) < 2:
        return None
    w = generator.multinomial(n, np.full(n, 1 / n), size=num_resamples).astype(float)
    v = generator.multinomial(m, np.full(m, 1 / m), size=num_resamples).astype(float)
    between = np.einsum("bi,bi->b", w @ grams.xy, v) / (n * m)
    values = _distinct_mean(grams.xx, w) + _distinct_mean(grams.yy, v) - 2 * between
    values = values[np.isfinite(values)]
    tail = 100 * (1 - level) / 2
    low, high = np.percentile(values, [tail, 100 - tail])
    return float(low), float(high)


def estimate_mmd(grams: Grams, *, generator: np.random.Generator) -> MMDEstimate:
    """Returns all estimates of one pair of samples."""
    return MMDEstimate(
        biased=biased_mmd(grams),
        unbiased=unbiased_mmd(grams),
        floor=grams.floor,
        interval=bootstrap_interval(grams, generator=generator),
    )


def _distinct_mean(gram: Gram, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the weighted mean of the off-diagonal kernel values, (B,); NaN where one graph has all the weight."""
    total = np.einsum("bi,bi->b", weights @ gram, weights) - (weights**2) @ np.diag(gram)
    pairs = weights.sum(axis=1) ** 2 - (weights**2).sum(axis=1)
    return np.where(pairs > 0, total, np.nan) / np.where(pairs > 0, pairs, 1)
