"""Bounds of the convergence literature, evaluated for a Gaussian law instead of bounded further.

By the data-processing inequality and Girsanov's theorem, the exponential integrator of the reverse SDE satisfies
KL(p_eps || output) <= KL(p_T || prior) + 1/2 sum_k int_{t_k+1}^{t_k} g(t)^2 E |s_theta(x_{t_k}, t_k) - s(x_t, t)|^2 dt,
the expectation over the forward process. Every term is known here: with c = alpha_{t_k} / alpha_t,
E |...|^2 = (1 + r)^2 / V_{t_k} + 1 / V_t - 2 (1 + r) c / V_{t_k} + (offset^2 + noise^2) / sigma_{t_k}^2 per coordinate.

References:
    Chen, Chewi, Li, Li, Salim & Zhang (2023), arXiv 2209.11215; Benton, De Bortoli, Doucet & Deligiannidis
    (2024), arXiv 2308.03686. Evaluating the integral for a Gaussian law is our own instantiation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sbgd.errors import InputError
from sbgd.theory.divergence import kl
from sbgd.theory.law import Array, GaussianLaw
from sbgd.theory.sampler import EXACT, Sampler
from sbgd.theory.score import LinearScore, ScoreError
from sbgd.theory.solvers import ExponentialSDE

NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)


@dataclass(frozen=True)
class PathBound:
    """An upper bound of KL(p_eps || output) in nats.

    Attributes:
        initialisation: KL(p_T || prior).
        path: Girsanov's integral, discretisation and score error together.
    """

    initialisation: float
    path: float

    @property
    def total(self) -> float:
        """The bound."""
        return self.initialisation + self.path


def path_bound(law: GaussianLaw, sampler: Sampler, error: ScoreError = EXACT) -> PathBound:
    """Returns the bound for a sampler whose solver is `ExponentialSDE`.

    Raises:
        InputError: The solver is another one; the bound is not proved for it.
    """
    if not isinstance(sampler.solver, ExponentialSDE):
        raise InputError(f"expected solver exponential_sde, got {sampler.solver.name}; the bound holds for no other")
    start = kl(sampler.diffused(law, sampler.horizon), sampler.prior(law))
    times = sampler.times
    path = sum(
        _interval(LinearScore(law, sampler.sde, error), t, s) for t, s in zip(times[:-1], times[1:], strict=True)
    )
    return PathBound(start, 0.5 * float(path))


def _interval(score: LinearScore, t: float, s: float) -> float:
    inner = s + (t - s) * (NODES + 1) / 2
    drifted = (WEIGHTS * (t - s) / 2 * score.sde.squared_diffusion(inner)) @ _score_gap(score, t, inner)
    return float(score.law.weights @ drifted)


def _score_gap(score: LinearScore, t: float, inner: Array) -> Array:
    """E |s_theta(x_t, t) - s(x_u, u)|^2 per coordinate, (16, m)."""
    ratio = (score.sde.alpha(np.array([t])) / score.sde.alpha(inner))[:, None]
    now, then = score.variance(np.array([t])), score.variance(inner)
    size, error = 1 + score.error.relative, score.error
    unit_noise = (error.offset**2 + error.noise**2) / score.sde.noise_variance(np.array([t]))
    return size**2 / now + 1 / then - 2 * size * ratio / now + unit_noise
