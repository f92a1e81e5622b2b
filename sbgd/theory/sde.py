"""Forward processes dx = f(t) x dt + g(t) dw that carry data to noise, in closed form.

x_t | x_0 ~ N(alpha_t x_0, sigma_t^2) with alpha_t = exp(int_0^t f) and d sigma_t^2 / dt = 2 f sigma_t^2 + g^2. From s
to t > s: x_t | x_s ~ N(rho x_s, tau^2), rho = alpha_t / alpha_s, tau^2 = sigma_t^2 - rho^2 sigma_s^2. Time starts at 0
and runs to any horizon T, the diffusion length; T = 1 is the convention of the literature.

References:
    Song et al. (2021), arXiv 2011.13456, Section 3.4 and Appendices B and C.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from sbgd.errors import InputError
from sbgd.theory.law import Array


class SDE(ABC):
    """A linear forward process; all methods work elementwise on arrays of times."""

    name: str

    @abstractmethod
    def drift(self, t: Array) -> Array:
        """Returns f(t)."""

    @abstractmethod
    def squared_diffusion(self, t: Array) -> Array:
        """Returns g(t)^2."""

    @abstractmethod
    def alpha(self, t: Array) -> Array:
        """Returns the share of signal alpha_t."""

    @abstractmethod
    def noise_variance(self, t: Array) -> Array:
        """Returns sigma_t^2."""

    @abstractmethod
    def prior_variance(self, horizon: float) -> float:
        """Returns the variance of the centred Gaussian from which sampling starts at T."""

    @abstractmethod
    def score_weight(self, s: Array, t: Array) -> Array:
        """Returns int_s^t (alpha_s / alpha_u) g(u)^2 du, what a score frozen on [s, t] is multiplied with."""

    @abstractmethod
    def time_of_log_snr(self, log_snr: Array) -> Array:
        """Returns the t at which ln(alpha_t^2 / sigma_t^2) equals `log_snr`."""

    def log_snr(self, t: Array) -> Array:
        """Returns ln(alpha_t^2 / sigma_t^2), decreasing from infinity at t = 0."""
        return 2 * np.log(self.alpha(t)) - np.log(self.noise_variance(t))

    def transition(self, s: Array, t: Array) -> tuple[Array, Array]:
        """Returns rho and tau^2 of x_t given x_s, s <= t."""
        rho = self.alpha(t) / self.alpha(s)
        return rho, np.maximum(self.noise_variance(t) - rho**2 * self.noise_variance(s), 0.0)


@dataclass(frozen=True)
class VP(SDE):
    """Variance preserving: f = -beta / 2, g^2 = beta, beta(t) = beta_min + (beta_max - beta_min) t.

    With B(t) = int_0^t beta: alpha^2 = exp(-B), sigma^2 = 1 - exp(-B), prior N(0, 1). Equal rates give the
    Ornstein-Uhlenbeck process of most convergence proofs.

    Attributes:
        beta_min: Noise rate at t = 0, above 0.
        beta_max: Noise rate at t = 1, at least `beta_min`.
    """

    beta_min: float = 0.1
    beta_max: float = 20.0
    name = "vp"

    def __post_init__(self) -> None:
        if not 0 < self.beta_min <= self.beta_max < np.inf:
            raise InputError(f"expected 0 < beta_min <= beta_max, got {self.beta_min} and {self.beta_max}")

    def beta(self, t: Array) -> Array:
        """Returns the noise rate at t."""
        return self.beta_min + (self.beta_max - self.beta_min) * t

    def integrated_beta(self, t: Array) -> Array:
        """Returns B(t)."""
        return self.beta_min * t + 0.5 * (self.beta_max - self.beta_min) * t**2

    def drift(self, t: Array) -> Array:
        """Returns f(t)."""
        return -0.5 * self.beta(t)

    def squared_diffusion(self, t: Array) -> Array:
        """Returns g(t)^2."""
        return self.beta(t)

    def alpha(self, t: Array) -> Array:
        """Returns alpha_t."""
        return np.exp(-0.5 * self.integrated_beta(t))

    def noise_variance(self, t: Array) -> Array:
        """Returns sigma_t^2."""
        return -np.expm1(-self.integrated_beta(t))

    def prior_variance(self, horizon: float) -> float:
        """Returns 1."""
        return 1.0

    def score_weight(self, s: Array, t: Array) -> Array:
        """Returns 2 (exp((B_t - B_s) / 2) - 1)."""
        return 2 * np.expm1(0.5 * (self.integrated_beta(t) - self.integrated_beta(s)))

    def time_of_log_snr(self, log_snr: Array) -> Array:
        """Returns the time at which B = ln(1 + exp(-log_snr))."""
        return self._time_of(np.logaddexp(0.0, -log_snr))

    def _time_of(self, integrated: Array) -> Array:
        # the root without cancellation, which also serves equal rates
        slope = self.beta_max - self.beta_min
        return 2 * integrated / (self.beta_min + np.sqrt(self.beta_min**2 + 2 * slope * integrated))


@dataclass(frozen=True)
class SubVP(VP):
    """Sub-variance preserving: the drift of `VP` with g^2 = beta (1 - exp(-2 B)), so that sigma^2 = (1 - exp(-B))^2."""

    name = "subvp"

    def squared_diffusion(self, t: Array) -> Array:
        """Returns g(t)^2."""
        return -self.beta(t) * np.expm1(-2 * self.integrated_beta(t))

    def noise_variance(self, t: Array) -> Array:
        """Returns sigma_t^2."""
        return np.expm1(-self.integrated_beta(t)) ** 2

    def score_weight(self, s: Array, t: Array) -> Array:
        """Returns the weight of `VP` less the integral of its second term."""
        low, high = self.integrated_beta(s), self.integrated_beta(t)
        return super().score_weight(s, t) + 2 / 3 * np.exp(-2 * low) * np.expm1(-1.5 * (high - low))

    def time_of_log_snr(self, log_snr: Array) -> Array:
        """Returns the time at which sigma^2 / alpha^2 = 4 sinh^2(B / 2) = exp(-log_snr)."""
        return self._time_of(2 * np.arcsinh(0.5 * np.exp(-0.5 * log_snr)))


@dataclass(frozen=True)
class VE(SDE):
    """Variance exploding: f = 0 and sigma_t^2 = sigma_min^2 (r^(2 t) - 1) with r = sigma_max / sigma_min.

    This is the exact law of the SDE; Song et al. drop the -1, which leaves noise of sigma_min at t = 0. The prior is
    N(0, sigma_min^2 r^(2 T)), theirs.

    Attributes:
        sigma_min: Scale of the noise near t = 0, above 0.
        sigma_max: Scale of the noise at t = 1, above `sigma_min`.
    """

    sigma_min: float = 0.01
    sigma_max: float = 50.0
    name = "ve"

    def __post_init__(self) -> None:
        if not 0 < self.sigma_min < self.sigma_max < np.inf:
            raise InputError(f"expected 0 < sigma_min < sigma_max, got {self.sigma_min} and {self.sigma_max}")

    @property
    def log_ratio(self) -> float:
        """Returns ln(sigma_max / sigma_min)."""
        return float(np.log(self.sigma_max / self.sigma_min))

    def drift(self, t: Array) -> Array:
        """Returns 0."""
        return np.zeros_like(t)

    def squared_diffusion(self, t: Array) -> Array:
        """Returns g(t)^2."""
        return 2 * self.log_ratio * self.sigma_min**2 * np.exp(2 * self.log_ratio * t)

    def alpha(self, t: Array) -> Array:
        """Returns 1."""
        return np.ones_like(t)

    def noise_variance(self, t: Array) -> Array:
        """Returns sigma_t^2."""
        return self.sigma_min**2 * np.expm1(2 * self.log_ratio * t)

    def prior_variance(self, horizon: float) -> float:
        """Returns sigma_min^2 r^(2 T)."""
        return self.sigma_min**2 * float(np.exp(2 * self.log_ratio * horizon))

    def score_weight(self, s: Array, t: Array) -> Array:
        """Returns sigma_t^2 - sigma_s^2."""
        return self.noise_variance(t) - self.noise_variance(s)

    def time_of_log_snr(self, log_snr: Array) -> Array:
        """Returns the time at which sigma_t^2 = exp(-log_snr)."""
        return np.log1p(np.exp(-log_snr) / self.sigma_min**2) / (2 * self.log_ratio)


SDES: dict[str, SDE] = {sde.name: sde for sde in (VP(), SubVP(), VE())}
