"""Posterior sampling of discrete fields: draws x_0 itself, then q(x_s | x_t, x_0)."""

from __future__ import annotations

from typing import ClassVar

from jaxtyping import Float
from torch import Tensor

from sbgd.diffusion.coupled import CoupledSDE, Fields
from sbgd.diffusion.process import expand
from sbgd.diffusion.solvers.solver import Solver


class PosteriorSampling(Solver):
    """x_s from q(x_s | x_t, x_0), with x_0 of discrete fields drawn entry by entry from its law given x_t.

    With independent entries, the marginal law of x_s is exact in any number of steps, where `Ancestral`, which puts the
    mean of x_0 in its place, needs many steps to find rare values. Fields without a law to draw from, real-valued ones,
    move as in `Ancestral`.

    References:
        The scheme of Austin et al., 2021, arXiv:2107.03006, section 3, for categorical noise; with Gaussian noise it is
        our own instantiation.
    """

    name: ClassVar[str] = "posterior"

    def step(self, system: CoupledSDE, x: Fields, t: Float[Tensor, " b"], s: Float[Tensor, " b"]) -> Fields:
        """Returns the diffused fields at s."""
        clean = system.denoised(x, t)
        moved = {}
        for name, sde in system.sdes.items():
            value, x0 = x[name], clean[name]
            if name in system.resample:
                x0 = system.resample[name](x0, system.draw(name, value)) * system.entries(name, value)
            rho, tau = (expand(part, value) for part in sde.transition(s, t))
            alpha, sigma = expand(sde.alpha(t), value), expand(sde.sigma(t), value)
            mean = (value + tau**2 * (alpha * x0 - value) / sigma**2) / rho
            moved[name] = mean + tau * expand(sde.sigma(s), value) / sigma * system.draw(name, value)
        return moved
