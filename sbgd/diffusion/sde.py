"""Linear forward SDEs dx = f(t) x dt + g(t) dw on [0, 1], in closed form.

x_t | x_0 ~ N(alpha_t x_0, sigma_t^2), and from s to t > s, x_t | x_s ~ N(rho x_s, tau^2) with rho = alpha_t / alpha_s
and tau^2 = sigma_t^2 - rho^2 sigma_s^2. Run backwards without the score, as in the linear part of a splitting, x_t
becomes N(x_t / rho, tau^2 / rho^2).

References:
    Song et al., 2021, "Score-based generative modeling through stochastic differential equations", arXiv:2011.13456,
    section 3.4 and appendix B.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor

from sbgd.errors import InputError


class SDE(ABC):
    """A linear forward process; all methods work elementwise on tensors of times."""

    name: ClassVar[str]

    @abstractmethod
    def drift(self, t: Float[Tensor, "*b"]) -> Float[Tensor, "*b"]:
        """Returns f(t)."""

    @abstractmethod
    def squared_diffusion(self, t: Float[Tensor, "*b"]) -> Float[Tensor, "*b"]:
        """Returns g(t)^2."""

    @abstractmethod
    def alpha(self, t: Float[Tensor, "*b"]) -> Float[Tensor, "*b"]:
        """Returns the share of signal alpha_t."""

    @abstractmethod
    def sigma(self, t: Float[Tensor, "*b"]) -> Float[Tensor, "*b"]:
        """Returns the scale of the noise sigma_t."""

    @property
    @abstractmethod
    def prior_scale(self) -> float:
        """Standard deviation of the centred Gaussian from which sampling starts at t = 1."""

    def transition(
        self, s: Float[Tensor, "*b"], t: Float[Tensor, "*b"]
    ) -> tuple[Float[Tensor, "*b"], Float[Tensor, "*b"]]:
        """Returns rho and tau of x_t given x_s, s <= t."""
        rho = self.alpha(t) / self.alpha(s)
        variance = self.sigma(t) ** 2 - rho**2 * self.sigma(s) ** 2
        return rho, variance.clamp(min=0).sqrt()


@dataclass(frozen=True)
class VP(SDE):
    """Variance preserving: f = -beta / 2, g^2 = beta, beta(t) = beta_min + (beta_max - beta_min) t.

    With B(t) = int_0^t beta: alpha^2 = exp(-B), sigma^2 = 1 - exp(-B); prior N(0, 1).

    Attributes:
        beta_min: Noise rate at t = 0, above 0.
        beta_max: Noise rate at t = 1, at least `beta_min`.
    """

    beta_min: float = 0.1
    beta_max: float = 20.0
    name: ClassVar[str] = "vp"

    def __post_init__(self) -> None:
        if not 0 < self.beta_min <= self.beta_max < math.inf:
            raise InputError(f"expected 0 < beta_min <= beta_max, got {self.beta_min} and {self.beta_max}")

    def beta(self, t: Float[Tensor, "*b"]) -> Float[Tensor, "*b"]:
        """Returns the noise rate at t."""
        return self.beta_min + (self.beta_max - self.beta_min) * t

    def integrated_beta(self, t: Float[Tensor, "*b"]) -> Float[Tensor, "*b"]:
        """Returns B(t)."""
        return self.beta_min * t + 0.5 * (self.beta_max - self.beta_min) * t**2

    def drift(self, t: Float[Tensor, "*b"]) -> Float[Tensor, "*b"]:
        """Returns -beta / 2."""
        return -0.5 * self.beta(t)

    def squared_diffusion(self, t: Float[Tensor, "*b"]) -> Float[Tensor, "*b"]:
        """Returns beta."""
        return self.beta(t)

    def alpha(self, t: Float[Tensor, "*b"]) -> Float[Tensor, "*b"]:
        """Returns exp(-B / 2)."""
        return torch.exp(-0.5 * self.integrated_beta(t))

    def sigma(self, t: Float[Tensor, "*b"]) -> Float[Tensor, "*b"]:
        """Returns sqrt(1 - exp(-B))."""
        return (-torch.expm1(-self.integrated_beta(t))).sqrt()

    @property
    def prior_scale(self) -> float:
        """1."""
        return 1.0


@dataclass(frozen=True)
class SubVP(VP):
    """Sub-variance preserving: the drift of `VP` with g^2 = beta (1 - exp(-2 B)), so that sigma = 1 - exp(-B)."""

    name: ClassVar[str] = "subvp"

    def squared_diffusion(self, t: Float[Tensor, "*b"]) -> Float[Tensor, "*b"]:
        """Returns beta (1 - exp(-2 B))."""
        return -self.beta(t) * torch.expm1(-2 * self.integrated_beta(t))

    def sigma(self, t: Float[Tensor, "*b"]) -> Float[Tensor, "*b"]:
        """Returns 1 - exp(-B)."""
        return -torch.expm1(-self.integrated_beta(t))


@dataclass(frozen=True)
class VE(SDE):
    """Variance exploding: f = 0, sigma_t^2 = sigma_min^2 (r^(2 t) - 1), r = sigma_max / sigma_min.

    This is the exact law of the SDE from clean data; Song et al. drop the -1. The prior is N(0, sigma_max^2).

    Attributes:
        sigma_min: Scale of the noise near t = 0, above 0.
        sigma_max: Scale of the noise at t = 1, above `sigma_min`.
    """

    sigma_min: float = 0.01
    sigma_max: float = 50.0
    name: ClassVar[str] = "ve"

    def __post_init__(self) -> None:
        if not 0 < self.sigma_min < self.sigma_max < math.inf:
            raise InputError(f"expected 0 < sigma_min < sigma_max, got {self.sigma_min} and {self.sigma_max}")

    @property
    def log_ratio(self) -> float:
        """ln(sigma_max / sigma_min)."""
        return math.log(self.sigma_max / self.sigma_min)

    def drift(self, t: Float[Tensor, "*b"]) -> Float[Tensor, "*b"]:
        """Returns 0."""
        return torch.zeros_like(t)

    def squared_diffusion(self, t: Float[Tensor, "*b"]) -> Float[Tensor, "*b"]:
        """Returns d sigma_t^2 / dt."""
        return 2 * self.log_ratio * self.sigma_min**2 * torch.exp(2 * self.log_ratio * t)

    def alpha(self, t: Float[Tensor, "*b"]) -> Float[Tensor, "*b"]:
        """Returns 1."""
        return torch.ones_like(t)

    def sigma(self, t: Float[Tensor, "*b"]) -> Float[Tensor, "*b"]:
        """Returns sigma_min sqrt(r^(2 t) - 1)."""
        return self.sigma_min * torch.expm1(2 * self.log_ratio * t).sqrt()

    @property
    def prior_scale(self) -> float:
        """sigma_max."""
        return self.sigma_max
