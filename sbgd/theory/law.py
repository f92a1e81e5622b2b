"""Gaussian laws that are diagonal in one shared basis: a weighted list of scalar Gaussians.

X | A ~ N(mu, Sigma) with Sigma a function of a symmetric graph matrix M = U diag(lambda) U^T is, in the coordinates
U^T X, a product of scalars N(mu_i, v_i). A linear sampler keeps it so: everything in this package is a sum over i.
A weight says how many coordinates share an atom, so that a spectral density serves as well as a list of eigenvalues.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbgd.errors import InputError

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GaussianLaw:
    """A product of scalar Gaussians N(mu_i, v_i), each standing for w_i coordinates.

    Build one with `GaussianLaw.of`, which checks; the constructor trusts its arguments.

    Attributes:
        means: float64 (m,): means mu_i.
        variances: float64 (m,): variances v_i, at least 0; infinite where a sampler diverged.
        weights: float64 (m,): coordinates per atom w_i, above 0 and not necessarily whole.
    """

    means: Array
    variances: Array
    weights: Array

    @classmethod
    def of(cls, variances: ArrayLike, *, weights: ArrayLike | None = None, means: ArrayLike = 0.0) -> GaussianLaw:
        """Builds a law; weights default to 1, means to 0, and a single mean serves all atoms.

        Raises:
            InputError: There is no atom, shapes differ, or a value is not finite or has the wrong sign.
        """
        v = np.atleast_1d(np.asarray(variances, np.float64))
        w = np.ones_like(v) if weights is None else np.atleast_1d(np.asarray(weights, np.float64))
        mu = np.asarray(means, np.float64)
        if v.ndim != 1 or not v.size or w.shape != v.shape or mu.shape not in {(), v.shape}:
            raise InputError(f"expected as many variances, weights and means, got {v.shape}, {w.shape}, {mu.shape}")
        if not (np.all(np.isfinite(v)) and v.min() >= 0):
            raise InputError(f"expected finite variances of at least 0, got {v.min()} to {v.max()}; check Sigma(A)")
        if not (np.all(np.isfinite(w)) and w.min() > 0 and np.all(np.isfinite(mu))):
            raise InputError("expected finite means and finite weights above 0; drop atoms without weight")
        return cls(np.broadcast_to(mu, v.shape), v, w)

    @property
    def dimension(self) -> float:
        """Number of coordinates, N F for F feature columns on N nodes."""
        return float(self.weights.sum())

    @property
    def total_variance(self) -> float:
        """The trace of Sigma, sum_i w_i v_i."""
        return float(self.weights @ self.variances)

    @property
    def mean_variance(self) -> float:
        """The average variance of a coordinate in any orthonormal basis, trace / dimension."""
        return self.total_variance / self.dimension

    @property
    def condition_number(self) -> float:
        """Largest over smallest variance, infinite for a singular law."""
        low = float(self.variances.min())
        return float(self.variances.max()) / low if low > 0 else float("inf")

    def scaled(self, factor: float) -> GaussianLaw:
        """Returns the law of `factor` times the variable."""
        return GaussianLaw(self.means * factor, self.variances * factor**2, self.weights)

    def compressed(self, num_atoms: int = 128) -> GaussianLaw:
        """Returns a law with at most `num_atoms` atoms: neighbours in log variance (and equal mean) are merged.

        Trace and dimension are kept; a function of the variance changes by the second order of the bin width. Laws
        with means that differ between atoms are returned as they are.
        """
        if len(self.variances) <= num_atoms or np.ptp(self.means):
            return self
        logs = np.log(np.maximum(self.variances, np.finfo(np.float64).tiny))
        low, high = logs.min(), logs.max()
        place = np.minimum(((logs - low) / max(high - low, 1e-300) * num_atoms).astype(np.int64), num_atoms - 1)
        weights = np.bincount(place, self.weights, num_atoms)
        traces = np.bincount(place, self.weights * self.variances, num_atoms)
        kept = weights > 0
        return GaussianLaw.of(traces[kept] / weights[kept], weights=weights[kept], means=self.means[0])
