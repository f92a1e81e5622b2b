"""Ancestral sampling: the posterior q(x_s | x_t, x_0) at the x_0 that the score expects."""

from __future__ import annotations

from typing import ClassVar

from jaxtyping import Float
from torch import Tensor

from sbgd.diffusion.coupled import CoupledSDE, Fields
from sbgd.diffusion.process import expand
from sbgd.diffusion.solvers.solver import Solver


class Ancestral(Solver):
    """x_s = (x + tau^2 score) / rho + tau (sigma_s / sigma_t) z.

    The mean is that of q(x_s | x_t, x_0) with x_0 = (x + sigma_t^2 score) / alpha_t, for any linear SDE.

    References:
        Ho et al., 2020, arXiv:2006.11239, eq. 7; Song et al., 2021, arXiv:2011.13456, appendix F, for VE.
    """

    name: ClassVar[str] = "ancestral"

    def step(self, system: CoupledSDE, x: Fields, t: Float[Tensor, " b"], s: Float[Tensor, " b"]) -> Fields:
        """Returns the diffused fields at s."""
        scores = system.scores(x, t)
        moved = {}
        for name, sde in system.sdes.items():
            value = x[name]
            rho, tau = (expand(part, value) for part in sde.transition(s, t))
            spread = tau * expand(sde.sigma(s) / sde.sigma(t), value)
            moved[name] = (value + tau**2 * scores[name]) / rho + spread * system.draw(name, value)
        return moved
