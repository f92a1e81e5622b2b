"""Kernels between descriptor vectors: k(x, y) = f(distance(x, y)), one class a kernel.

TV(x, y) = |x - y|_1 / 2. EMD is the 1-D Wasserstein distance, |cumsum(x) - cumsum(y)|_1 exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

Vectors = NDArray[np.float64]


class Kernel(Protocol):
    """A symmetric function of two vectors with k(x, x) = 1."""

    def __call__(self, x: Vectors, y: Vectors) -> NDArray[np.float64]:
        """Returns the Gram matrix (n, m) of vectors (n, K) and (m, L), the shorter ones padded with zeros."""
        ...


@dataclass(frozen=True)
class GaussianTV:
    """k(x, y) = exp(-TV(x, y)^2 / (2 sigma^2)); not positive definite, so a biased MMD^2 can fall below 0.

    References:
        Liao et al., 2019, arXiv:1910.00760; O'Bray et al., 2022, arXiv:2106.01098, on definiteness.
    """

    sigma: float

    def __call__(self, x: Vectors, y: Vectors) -> NDArray[np.float64]:
        """Returns the Gram matrix (n, m)."""
        return np.exp(-(total_variation(x, y) ** 2) / (2 * self.sigma**2))


@dataclass(frozen=True)
class GaussianEMD:
    """k(x, y) = exp(-EMD(x, y)^2 / (2 sigma^2)) with neighbouring bins at distance 1 / distance_scaling.

    Exact, where the solvers behind published numbers round masses and costs to about 1e-6.

    References:
        You et al., 2018, arXiv:1802.08773.
    """

    sigma: float
    distance_scaling: float = 1.0

    def __call__(self, x: Vectors, y: Vectors) -> NDArray[np.float64]:
        """Returns the Gram matrix (n, m)."""
        x, y = _padded(x, y)
        distance = cdist(np.cumsum(x, axis=1), np.cumsum(y, axis=1), "cityblock") / self.distance_scaling
        return np.exp(-(distance**2) / (2 * self.sigma**2))


@dataclass(frozen=True)
class GaussianL2:
    """k(x, y) = exp(-|x - y|_2^2 / (2 sigma^2)), positive definite."""

    sigma: float

    def __call__(self, x: Vectors, y: Vectors) -> NDArray[np.float64]:
        """Returns the Gram matrix (n, m)."""
        return np.exp(-cdist(*_padded(x, y), "sqeuclidean") / (2 * self.sigma**2))


@dataclass(frozen=True)
class LaplacianTV:
    """k(x, y) = exp(-TV(x, y) / sigma), positive definite.

    References:
        O'Bray et al., 2022, arXiv:2106.01098.
    """

    sigma: float

    def __call__(self, x: Vectors, y: Vectors) -> NDArray[np.float64]:
        """Returns the Gram matrix (n, m)."""
        return np.exp(-total_variation(x, y) / self.sigma)


def total_variation(x: Vectors, y: Vectors) -> NDArray[np.float64]:
    """Returns |x_i - y_j|_1 / 2 for all pairs, (n, m); the shorter vectors are padded with zeros."""
    return 0.5 * cdist(*_padded(x, y), "cityblock")


def _padded(x: Vectors, y: Vectors) -> tuple[Vectors, Vectors]:
    width = max(x.shape[1], y.shape[1])
    return (
        np.pad(x, ((0, 0), (0, width - x.shape[1]))),
        np.pad(y, ((0, 0), (0, width - y.shape[1]))),
    )
