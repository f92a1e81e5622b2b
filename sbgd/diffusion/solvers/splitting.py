"""Symmetric splitting: the linear part exactly in two halves around a step of the score.

References:
    Jo et al., 2022, arXiv:2202.02514, section 3.3, "S4".
"""

from __future__ import annotations

from typing import ClassVar

from jaxtyping import Float
from torch import Tensor

from sbgd.diffusion.coupled import CoupledSDE, Fields
from sbgd.diffusion.process import expand
from sbgd.diffusion.sde import SDE
from sbgd.diffusion.solvers.langevin import langevin
from sbgd.diffusion.solvers.solver import Solver
from sbgd.errors import InputError


class S4(Solver):
    """Half a linear step, the score step x += g^2 score (t - s), half a linear step; one score evaluation for all.

    The linear part dx = f x dt + g dw is solved exactly backwards: x / rho + (tau / rho) z. With a corrector the same
    score first makes a Langevin step, which costs no evaluation.

    Args:
        snr: Ratio of the Langevin step, see `PredictorCorrector`; 0 for no corrector.
        noise_scale: Scale of its noise.
    """

    name: ClassVar[str] = "s4"

    def __init__(self, snr: float = 0.0, noise_scale: float = 1.0) -> None:
        if not snr >= 0 or not noise_scale >= 0:
            raise InputError(f"expected snr and noise_scale of at least 0, got {snr} and {noise_scale}")
        self.snr = snr
        self.noise_scale = noise_scale

    def step(self, system: CoupledSDE, x: Fields, t: Float[Tensor, " b"], s: Float[Tensor, " b"]) -> Fields:
        """Returns the diffused fields at s."""
        scores = system.scores(x, t)
        middle = 0.5 * (t + s)
        moved = {}
        for name, sde in system.sdes.items():
            value, score = x[name], scores[name]
            if self.snr:
                value = langevin(system, name, value, score, t, self.snr, self.noise_scale)
            value = _linear(system, name, sde, value, t, middle)
            value = value + expand(sde.squared_diffusion(middle) * (t - s), value) * score
            moved[name] = _linear(system, name, sde, value, middle, s)
        return moved


def _linear(
    system: CoupledSDE, name: str, sde: SDE, value: Tensor, t: Float[Tensor, " b"], s: Float[Tensor, " b"]
) -> Tensor:
    rho, tau = (expand(part, value) for part in sde.transition(s, t))
    return (value + tau * system.draw(name, value)) / rho
