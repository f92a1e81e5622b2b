"""Feature columns made ready for a fit: gaps filled, constant columns dropped and counted, the rest standardised.

References:
    Ledoit & Wolf (2004), "A well-conditioned estimator for large-dimensional covariance matrices", for the shrinkage of
    the correlation; their rows are independent, ours are not, so that the shrinkage is too small rather than too large.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sbgd.errors import InputError
from sbgd.theory.law import Array

MAX_CORRELATED_COLUMNS = 2000


@dataclass(frozen=True, eq=False)
class Columns:
    """Standardised features, and what was dropped.

    Attributes:
        values: float64 (N, F): columns of mean 0 and variance 1.
        deviations: float64 (F,): their standard deviations before.
        num_missing: Entries that were not finite, replaced by the mean of their column.
        num_constant: Columns that were dropped because they do not vary.
    """

    values: Array
    deviations: Array
    num_missing: int
    num_constant: int

    @classmethod
    def of(cls, features: ArrayLike) -> Columns:
        """Standardises the columns of features (N, F).

        Raises:
            InputError: The array is not two-dimensional or no column varies.
        """
        raw = np.array(features, np.float64)
        if raw.ndim != 2 or not raw.size:
            raise InputError(f"expected features (N, F), got shape {raw.shape}; reshape a single column to (N, 1)")
        missing = ~np.isfinite(raw)
        filled = _filled(raw, missing)
        centred = filled - filled.mean(axis=0)
        deviations = np.sqrt((centred**2).mean(axis=0))
        # the mean of a constant 0.1 is not 0.1: its computed deviation has the size of rounding
        varies = deviations > 1e-12 * np.abs(filled).max(axis=0)
        if not varies.any():
            raise InputError(f"expected a column that varies, got {len(varies)} constant ones; there is no law to fit")
        values = centred[:, varies] / deviations[varies]
        return cls(values, deviations[varies], int(missing.sum()), int((~varies).sum()))

    @property
    def num_columns(self) -> int:
        """Number of columns F that vary."""
        return len(self.deviations)

    @property
    def effective_number(self) -> float:
        """F^2 / |R|^2 with the sample correlation R: F for uncorrelated columns, 1 for copies of one."""
        rows, size = self.values.shape
        gram = self.values @ self.values.T if rows < size else self.values.T @ self.values
        return float((rows * size) ** 2 / (gram**2).sum())

    def eigenvalues(self, *, standardised: bool, correlated: bool) -> Array:
        """Returns the eigenvalues of the covariance of the columns, (F,).

        Args:
            standardised: Whether the columns have unit variance or the one they came with.
            correlated: Whether they are correlated, up to 2,000 columns; beyond they are taken as independent.
        """
        scales = np.ones(self.num_columns) if standardised else self.deviations
        if not correlated or self.num_columns > MAX_CORRELATED_COLUMNS:
            return scales**2
        covariance = self.correlation() * np.outer(scales, scales)
        return np.asarray(np.linalg.eigvalsh(covariance), np.float64)

    def correlation(self) -> Array:
        """Returns the correlation of the columns, shrunk towards the identity, (F, F)."""
        num_rows, size = self.values.shape
        sample = self.values.T @ self.values / num_rows
        distance = float(((sample - np.eye(size)) ** 2).sum())
        fourth = float(((self.values**2).sum(axis=1) ** 2).mean())
        error = (fourth - float((sample**2).sum())) / num_rows
        share = min(error / distance, 1.0) if distance > 0 else 1.0
        return np.asarray((1 - share) * sample + share * np.eye(size), np.float64)


def _filled(raw: Array, missing: np.ndarray) -> Array:
    known = np.where(missing, 0.0, raw)
    means = known.sum(axis=0) / np.maximum((~missing).sum(axis=0), 1)
    return np.where(missing, means, raw)
