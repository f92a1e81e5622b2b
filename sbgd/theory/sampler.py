"""The exact law of what a discretised or a continuous sampler returns when the data are Gaussian.

Discrete: mean and variance go through K affine steps. Continuous, from N(n, u) at T down to eps: the reverse SDE with
the exact score draws x_eps from p(x_eps | x_T), the regression with slope c = (alpha_T / alpha_eps) V_eps / V_T and
residual variance V_eps - c^2 V_T; the probability flow ODE is the map of slope sqrt(V_eps / V_T).

References:
    Anderson (1982), "Reverse-time diffusion equation models": the reverse SDE has the law of the forward one;
    Song et al. (2021), arXiv 2011.13456, Section 4.3: so does the probability flow ODE, at every single time;
    Pierret & Galerne (2025), arXiv 2405.14250: exact solutions of both for Gaussian data, and Gaussian discretisations.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from sbgd.errors import InputError
from sbgd.theory.law import Array, GaussianLaw
from sbgd.theory.score import LinearScore, ScoreError
from sbgd.theory.sde import SDE, VP
from sbgd.theory.solvers import AffineSteps, EulerMaruyama, Solver
from sbgd.theory.time_grid import PowerGrid, TimeGrid

EXACT = ScoreError()
MAX_ENTRIES = 4_000_000


@dataclass(frozen=True)
class Sampler:
    """All that is chosen about sampling.

    Attributes:
        sde: Forward process.
        solver: Rule for one step.
        grid: Rule that places the steps.
        num_steps: Number of steps K, at least 1.
        horizon: Diffusion length T, the time at which sampling starts from the prior.
        stop: Time eps at which sampling ends, 0 <= eps < T.
    """

    sde: SDE = field(default_factory=VP)
    solver: Solver = field(default_factory=EulerMaruyama)
    grid: TimeGrid = field(default_factory=PowerGrid)
    num_steps: int = 100
    horizon: float = 1.0
    stop: float = 1e-3

    def __post_init__(self) -> None:
        if self.num_steps < 1:
            raise InputError(f"expected num_steps of at least 1, got {self.num_steps}")
        if not 0 <= self.stop < self.horizon < np.inf:
            raise InputError(f"expected 0 <= stop < horizon, got {self.stop} and {self.horizon}")

    @property
    def cost(self) -> int:
        """Score evaluations of one sample."""
        return self.num_steps * self.solver.evaluations

    @property
    def times(self) -> Array:
        """Decreasing times (K+1,)."""
        return self.grid(self.sde, self.num_steps, self.horizon, self.stop)

    def replace(self, **changes: int | float | SDE | Solver | TimeGrid) -> Sampler:
        """Returns a copy with the named attributes changed."""
        return replace(self, **changes)  # type: ignore[arg-type]

    def prior(self, law: GaussianLaw) -> GaussianLaw:
        """Returns the law that sampling starts from, over the atoms of `law`."""
        variance = np.full_like(law.variances, self.sde.prior_variance(self.horizon))
        return GaussianLaw(np.zeros_like(variance), variance, law.weights)

    def diffused(self, law: GaussianLaw, t: float) -> GaussianLaw:
        """Returns the law p_t of the data after diffusion to time t."""
        alpha = self.sde.alpha(np.array([t]))
        variances = LinearScore(law, self.sde).variance(np.array([t]))[0]
        return GaussianLaw(alpha * law.means, variances, law.weights)

    def continuous(self, law: GaussianLaw, start: GaussianLaw) -> GaussianLaw:
        """Returns the law at eps of the equation behind the solver, solved exactly from `start` at T."""
        first, last = self.diffused(law, self.horizon), self.diffused(law, self.stop)
        if self.solver.follows_ode:
            slope = np.sqrt(last.variances / first.variances)
            return _through(start, slope, first, last, np.zeros_like(slope))
        rho, _ = self.sde.transition(np.array([self.stop]), np.array([self.horizon]))
        slope = rho * last.variances / first.variances
        return _through(start, slope, first, last, last.variances - slope**2 * first.variances)

    def output(self, law: GaussianLaw, error: ScoreError = EXACT) -> GaussianLaw:
        """Returns the law of the samples for data of law `law`."""
        size = max(1, MAX_ENTRIES // (self.num_steps + 1))
        pieces = [self._output(_slice(law, i, i + size), error) for i in range(0, len(law.variances), size)]
        means, variances = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
        return GaussianLaw(means, variances, law.weights)

    def _output(self, law: GaussianLaw, error: ScoreError) -> tuple[Array, Array]:
        # a step that is too long for a small variance amplifies: overflow is the answer "infinite", not a fault
        with np.errstate(over="ignore", invalid="ignore"):
            steps = self.solver.steps(LinearScore(law, self.sde, error), self.times)
            return composed(steps, self.prior(law))


def composed(steps: AffineSteps, start: GaussianLaw) -> tuple[Array, Array]:
    """Returns means and variances (m,) after all steps; infinite where they overflow."""
    after = np.ones_like(steps.gain)
    after[:-1] = np.cumprod(steps.gain[:0:-1], axis=0)[::-1]
    whole = after[0] * steps.gain[0]
    means = whole * start.means + (steps.shift * after).sum(axis=0)
    variances = whole**2 * start.variances + (steps.noise * after**2).sum(axis=0)
    return _finite_or_infinite(means), _finite_or_infinite(variances)


def _finite_or_infinite(values: Array) -> Array:
    return np.where(np.isfinite(values), values, np.inf)


def _through(start: GaussianLaw, slope: Array, first: GaussianLaw, last: GaussianLaw, noise: Array) -> GaussianLaw:
    means = last.means + slope * (start.means - first.means)
    return GaussianLaw(means, slope**2 * start.variances + np.maximum(noise, 0.0), start.weights)


def _slice(law: GaussianLaw, first: int, last: int) -> GaussianLaw:
    return GaussianLaw(law.means[first:last], law.variances[first:last], law.weights[first:last])
