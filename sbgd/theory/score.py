"""The score of a diffused Gaussian, exact or with a stated error.

For x_0 ~ N(m, v): x_t ~ N(alpha_t m, V_t) with V_t = alpha_t^2 v + sigma_t^2, and the score is linear,
s(x, t) = -(x - alpha_t m) / V_t. A network is modelled as
s_theta(x, t) = (1 + relative) s(x, t) + (offset + noise zeta) / sigma_t, zeta ~ N(0, 1) afresh at every evaluation.
The division by sigma_t makes offset and noise errors of the predicted unit noise -sigma_t s, which is what networks
learn. This perturbation is our own choice; every part of it keeps the sampler linear, so that its effect is exact.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np

from sbgd.errors import InputError
from sbgd.theory.law import Array, GaussianLaw
from sbgd.theory.sde import SDE


@dataclass(frozen=True)
class ScoreError:
    """How a network's score differs from the exact one.

    Attributes:
        relative: The score is multiplied with 1 + `relative`.
        offset: Constant error of the predicted noise in every coordinate of the eigenbasis.
        noise: Standard deviation of an error of the predicted noise that is independent of everything.
    """

    relative: float = 0.0
    offset: float = 0.0
    noise: float = 0.0

    def __post_init__(self) -> None:
        if not all(np.isfinite(astuple(self))) or self.noise < 0:
            raise InputError(f"expected finite score errors and noise of at least 0, got {self}")

    @property
    def is_zero(self) -> bool:
        """Whether the score is exact."""
        return astuple(self) == (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class LinearScore:
    """The score of one law under one process: s_theta(x, t) = slope(t) x + intercept(t) + N(0, noise_variance(t)).

    Attributes:
        law: Law of the data over m atoms.
        sde: Forward process.
        error: What is wrong with the score.
    """

    law: GaussianLaw
    sde: SDE
    error: ScoreError = ScoreError()

    def variance(self, t: Array) -> Array:
        """Returns V_t for times (k,) as (k, m)."""
        return (self.sde.alpha(t) ** 2)[:, None] * self.law.variances + self.sde.noise_variance(t)[:, None]

    def slope(self, t: Array) -> Array:
        """Returns the factor of x as (k, m); infinite where the law at t is singular."""
        with np.errstate(divide="ignore"):
            return -(1 + self.error.relative) / self.variance(t)

    def intercept(self, t: Array) -> Array:
        """Returns the constant part as (k, m)."""
        centred = self.sde.alpha(t)[:, None] * self.law.means
        exact = 0.0 if not np.any(centred) else -self.slope(t) * centred
        return exact + _per_sigma(self.error.offset, self.sde.noise_variance(t), power=0.5)

    def noise_variance(self, t: Array) -> Array:
        """Returns the variance of the independent error as (k, 1)."""
        return _per_sigma(self.error.noise**2, self.sde.noise_variance(t), power=1.0)


def _per_sigma(size: float, noise_variance: Array, *, power: float) -> Array:
    if size == 0:
        return np.zeros((len(noise_variance), 1))
    with np.errstate(divide="ignore"):
        return (size / noise_variance**power)[:, None]
