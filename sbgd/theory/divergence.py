"""Exact distances between two Gaussian laws that share a basis.

With per-coordinate laws p_i = N(m_i, v_i) and q_i = N(n_i, u_i),
KL(p || q) = sum_i w_i (v_i / u_i - 1 - ln(v_i / u_i) + (m_i - n_i)^2 / u_i) / 2 and
W2(p, q)^2 = sum_i w_i ((m_i - n_i)^2 + (sqrt v_i - sqrt u_i)^2).

References:
    Gelbrich (1990), "On a formula for the L2 Wasserstein metric between measures on Euclidean and Hilbert spaces";
    for covariances that commute the Bures term is a difference of square roots.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sbgd.errors import InputError
from sbgd.theory.law import Array, GaussianLaw

Metric = Literal["relative_w2", "kl_per_dimension", "reverse_kl_per_dimension"]
METRICS: tuple[Metric, ...] = ("relative_w2", "kl_per_dimension", "reverse_kl_per_dimension")


@dataclass(frozen=True)
class Divergence:
    """How far the law of an output is from the law of the data; totals, and the same per dimension or spread.

    Attributes:
        kl: KL(output || data) in nats, summed over all coordinates.
        reverse_kl: KL(data || output) in nats, summed over all coordinates.
        w2: 2-Wasserstein distance, in the units of the data.
        dimension: Number of coordinates N F.
        spread: sqrt(trace Sigma), the root mean square distance of the data from their mean.
    """

    kl: float
    reverse_kl: float
    w2: float
    dimension: float
    spread: float

    @property
    def kl_per_dimension(self) -> float:
        """KL(output || data) / (N F)."""
        return self.kl / self.dimension

    @property
    def reverse_kl_per_dimension(self) -> float:
        """KL(data || output) / (N F)."""
        return self.reverse_kl / self.dimension

    @property
    def w2_per_dimension(self) -> float:
        """Root mean square error of a coordinate under the best coupling, W2 / sqrt(N F)."""
        return self.w2 / math.sqrt(self.dimension)

    @property
    def relative_w2(self) -> float:
        """W2 / sqrt(trace Sigma): free of units, and the same before and after features are scaled."""
        return self.w2 / self.spread if self.spread else math.inf

    def value(self, metric: Metric) -> float:
        """Returns the named figure.

        Raises:
            InputError: There is no such metric.
        """
        return float(getattr(self, checked_metric(metric)))


def checked_metric(metric: str) -> str:
    """Returns the name unchanged.

    Raises:
        InputError: It names no metric.
    """
    if metric not in METRICS:
        raise InputError(f"expected a metric among {', '.join(METRICS)}, got {metric!r}")
    return metric


def divergence(output: GaussianLaw, data: GaussianLaw) -> Divergence:
    """Returns the distances of `output` to `data`, two laws over the same atoms."""
    return Divergence(
        kl=kl(output, data),
        reverse_kl=kl(data, output),
        w2=w2(output, data),
        dimension=data.dimension,
        spread=math.sqrt(data.total_variance),
    )


def kl(p: GaussianLaw, q: GaussianLaw) -> float:
    """Returns KL(p || q) in nats; infinite where one law is singular and the other is not."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        excess = np.where(p.variances == q.variances, 0.0, (p.variances - q.variances) / q.variances)
        # ln(1 + x) by log1p: the divergence of laws that agree to 1e-8 would otherwise be rounding alone
        spread_term = np.where(np.isinf(excess), np.inf, excess - np.log1p(excess))
        shift = p.means - q.means
        mean_term = np.where(shift == 0, 0.0, shift**2 / q.variances)
    return _weighted_sum(p.weights, 0.5 * (spread_term + mean_term))


def w2(p: GaussianLaw, q: GaussianLaw) -> float:
    """Returns the 2-Wasserstein distance."""
    return math.sqrt(_weighted_sum(p.weights, ((coordinates(p) - coordinates(q)) ** 2).sum(axis=0)))


def coordinates(law: GaussianLaw) -> Array:
    """Returns (mu_i, sqrt v_i) as (2, m): W2 is the w-weighted Euclidean distance of these."""
    return np.stack([law.means, np.sqrt(law.variances)])


def _weighted_sum(weights: Array, terms: Array) -> float:
    total = float(weights @ terms)
    return total if math.isfinite(total) else math.inf
