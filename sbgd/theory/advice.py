"""Advice on sampling: process, steps, diffusion length and normalisation, with the exact error it leads to.

The figures hold for Gaussian features with the exact score, or with a stated error of it. For other data they are what
second moments alone demand: a sampler that fails here fails for any law with this mean and covariance as far as these
are concerned; one that succeeds may still need more steps for what is not Gaussian.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sbgd.errors import InputError
from sbgd.graph import Graph
from sbgd.theory.curve import ErrorCurve
from sbgd.theory.divergence import Metric, checked_metric
from sbgd.theory.error_split import ExactError, exact_error
from sbgd.theory.feature_fit import fit_features
from sbgd.theory.feature_model import GaussianFeatureModel
from sbgd.theory.law import GaussianLaw
from sbgd.theory.reasons import Recommendation, matrix_reason, sampler_reasons
from sbgd.theory.sampler import EXACT, Sampler
from sbgd.theory.score import ScoreError
from sbgd.theory.search import Candidates, Search
from sbgd.theory.spectrum import GraphMatrix

NUM_ATOMS = 128


@dataclass(frozen=True, eq=False)
class Advice:
    """A proposed sampler and why.

    Attributes:
        sampler: Process, solver, time grid, steps and diffusion length.
        standardise: Whether to scale features to unit variance.
        matrix: Graph matrix that explains the features best; none if only a model was given.
        metric: The figure that was to be small.
        target: What it was to be, if a target was given.
        reached: Whether the error stays below the target when the diffusion length is off by one grid point or the
            steps are doubled; true without a target.
        predicted: The exact error of the sampler on the model, features scaled as advised.
        steps_curve: The same for other numbers of steps.
        length_curve: The same for other diffusion lengths.
        recommendations: One line for every choice.
    """

    sampler: Sampler
    standardise: bool
    matrix: GraphMatrix | None
    metric: Metric
    target: float | None
    reached: bool
    predicted: ExactError
    steps_curve: ErrorCurve
    length_curve: ErrorCurve
    recommendations: tuple[Recommendation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Returns plain data: numbers, texts, lists and dictionaries only."""
        return {
            "process": {"name": self.sampler.sde.name, **asdict(self.sampler.sde)},  # type: ignore[call-overload]
            "solver": self.sampler.solver.name,
            "time_grid": self.sampler.grid.name,
            "num_steps": self.sampler.num_steps,
            "score_evaluations": self.sampler.cost,
            "diffusion_length": self.sampler.horizon,
            "stop": self.sampler.stop,
            "standardise_features": self.standardise,
            "graph_matrix": self.matrix,
            "metric": self.metric,
            "target_error": self.target,
            "target_is_reached": self.reached,
            "predicted_error": self.predicted.value(self.metric),
            "predicted_parts": asdict(self.predicted.parts(self.metric)),
            "recommendations": [asdict(recommendation) for recommendation in self.recommendations],
            "steps_curve": self.steps_curve.rows(),
            "length_curve": self.length_curve.rows(),
        }


def advise(
    model: GaussianFeatureModel,
    *,
    target_error: float | None = 0.01,
    metric: Metric = "relative_w2",
    score_error: ScoreError = EXACT,
    candidates: Candidates | None = None,
) -> Advice:
    """Proposes a sampler for a Gaussian feature model.

    Laws of more than 128 distinct variances are merged to 128 first (`GaussianLaw.compressed`).

    Args:
        model: Law of the features.
        target_error: The largest error allowed, at the least cost; none for the least error within the budget.
        metric: The figure of error.
        score_error: What is wrong with the score.
        candidates: What may be chosen, and the budget; everything this package knows by default.

    Raises:
        InputError: The target is not above 0, the metric is unknown, or the covariance is not positive.
    """
    return _advise(model.law(), model.standardised().law(), target_error, metric, score_error, candidates)


def advise_graph(
    graph: Graph,
    features: ArrayLike | None = None,
    *,
    target_error: float | None = 0.01,
    metric: Metric = "relative_w2",
    score_error: ScoreError = EXACT,
    candidates: Candidates | None = None,
    correlated: bool = True,
    rng: np.random.Generator | None = None,
) -> Advice:
    """Proposes a sampler for a graph with features, after fitting a Gaussian model of them.

    Args:
        graph: A graph with N nodes.
        features: Real-valued (N, F), the features of the graph by default.
        target_error: As in `advise`.
        metric: As in `advise`.
        score_error: As in `advise`.
        candidates: As in `advise`.
        correlated: Whether correlations between columns count.
        rng: Generator for graphs above 2,000 nodes; a fixed seed by default.

    Raises:
        InputError: There are no features that vary, they do not fit the nodes, or an argument of `advise` is wrong.
    """
    fits = [fit_features(graph, features, matrix, rng=rng) for matrix in ("normalised", "adjacency")]
    best = max(fits, key=lambda fit: fit.gain)
    raw, scaled = (best.model(standardised=scaled, correlated=correlated).law() for scaled in (False, True))
    advice = _advise(raw, scaled, target_error, metric, score_error, candidates)
    recommendations = (*advice.recommendations, matrix_reason(*fits))
    return replace(advice, matrix=best.matrix, recommendations=recommendations)


def _advise(
    raw: GaussianLaw,
    scaled: GaussianLaw,
    target: float | None,
    metric: Metric,
    score_error: ScoreError,
    candidates: Candidates | None,
) -> Advice:
    checked_metric(metric)
    if target is not None and not target > 0:
        raise InputError(f"expected a target error above 0, got {target}")
    laws = {True: scaled.compressed(NUM_ATOMS), False: raw.compressed(NUM_ATOMS)}
    search = Search(laws, metric, score_error, candidates or Candidates())
    choice = None if target is None else search.cheapest(target)
    reached = target is None or choice is not None
    choice = choice or search.best(search.candidates.max_cost)
    law, sampler = laws[choice.standardised], choice.sampler
    return Advice(
        sampler=sampler,
        standardise=choice.standardised,
        matrix=None,
        metric=metric,
        target=target,
        reached=reached,
        predicted=exact_error(law, sampler, score_error),
        steps_curve=_steps_curve(law, sampler, score_error),
        length_curve=_length_curve(law, sampler, score_error),
        recommendations=sampler_reasons(search, choice),
    )


def _steps_curve(law: GaussianLaw, sampler: Sampler, error: ScoreError) -> ErrorCurve:
    steps = sorted({max(1, round(sampler.num_steps * 2.0**power)) for power in np.linspace(-3, 3, 13).tolist()})
    return ErrorCurve.of("num_steps", steps, lambda k: exact_error(law, sampler.replace(num_steps=int(k)), error))


def _length_curve(law: GaussianLaw, sampler: Sampler, error: ScoreError) -> ErrorCurve:
    lengths = [sampler.horizon * 2.0**power for power in np.linspace(-1, 1, 13).tolist()]
    usable = [length for length in lengths if length > sampler.stop]
    return ErrorCurve.of("horizon", usable, lambda length: exact_error(law, sampler.replace(horizon=length), error))
