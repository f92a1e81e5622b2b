"""Euler-Maruyama on the reverse SDE."""

from __future__ import annotations

from typing import ClassVar

from jaxtyping import Float
from torch import Tensor

from sbgd.diffusion.coupled import CoupledSDE, Fields
from sbgd.diffusion.process import expand
from sbgd.diffusion.solvers.solver import Solver


class EulerMaruyama(Solver):
    """x_s = x - [f x - g^2 score] (t - s) + g sqrt(t - s) z, coefficients at t.

    References:
        Song et al., 2021, arXiv:2011.13456, section 4.1.
    """

    name: ClassVar[str] = "euler_maruyama"

    def step(self, system: CoupledSDE, x: Fields, t: Float[Tensor, " b"], s: Float[Tensor, " b"]) -> Fields:
        """Returns the diffused fields at s."""
        scores = system.scores(x, t)
        moved = {}
        for name, sde in system.sdes.items():
            value = x[name]
            width = expand(t - s, value)
            g2 = expand(sde.squared_diffusion(t), value)
            drift = expand(sde.drift(t), value) * value - g2 * scores[name]
            moved[name] = value - drift * width + (g2 * width).sqrt() * system.draw(name, value)
        return moved
