"""Finds the cheapest sampler that reaches a target error, or the best one for a budget of score evaluations.

Errors of opposite sign can cancel at a single diffusion length or number of steps, which no real network would repeat.
A choice is therefore judged by its robust error: the largest of the errors at its diffusion length, at the neighbouring
lengths of the grid, and with twice as many steps. For every combination of process, solver, time grid and scaling, the
number of steps is found by doubling and bisection; the cheapest combination so far bounds the effort on the next.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from sbgd.errors import InputError
from sbgd.theory.divergence import Metric, divergence
from sbgd.theory.law import GaussianLaw
from sbgd.theory.sampler import EXACT, Sampler
from sbgd.theory.score import ScoreError
from sbgd.theory.sde import SDE, SDES
from sbgd.theory.solvers import SOLVERS, Solver
from sbgd.theory.time_grid import GRIDS, TimeGrid

STRIDE = 4


@dataclass(frozen=True)
class Candidates:
    """What the search may choose from.

    Attributes:
        sdes: Forward processes.
        solvers: Rules for one step.
        grids: Rules that place the steps.
        horizons: Diffusion lengths, increasing; about 5 % apart by default.
        stop: Time at which sampling ends.
        max_cost: The most score evaluations of one sample.
    """

    sdes: tuple[SDE, ...] = field(default_factory=lambda: tuple(SDES.values()))
    solvers: tuple[Solver, ...] = field(default_factory=lambda: tuple(SOLVERS.values()))
    grids: tuple[TimeGrid, ...] = field(default_factory=lambda: tuple(GRIDS.values()))
    horizons: tuple[float, ...] = tuple(np.geomspace(0.2, 2.0, 49).tolist())
    stop: float = 1e-3
    max_cost: int = 1000

    def __post_init__(self) -> None:
        if not all((self.sdes, self.solvers, self.grids, self.horizons)):
            raise InputError("expected at least one process, solver, time grid and diffusion length, got an empty list")
        if self.max_cost < min(solver.evaluations for solver in self.solvers):
            raise InputError(f"expected a budget for at least one step, got {self.max_cost} score evaluations")

    def samplers(self) -> Iterator[Sampler]:
        """Yields every combination, with one step and the longest diffusion."""
        for solver, grid, sde in product(self.solvers, self.grids, self.sdes):
            yield Sampler(sde, solver, grid, 1, max(self.horizons), self.stop)


@dataclass(frozen=True)
class Choice:
    """A sampler with the scaling of features it is for.

    Attributes:
        sampler: The sampler.
        standardised: Whether features are scaled to unit variance.
        error: Its robust error.
    """

    sampler: Sampler
    standardised: bool
    error: float

    @property
    def rank(self) -> tuple[int, float]:
        """Cost first, then error."""
        return self.sampler.cost, self.error


@dataclass(frozen=True, eq=False)
class Search:
    """A search over candidates for one model.

    Attributes:
        laws: The law of the features by whether they are standardised.
        metric: The figure to be small.
        score_error: What is wrong with the score.
        candidates: What may be chosen.
    """

    laws: Mapping[bool, GaussianLaw]
    metric: Metric = "relative_w2"
    score_error: ScoreError = EXACT
    candidates: Candidates = field(default_factory=Candidates)
    _known: dict[tuple[Sampler, bool], float] = field(default_factory=dict, init=False, repr=False)

    def error(self, sampler: Sampler, standardised: bool) -> float:
        """Returns the exact error; infinite where it is not a number, as for a score that overflows."""
        key = sampler, standardised
        if key not in self._known:
            law = self.laws[standardised]
            value = divergence(sampler.output(law, self.score_error), law).value(self.metric)
            self._known[key] = value if math.isfinite(value) else math.inf
        return self._known[key]

    def cheapest(self, target: float) -> Choice | None:
        """Returns the choice of least cost with an error of at most `target`, or none within the budget."""
        best: Choice | None = None
        for standardised, sampler in product(self.laws, self.candidates.samplers()):
            if self._is_out_of_reach(sampler, standardised, target):
                continue
            budget = self.candidates.max_cost if best is None else best.sampler.cost
            found = self._fewest_steps(sampler, standardised, target, budget // sampler.solver.evaluations)
            if found is not None and (best is None or found.rank < best.rank):
                best = found
        return best

    def best(self, cost: int) -> Choice:
        """Returns the choice of least error whose cost is at most `cost`."""
        choices = [
            self.best_horizon(sampler.replace(num_steps=cost // sampler.solver.evaluations), standardised)
            for standardised, sampler in product(self.laws, self.candidates.samplers())
            if cost >= sampler.solver.evaluations
        ]
        return min(choices, key=lambda choice: (choice.error, choice.sampler.cost))

    def robust_error(self, sampler: Sampler, standardised: bool) -> float:
        """Returns the largest error at this diffusion length, its neighbours, and with twice as many steps."""
        horizons = self.candidates.horizons
        place = horizons.index(sampler.horizon)
        near = [sampler.replace(horizon=horizon) for horizon in horizons[max(place - 1, 0) : place + 2]]
        return max(
            self.error(other, standardised) for other in [*near, sampler.replace(num_steps=2 * sampler.num_steps)]
        )

    def best_horizon(self, sampler: Sampler, standardised: bool) -> Choice:
        """Returns the sampler with the diffusion length of least robust error, near the best of every fourth."""
        horizons = self.candidates.horizons

        def robust(place: int) -> float:
            return self.robust_error(sampler.replace(horizon=horizons[place]), standardised)

        coarse = range(0, len(horizons), STRIDE)
        middle = min(coarse, key=lambda place: self.error(sampler.replace(horizon=horizons[place]), standardised))
        window = range(max(middle - STRIDE + 1, 0), min(middle + STRIDE, len(horizons)))
        errors = {place: robust(place) for place in window}
        place = min(errors, key=errors.__getitem__)
        return Choice(sampler.replace(horizon=horizons[place]), standardised, errors[place])

    def _is_out_of_reach(self, sampler: Sampler, standardised: bool, target: float) -> bool:
        """Whether infinitely many steps with the exact score miss the target at every diffusion length."""
        law = self.laws[standardised]
        near_best = (sampler.replace(horizon=horizon) for horizon in self.candidates.horizons[::STRIDE])
        limits = (divergence(s.continuous(law, s.prior(law)), law).value(self.metric) for s in near_best)
        # a wrong score may undo part of the error of early stopping, hence no verdict on it here
        return self.score_error.is_zero and min(limits) > 2 * target

    def _fewest_steps(self, sampler: Sampler, standardised: bool, target: float, most: int) -> Choice | None:
        low, high, found = 0, 1, None
        while most >= 1:
            high = min(high, most)
            found = self.best_horizon(sampler.replace(num_steps=high), standardised)
            if found.error <= target:
                break
            if high == most:
                return None
            low, high = high, 2 * high
        while found is not None and high - low > 1:
            middle = (low + high) // 2
            attempt = self.best_horizon(sampler.replace(num_steps=middle), standardised)
            if attempt.error <= target:
                high, found = middle, attempt
            else:
                low = middle
        return found
