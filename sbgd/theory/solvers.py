"""Solvers of the reverse process as affine maps: x_s = gain x_t + shift + N(0, noise) for a step from t to s < t.

The reverse SDE is dx = (f x - g^2 score) dt + g dw, the probability flow ODE dx = (f x - g^2 score / 2) dt. A solver
with one evaluation a step is x_s = carry x_t + push score(x_t, t) + N(0, spread); with a linear score that is affine.

References:
    Song et al. (2021), arXiv 2011.13456, eqs. 6 and 13; Ho et al. (2020), arXiv 2006.11239, eq. 7;
    Song, Meng & Ermon (2021), arXiv 2010.02502, eq. 12; Zhang & Chen (2023), arXiv 2204.13902; Karras et al. (2022),
    arXiv 2206.00364, Algorithm 1. Linear scores: Pierret & Galerne (2025), arXiv 2405.14250.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sbgd.theory.law import Array
from sbgd.theory.score import LinearScore
from sbgd.theory.sde import SDE


@dataclass(frozen=True, eq=False)
class AffineSteps:
    """All K steps of a sampler on m atoms.

    Attributes:
        gain: float64 (K, m).
        shift: float64 (K, m).
        noise: float64 (K, m), variances.
    """

    gain: Array
    shift: Array
    noise: Array


class Solver(ABC):
    """A rule for one step.

    Attributes:
        name: What the solver is called in tables.
        evaluations: Score evaluations a step, the unit of cost.
        follows_ode: Whether it solves the probability flow ODE rather than the reverse SDE.
    """

    name: ClassVar[str]
    evaluations: ClassVar[int] = 1
    follows_ode: ClassVar[bool] = False

    @abstractmethod
    def steps(self, score: LinearScore, times: Array) -> AffineSteps:
        """Returns the steps along decreasing times (K+1,)."""


class SingleEvaluation(Solver):
    """A solver that evaluates the score at the start of a step only."""

    @abstractmethod
    def weights(self, sde: SDE, t: Array, s: Array) -> tuple[Array, Array, Array]:
        """Returns carry, push and spread, each (K,), of the steps from t to s."""

    def steps(self, score: LinearScore, times: Array) -> AffineSteps:
        """Returns the steps along decreasing times (K+1,)."""
        t, s = times[:-1], times[1:]
        carry, push, spread = (weight[:, None] for weight in self.weights(score.sde, t, s))
        gain = carry + push * score.slope(t)
        shift = np.broadcast_to(push * score.intercept(t), gain.shape)
        return AffineSteps(gain, shift, np.broadcast_to(spread + push**2 * score.noise_variance(t), gain.shape))


@dataclass(frozen=True)
class EulerMaruyama(SingleEvaluation):
    """Euler-Maruyama on the reverse SDE."""

    name = "euler_maruyama"

    def weights(self, sde: SDE, t: Array, s: Array) -> tuple[Array, Array, Array]:
        """Returns 1 - h f, h g^2 and h g^2, h = t - s."""
        growth = (t - s) * sde.squared_diffusion(t)
        return 1 - (t - s) * sde.drift(t), growth, growth


@dataclass(frozen=True)
class ReverseDiffusion(SingleEvaluation):
    """The reverse of the discretised forward chain with its exact transitions (Song et al. 2021, Appendix E)."""

    name = "reverse_diffusion"

    def weights(self, sde: SDE, t: Array, s: Array) -> tuple[Array, Array, Array]:
        """Returns 2 - rho, tau^2 and tau^2."""
        rho, tau2 = sde.transition(s, t)
        return 2 - rho, tau2, tau2


@dataclass(frozen=True)
class Ancestral(SingleEvaluation):
    """The posterior of x_s given x_t and the denoised x_0 (DDPM for `VP`; Song et al. 2021, Appendix F, for `VE`)."""

    name = "ancestral"

    def weights(self, sde: SDE, t: Array, s: Array) -> tuple[Array, Array, Array]:
        """Returns 1 / rho, tau^2 / rho and tau^2 sigma_s^2 / sigma_t^2."""
        rho, tau2 = sde.transition(s, t)
        return 1 / rho, tau2 / rho, tau2 * sde.noise_variance(s) / sde.noise_variance(t)


@dataclass(frozen=True)
class ExponentialSDE(SingleEvaluation):
    """The reverse SDE with the score frozen over the step, all else exact (the scheme of most convergence proofs)."""

    name = "exponential_sde"

    def weights(self, sde: SDE, t: Array, s: Array) -> tuple[Array, Array, Array]:
        """Returns 1 / rho, the weight of a frozen score and tau^2 / rho^2."""
        rho, tau2 = sde.transition(s, t)
        return 1 / rho, sde.score_weight(s, t), tau2 / rho**2


@dataclass(frozen=True)
class EulerODE(SingleEvaluation):
    """Euler on the probability flow ODE."""

    name = "euler_ode"
    follows_ode = True

    def weights(self, sde: SDE, t: Array, s: Array) -> tuple[Array, Array, Array]:
        """Returns 1 - h f, h g^2 / 2 and 0."""
        growth = (t - s) * sde.squared_diffusion(t)
        return 1 - (t - s) * sde.drift(t), growth / 2, np.zeros_like(t)


@dataclass(frozen=True)
class DDIM(SingleEvaluation):
    """The exponential integrator of the probability flow ODE with the predicted noise frozen over the step."""

    name = "ddim"
    follows_ode = True

    def weights(self, sde: SDE, t: Array, s: Array) -> tuple[Array, Array, Array]:
        """Returns alpha_s / alpha_t, sigma_t (alpha_s sigma_t / alpha_t - sigma_s) and 0."""
        ratio = sde.alpha(s) / sde.alpha(t)
        sigma_t, sigma_s = np.sqrt(sde.noise_variance(t)), np.sqrt(sde.noise_variance(s))
        return ratio, sigma_t * (ratio * sigma_t - sigma_s), np.zeros_like(t)


@dataclass(frozen=True)
class Heun(Solver):
    """The trapezoidal predictor-corrector of order 2 on the probability flow ODE."""

    name = "heun"
    evaluations = 2
    follows_ode = True

    def steps(self, score: LinearScore, times: Array) -> AffineSteps:
        """Returns the steps along decreasing times (K+1,)."""
        half = (0.5 * score.sde.squared_diffusion(times))[:, None]
        rate = score.sde.drift(times)[:, None] - half * score.slope(times)
        constant = np.broadcast_to(-half * score.intercept(times), rate.shape)
        noise = np.broadcast_to(half**2 * score.noise_variance(times), rate.shape)
        h, now, then = (times[:-1] - times[1:])[:, None], slice(None, -1), slice(1, None)
        damped = 1 - h * rate[then]
        return AffineSteps(
            gain=1 - h / 2 * (rate[now] + rate[then] * (1 - h * rate[now])),
            shift=-h / 2 * (constant[now] * damped + constant[then]),
            noise=h**2 / 4 * (noise[now] * damped**2 + noise[then]),
        )


SOLVERS: dict[str, Solver] = {
    solver.name: solver
    for solver in (Heun(), DDIM(), EulerODE(), EulerMaruyama(), Ancestral(), ReverseDiffusion(), ExponentialSDE())
}
