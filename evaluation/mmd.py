"""Estimators of the squared maximum mean discrepancy, MMD^2 = E k(x, x') + E k(y, y') - 2 E k(x, y).

The biased one, printed in nearly all papers, averages over all pairs with the diagonal k(x, x) included. For equal
laws and k(x, x) = 1 its mean is (1/n + 1/m) (1 - E k(x, x')), at most the floor 1/n + 1/m, which it reaches when the
kernel is so narrow that only equal graphs look alike. The unbiased one leaves the diagonal out and has mean 0 then.
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
        """What the diagonals add to the biased estimate: 1/n + 1/m for kernels with k(x, x) = 1."""
        n, m = self.xy.shape
        return float(np.trace(self.xx) / n**2 + np.trace(self.yy) / m**2)


def biased_mmd(grams: Grams) -> float:
    """Returns the biased estimate (V-statistic), Gretton et al., 2012, JMLR 13, eq. 5."""
    return float(grams.xx.mean() + grams.yy.mean() - 2 * grams.xy.mean())


def unbiased_mmd(grams: Grams) -> float | None:
    """Returns the unbiased estimate, Gretton et al., 2012, JMLR 13, lemma 6; None with fewer than two a side."""
    n, m = grams.xy.shape
    if min(n, m) < 2:
        return None
    within_x = (grams.xx.sum() - np.trace(grams.xx)) / (n * (n - 1))
    within_y = (grams.yy.sum() - np.trace(grams.yy)) / (m * (m - 1))
    return float(within_x + within_y - 2 * grams.xy.mean())


def paired_mmd(grams: Grams) -> float | None:
    """Returns the U-statistic over pairs (x_i, y_i), which leaves k(x_i, y_i) out too: eq. 3 of the same paper.

    Unbiased for independent samples of one size, though it depends on their order; None for other samples.
    """
    n, m = grams.xy.shape
    if n != m or n < 2:
        return None
    h = grams.xx + grams.yy - grams.xy - grams.xy.T
    return float((h.sum() - np.trace(h)) / (n * (n - 1)))
