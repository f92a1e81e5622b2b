"""Covariances of node features that are functions of a graph matrix M: Sigma = h(M) has variances h(lambda_i).

All share the eigenvectors of M, so that a change of h changes N scalar problems and nothing else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import polynomial

from sbgd.errors import InputError
from sbgd.theory.law import Array


class Covariance(ABC):
    """Maps eigenvalues of a graph matrix to variances."""

    @abstractmethod
    def profile(self, eigenvalues: Array) -> Array:
        """Returns h(lambda), unchecked."""

    def __call__(self, eigenvalues: Array) -> Array:
        """Returns the variances (m,) of eigenvalues (m,).

        Raises:
            InputError: A variance is negative or not finite, so that Sigma is no covariance on this graph.
        """
        variances = self.profile(eigenvalues)
        bad = ~(np.isfinite(variances) & (variances >= 0))
        if bad.any():
            raise InputError(
                f"expected variances of at least 0, got {variances[bad][0]:.3g} at eigenvalue "
                f"{eigenvalues[bad][0]:.3g} for {self}; choose smaller coefficients or the normalised adjacency"
            )
        return variances


@dataclass(frozen=True)
class PolynomialCovariance(Covariance):
    """Sigma = sum_k c_k M^k.

    Attributes:
        coefficients: c_0, c_1, ...; (1,) is the identity, white features.
    """

    coefficients: tuple[float, ...]

    def profile(self, eigenvalues: Array) -> Array:
        """Returns h(lambda)."""
        return np.asarray(polynomial.polyval(eigenvalues, np.array(self.coefficients)), np.float64)


@dataclass(frozen=True)
class FilterCovariance(Covariance):
    """The covariance of filtered white noise, X = sum_k h_k M^k Z + sqrt(noise) Z': a linear message-passing layer.

    Attributes:
        taps: h_0, h_1, ...
        noise: Variance of the part that knows nothing of the graph.
    """

    taps: tuple[float, ...]
    noise: float = 0.0

    def profile(self, eigenvalues: Array) -> Array:
        """Returns h(lambda)."""
        return np.asarray(polynomial.polyval(eigenvalues, np.array(self.taps)) ** 2 + self.noise, np.float64)


@dataclass(frozen=True)
class ResolventCovariance(Covariance):
    """Sigma = (I - c M)^-1, a Gaussian Markov random field on the edges; positive for c |lambda| < 1.

    Attributes:
        strength: The coupling c of neighbours.
    """

    strength: float

    def profile(self, eigenvalues: Array) -> Array:
        """Returns h(lambda), negative beyond the pole."""
        with np.errstate(divide="ignore"):
            return 1 / (1 - self.strength * eigenvalues)


@dataclass(frozen=True)
class ExponentialCovariance(Covariance):
    """Sigma = exp(c M), the diffusion kernel of Kondor & Lafferty (2002).

    Attributes:
        strength: The time c of diffusion.
    """

    strength: float

    def profile(self, eigenvalues: Array) -> Array:
        """Returns h(lambda), infinite where it overflows."""
        with np.errstate(over="ignore"):
            return np.exp(self.strength * eigenvalues)


@dataclass(frozen=True)
class LogSplineCovariance(Covariance):
    """ln h piecewise linear between knots and constant beyond: positive whatever the values.

    Attributes:
        knots: Increasing eigenvalues.
        logs: ln h at the knots; a single one is a constant profile.
    """

    knots: tuple[float, ...]
    logs: tuple[float, ...]

    def profile(self, eigenvalues: Array) -> Array:
        """Returns h(lambda)."""
        return np.exp(np.interp(eigenvalues, self.knots, self.logs))
