"""Standardisation of real-valued node features, undone exactly on output."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError


@dataclass(frozen=True, eq=False)
class FeatureScaler:
    """Per-column mean and standard deviation; a constant column keeps the scale 1.

    Attributes:
        mean: float64 (f,).
        scale: float64 (f,), above 0.
    """

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]

    @classmethod
    def fit(cls, features: Iterable[NDArray[np.float64] | None]) -> FeatureScaler:
        """Fits the columns of all graphs together.

        Raises:
            InputError: Some graphs have features and others have none, or the numbers of columns differ.
        """
        arrays = list(features)
        widths = {0 if array is None else array.shape[1] for array in arrays}
        if len(widths) > 1:
            raise InputError(
                f"expected the same feature columns in every graph, got {sorted(widths)} columns; "
                "drop the features or complete them"
            )
        stacked = np.concatenate([array for array in arrays if array is not None] or [np.zeros((1, 0))])
        if not len(stacked):
            return cls(np.zeros(stacked.shape[1]), np.ones(stacked.shape[1]))
        deviation = stacked.std(axis=0)
        mean = stacked.mean(axis=0)
        constant = deviation <= 1e-12 * np.maximum(np.abs(mean), 1)
        return cls(mean, np.where(constant, 1.0, deviation))

    @property
    def num_features(self) -> int:
        """Number of columns f."""
        return len(self.mean)

    def standardise(self, features: NDArray[np.float64] | None, num_nodes: int) -> NDArray[np.float32]:
        """Returns (x - mean) / scale as float32 (N, f); (N, 0) for a graph without features."""
        if features is None:
            return np.zeros((num_nodes, 0), np.float32)
        return ((features - self.mean) / self.scale).astype(np.float32)

    def restore(self, standardised: NDArray[np.float32]) -> NDArray[np.float64]:
        """Returns features in their original scale, float64 (N, f)."""
        return standardised.astype(np.float64) * self.scale + self.mean
