"""Noise schedules: the share of signal that is left at time t in [0, 1].

Every process here is written in terms of abar(t), decreasing from 1 at t = 0 to about 0 at t = 1: a binary entry keeps
its value with probability abar (Austin et al. 2021, arXiv 2107.03006), a real one becomes
sqrt(abar) x_0 + sqrt(1 - abar) eps (Ho et al. 2020, arXiv 2006.11239, eq. 4).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor


class Schedule(ABC):
    """Maps time to the share of signal left."""

    @abstractmethod
    def __call__(self, t: Float[Tensor, "*b"]) -> Float[Tensor, "*b"]:
        """Returns abar(t) in [0, 1], decreasing in t."""

    @abstractmethod
    def inverse(self, abar: Float[Tensor, "*b"]) -> Float[Tensor, "*b"]:
        """Returns the time at which abar(t) equals `abar`."""

    def training_times(self, uniform: Float[Tensor, " b"], *, max_signal: float = 0.995) -> Float[Tensor, " b"]:
        """Turns uniform draws into training times whose abar is uniform on (abar(1), max_signal)."""
        low = self(torch.ones_like(uniform))
        return self.inverse(low + (max_signal - low) * uniform)


@dataclass(frozen=True)
class CosineSchedule(Schedule):
    """abar(t) = cos^2(pi t / 2) (Nichol & Dhariwal 2021, arXiv 2102.09672, eq. 17, without offset)."""

    def __call__(self, t: Float[Tensor, "*b"]) -> Float[Tensor, "*b"]:
        """Returns abar(t)."""
        return torch.cos(t.clamp(0, 1) * (math.pi / 2)) ** 2

    def inverse(self, abar: Float[Tensor, "*b"]) -> Float[Tensor, "*b"]:
        """Returns the time of `abar`."""
        return torch.acos(abar.clamp(0, 1).sqrt()) * (2 / math.pi)


@dataclass(frozen=True)
class VPSchedule(Schedule):
    """abar(t) = exp(-beta_min t - (beta_max - beta_min) t^2 / 2): the VP SDE (Song et al. 2021, arXiv 2011.13456).

    Attributes:
        beta_min: Noise rate at t = 0, above 0.
        beta_max: Noise rate at t = 1, above `beta_min`.
    """

    beta_min: float = 0.1
    beta_max: float = 20.0

    def __call__(self, t: Float[Tensor, "*b"]) -> Float[Tensor, "*b"]:
        """Returns abar(t)."""
        return torch.exp(-self.beta_min * t - 0.5 * (self.beta_max - self.beta_min) * t**2)

    def inverse(self, abar: Float[Tensor, "*b"]) -> Float[Tensor, "*b"]:
        """Returns the time of `abar`, the positive root of a quadratic."""
        slope = self.beta_max - self.beta_min
        total = -torch.log(abar.clamp(min=1e-30))
        return (torch.sqrt(self.beta_min**2 + 2 * slope * total) - self.beta_min) / slope
