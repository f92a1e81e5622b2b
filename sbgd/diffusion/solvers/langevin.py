"""Predictor-corrector: a Langevin step at the new time after every step of another solver."""

from __future__ import annotations

from typing import ClassVar

from jaxtyping import Float
from torch import Tensor

from sbgd.diffusion.coupled import CoupledSDE, Fields
from sbgd.diffusion.process import expand
from sbgd.diffusion.solvers.solver import Solver
from sbgd.errors import InputError


class PredictorCorrector(Solver):
    """A step of a predictor, then Langevin steps x += e score + sqrt(2 e) c z at the time it arrives at.

    e = 2 (snr sigma_t)^2. The sources have 2 (snr |z| / |score|)^2 with norms averaged over a batch, of which this is
    the value for discrete data, where |score| is about |z| / sigma_t: a batch's norm would make a graph depend on its
    batch, and a graph's own norm, which varies with its state, widens the law of small graphs, without bound for a
    single entry. The factor 1 - beta / 1000 of the sources for VP, which is about 1, is left out too.

    Args:
        predictor: Makes the step.
        snr: Ratio of the score's step to the noise where |score| is |z| / sigma_t, above 0.
        noise_scale: c, 1 for the law of Langevin dynamics; GDSS takes less.
        num_corrections: Langevin steps a step.

    References:
        Song et al., 2021, arXiv:2011.13456, algorithms 4 and 5; Jo et al., 2022, arXiv:2202.02514, for the scale.
    """

    name: ClassVar[str] = "predictor_corrector"

    def __init__(self, predictor: Solver, snr: float = 0.1, noise_scale: float = 1.0, num_corrections: int = 1) -> None:
        if isinstance(predictor, PredictorCorrector):
            raise InputError("expected a predictor without a corrector of its own, got predictor_corrector")
        if not snr > 0 or not noise_scale >= 0 or num_corrections < 1:
            raise InputError(
                f"expected snr above 0, noise_scale of at least 0 and num_corrections of at least 1, got {snr}, "
                f"{noise_scale} and {num_corrections}"
            )
        self.predictor = predictor
        self.snr = snr
        self.noise_scale = noise_scale
        self.num_corrections = num_corrections
        self.evaluations = predictor.evaluations + num_corrections

    def step(self, system: CoupledSDE, x: Fields, t: Float[Tensor, " b"], s: Float[Tensor, " b"]) -> Fields:
        """Returns the diffused fields at s."""
        state = {**x, **self.predictor.step(system, x, t, s)}
        for _ in range(self.num_corrections):
            scores = system.scores(state, s)
            state |= {
                name: langevin(system, name, state[name], scores[name], s, self.snr, self.noise_scale)
                for name in system.sdes
            }
        return {name: state[name] for name in system.sdes}


def langevin(
    system: CoupledSDE,
    name: str,
    value: Float[Tensor, "b ..."],
    score: Float[Tensor, "b ..."],
    t: Float[Tensor, " b"],
    snr: float,
    noise_scale: float,
) -> Float[Tensor, "b ..."]:
    """Returns one field at t after a Langevin step, whose law is that of the score up to O(snr^2)."""
    size = expand(2 * (snr * system.sdes[name].sigma(t)) ** 2, value)
    return value + size * score + noise_scale * (2 * size).sqrt() * system.draw(name, value)
