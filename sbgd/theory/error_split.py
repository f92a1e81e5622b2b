"""The exact error of a sampler, and how much of it each ingredient causes.

Between the data and the output lie four laws that differ by one ingredient each:

    data p_0  ->  p_eps  ->  continuous, from the prior  ->  K steps, exact score  ->  K steps, s_theta
        early stopping    initialisation           discretisation             score error

For KL the parts are the differences of KL(. || data) along this chain; they sum to the total, and a part is negative
where an error undoes an earlier one. Under W2 the laws are points of a Euclidean space (all covariances commute, so
that the point is (mu_i, sqrt v_i)), the chain is a path with legs d_k, and two splits are given: the lengths |d_k|,
whose sum is at least the total by the triangle inequality, and the shares <d_k, sum d> / |sum d|, whose sum is the
total. The order of the chain and the shares are our own instantiation; the four kinds of error are those of Pierret &
Galerne (2025), arXiv 2405.14250.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import astuple, dataclass
from itertools import pairwise

import numpy as np

from sbgd.theory.divergence import Divergence, Metric, checked_metric, coordinates, divergence, kl
from sbgd.theory.feature_model import GaussianFeatureModel
from sbgd.theory.law import GaussianLaw
from sbgd.theory.sampler import EXACT, Sampler
from sbgd.theory.score import ScoreError


@dataclass(frozen=True)
class ErrorParts:
    """A figure of error split by cause.

    Attributes:
        early_stopping: Sampling ends at eps > 0, where noise is left.
        initialisation: Sampling starts from the prior, not from p_T.
        discretisation: K steps instead of infinitely many.
        score: The score is not exact.
    """

    early_stopping: float
    initialisation: float
    discretisation: float
    score: float

    @property
    def total(self) -> float:
        """The sum of the parts."""
        return float(sum(astuple(self)))

    def scaled(self, factor: float) -> ErrorParts:
        """Returns all parts multiplied with `factor`."""
        return ErrorParts(*(part * factor for part in astuple(self)))


@dataclass(frozen=True)
class ExactError:
    """How far a sampler's output is from the data, without sampling noise.

    Attributes:
        divergence: Distances of the output to the data.
        kl: Signed parts of KL(output || data), which sum to it.
        reverse_kl: Signed parts of KL(data || output), which sum to it.
        w2: Signed shares of the W2 distance, which sum to it.
        w2_lengths: Lengths of the four legs, whose sum bounds the W2 distance from above.
    """

    divergence: Divergence
    kl: ErrorParts
    reverse_kl: ErrorParts
    w2: ErrorParts
    w2_lengths: ErrorParts

    def value(self, metric: Metric = "relative_w2") -> float:
        """Returns the named figure of the whole error."""
        return self.divergence.value(metric)

    def parts(self, metric: Metric = "relative_w2") -> ErrorParts:
        """Returns the split of the named figure; the parts sum to `value(metric)`."""
        if checked_metric(metric) == "relative_w2":
            return self.w2.scaled(1 / self.divergence.spread)
        return (self.kl if metric == "kl_per_dimension" else self.reverse_kl).scaled(1 / self.divergence.dimension)


def exact_error(model: GaussianFeatureModel | GaussianLaw, sampler: Sampler, error: ScoreError = EXACT) -> ExactError:
    """Returns the exact error of `sampler` on data of a Gaussian law.

    Args:
        model: Law of the data.
        sampler: Process, solver, steps, diffusion length and stopping time.
        error: What is wrong with the score.
    """
    data = model if isinstance(model, GaussianLaw) else model.law()
    laws = stages(data, sampler, error)
    lengths, shares = _w2_split(laws)
    return ExactError(
        divergence=divergence(laws[-1], data),
        kl=_telescoped(laws, lambda law: kl(law, data)),
        reverse_kl=_telescoped(laws, lambda law: kl(data, law)),
        w2=shares,
        w2_lengths=lengths,
    )


def stages(data: GaussianLaw, sampler: Sampler, error: ScoreError = EXACT) -> tuple[GaussianLaw, ...]:
    """Returns the five laws of the chain, from the data to the output."""
    discrete = sampler.output(data)
    return (
        data,
        sampler.diffused(data, sampler.stop),
        sampler.continuous(data, sampler.prior(data)),
        discrete,
        discrete if error.is_zero else sampler.output(data, error),
    )


def _telescoped(laws: tuple[GaussianLaw, ...], distance: Callable[[GaussianLaw], float]) -> ErrorParts:
    values = [0.0, *(distance(law) for law in laws[1:])]
    # from infinity to infinity nothing is added
    return ErrorParts(*(0.0 if before == after else after - before for before, after in pairwise(values)))


def _w2_split(laws: tuple[GaussianLaw, ...]) -> tuple[ErrorParts, ErrorParts]:
    root_weights = np.sqrt(laws[0].weights)
    points = [coordinates(law) * root_weights for law in laws]
    with np.errstate(invalid="ignore"):
        legs = [np.where(after == before, 0.0, after - before) for before, after in pairwise(points)]
    lengths = ErrorParts(*(float(np.linalg.norm(leg)) for leg in legs))
    whole = sum(legs)
    total = float(np.linalg.norm(whole))
    if total == 0 or not math.isfinite(total):
        return lengths, lengths.scaled(0.0) if total == 0 else _only_infinite(lengths)
    return lengths, ErrorParts(*(float((leg * whole).sum() / total) for leg in legs))


def _only_infinite(lengths: ErrorParts) -> ErrorParts:
    return ErrorParts(*(math.inf if math.isinf(part) else 0.0 for part in astuple(lengths)))
