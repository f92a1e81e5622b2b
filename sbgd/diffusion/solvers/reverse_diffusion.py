"""Reverse diffusion: the reverse SDE discretised as the forward chain is."""

from __future__ import annotations

from typing import ClassVar

from jaxtyping import Float
from torch import Tensor

from sbgd.diffusion.coupled import CoupledSDE, Fields
from sbgd.diffusion.process import expand
from sbgd.diffusion.solvers.solver import Solver


class ReverseDiffusion(Solver):
    """x_s = (2 - rho) x + tau^2 score + tau z, where x_t = rho x_s + tau z is the exact forward step.

    References:
        Song et al., 2021, arXiv:2011.13456, eq. 46.
    """

    name: ClassVar[str] = "reverse_diffusion"

    def step(self, system: CoupledSDE, x: Fields, t: Float[Tensor, " b"], s: Float[Tensor, " b"]) -> Fields:
        """Returns the diffused fields at s."""
        scores = system.scores(x, t)
        moved = {}
        for name, sde in system.sdes.items():
            value = x[name]
            rho, tau = (expand(part, value) for part in sde.transition(s, t))
            moved[name] = (2 - rho) * value + tau**2 * scores[name] + tau * system.draw(name, value)
        return moved
