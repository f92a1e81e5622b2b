"""Standardisation of descriptor vectors by the moments of one of the sets: x -> (x - mean) / deviation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.distances import Vectors, padded

_ROUNDING = 1e-9
"""A column whose deviation is below this share of its mean is constant: the rest is order of summation."""


@dataclass(frozen=True, eq=False)
class Standardisation:
    """Centring and scaling of every column.

    Attributes:
        mean: Subtracted first (K,).
        scale: Divisor (K,), 1 for constant columns.
    """

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]

    @classmethod
    def fitted(cls, vectors: Vectors) -> Standardisation:
        """Takes the moments of vectors (n, K), n >= 1."""
        mean, scale = vectors.mean(axis=0), vectors.std(axis=0)
        return cls(mean, np.where(scale <= _ROUNDING * np.abs(mean), 1.0, scale))

    def __call__(self, vectors: Vectors) -> Vectors:
        """Returns vectors (n, L) standardised, (n, max(K, L)); columns beyond K stay as they are."""
        wide, mean = padded(vectors, self.mean[None])
        scale = np.concatenate([self.scale, np.ones(wide.shape[1] - len(self.scale))])
        return (wide - mean) / scale
