"""How sure an MMD^2 is: a permutation test of equal laws and a bootstrap interval that agrees with it.

If both samples have one law, every way to deal the pooled graphs out into n and m is as likely as the one seen, so that
the share of ways with a larger unbiased MMD^2 is a p-value whatever the kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.mmd import Gram, Grams, unbiased_mmd

Floats = NDArray[np.float64]

LEVEL = 0.95
NUM_PERMUTATIONS = 999
NUM_RESAMPLES = 1000


@dataclass(frozen=True)
class PermutationTest:
    """The law of the unbiased MMD^2 when both samples have one law.

    Attributes:
        observed: Unbiased MMD^2 of the samples as they are; the largest over the widths of the kernel.
        permuted: The same of random ways to deal the pooled sample out, (B,).
    """

    observed: float
    permuted: Floats

    @property
    def p_value(self) -> float:
        """(1 + number of permuted values >= the observed one) / (1 + B): at most a with probability a if laws agree.

        References:
            Phipson and Smyth, 2010, doi 10.2202/1544-6115.1585.
        """
        # equal sums are added in another order, and a tie that rounding breaks would make the test reject too often
        rounding = 1e-10 * max(abs(self.observed), float(np.abs(self.permuted).max()))
        reached = self.permuted >= self.observed - rounding
        return float((1 + reached.sum()) / (1 + len(self.permuted)))

    def critical(self, level: float) -> float:
        """Returns the value that equal laws stay below with probability `level`."""
        return float(np.quantile(self.permuted, level))


def permutation_test(
    pooled: Sequence[Gram], n: int, *, num_permutations: int = NUM_PERMUTATIONS, generator: np.random.Generator
) -> PermutationTest | None:
    """Tests whether the first n graphs of a pooled sample have the law of the others.

    Args:
        pooled: Kernel values of the pooled sample at every width, each (n + m, n + m). Widths that are chosen from the
            data must depend on the pooled sample only; then the test holds for the largest value over them.
        n: Size of the first sample.
        num_permutations: Number of random permutations B.
        generator: Source of randomness.

    Returns:
        The test, or None with fewer than two graphs on a side.
    """
    total = len(pooled[0])
    if min(n, total - n) < 2:
        return None
    first = np.zeros((num_permutations + 1, total))
    first[0, :n] = 1
    order = np.argsort(generator.random((num_permutations, total)), axis=1)[:, :n]
    np.put_along_axis(first[1:], order, 1.0, axis=1)
    values = np.max([_unbiased(gram, first) for gram in pooled], axis=0)
    return PermutationTest(float(values[0]), values[1:])


def bootstrap_interval(
    grams: Grams,
    test: PermutationTest,
    *,
    level: float = LEVEL,
    num_resamples: int = NUM_RESAMPLES,
    generator: np.random.Generator,
) -> tuple[float, float]:
    """Returns an interval for MMD^2 that excludes 0 exactly where the permutation test rejects equal laws.

    It is the percentile interval of the unbiased estimate over resamples of both sets of graphs, where a graph drawn
    twice is not compared with itself, otherwise every resample would be shifted up by about 1/n + 1/m. Near equal laws
    the bootstrap is too wide, and its lower end is corrected: to at most 0 if the test does not reject at 1 - level,
    and if it does to the estimate less the critical value where it was not positive.

    Args:
        grams: Kernel values of the two samples, at least two graphs each.
        test: Permutation test of the same samples.
        level: Share of samples whose interval covers the truth.
        num_resamples: Number of resamples.
        generator: Source of randomness.

    Returns:
        Lower and upper end.
    """
    estimate = unbiased_mmd(grams)
    assert estimate is not None
    tail = (1 - level) / 2
    low, high = np.quantile(_resampled(grams, num_resamples, generator), [tail, 1 - tail])
    excess = test.observed - test.critical(level)
    if test.p_value > 1 - level:
        low = min(low, 0.0)
    elif low <= 0:
        low = max(min(excess, estimate), np.finfo(float).tiny)
    return float(low), float(max(high, low))


def _unbiased(gram: Gram, first: Floats) -> Floats:
    """Returns the unbiased MMD^2 of every split, (B,), given the members of the first sample as 0 and 1, (B, n + m)."""
    n, m = first[0].sum(), len(gram) - first[0].sum()
    kernel = gram - np.diag(np.diag(gram))
    reach = first @ kernel
    within_first = np.einsum("bi,bi->b", reach, first)
    between = reach.sum(axis=1) - within_first
    within_second = kernel.sum() - within_first - 2 * between
    return within_first / (n * (n - 1)) + within_second / (m * (m - 1)) - 2 * between / (n * m)


def _resampled(grams: Grams, num_resamples: int, generator: np.random.Generator) -> Floats:
    n, m = grams.xy.shape
    w = generator.multinomial(n, np.full(n, 1 / n), size=num_resamples).astype(float)
    v = generator.multinomial(m, np.full(m, 1 / m), size=num_resamples).astype(float)
    between = np.einsum("bi,bi->b", w @ grams.xy, v) / (n * m)
    values = _distinct_mean(grams.xx, w) + _distinct_mean(grams.yy, v) - 2 * between
    return values[np.isfinite(values)]


def _distinct_mean(gram: Gram, weights: Floats) -> Floats:
    """Returns the weighted mean of the off-diagonal kernel values, (B,); NaN where one graph has all the weight."""
    total = np.einsum("bi,bi->b", weights @ gram, weights) - (weights**2) @ np.diag(gram)
    pairs = weights.sum(axis=1) ** 2 - (weights**2).sum(axis=1)
    return np.where(pairs > 0, total, np.nan) / np.where(pairs > 0, pairs, 1)
