"""One line of reason, with its numbers, for every choice of an advice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sbgd.theory.error_split import exact_error
from sbgd.theory.feature_fit import FeatureFit
from sbgd.theory.law import GaussianLaw
from sbgd.theory.search import Choice, Search


@dataclass(frozen=True)
class Recommendation:
    """A choice and why.

    Attributes:
        subject: What is chosen.
        value: What it is set to.
        reason: One line.
    """

    subject: str
    value: str
    reason: str


def sampler_reasons(search: Search, choice: Choice) -> tuple[Recommendation, ...]:
    """Returns the reasons for process, steps, diffusion length and scaling."""
    return (_process(search, choice), _steps(search, choice), _length(search, choice), _scaling(search, choice))


def matrix_reason(normalised: FeatureFit, adjacency: FeatureFit) -> Recommendation:
    """Returns the reason for the graph matrix, from the fits of both."""
    better = normalised if normalised.gain >= adjacency.gain else adjacency
    verdict = (
        "explains the features better"
        if normalised.gain != adjacency.gain
        else "features show no dependence on the graph"
    )
    return Recommendation(
        "graph matrix",
        better.matrix,
        f"{verdict}: log-likelihood above white features {normalised.gain:.3g} nats per entry with "
        f"the normalised adjacency (spectral radius {normalised.spectrum.radius:.3g}), {adjacency.gain:.3g} with the "
        f"adjacency (spectral radius {adjacency.spectrum.radius:.3g})",
    )


def _process(search: Search, choice: Choice) -> Recommendation:
    sampler, options = choice.sampler, search.candidates
    count = len(search.laws) * len(options.sdes) * len(options.solvers) * len(options.grids)
    parts = exact_error(search.laws[choice.standardised], sampler, search.score_error).parts(search.metric)
    return Recommendation(
        "process",
        f"{sampler.sde.name}, {sampler.solver.name}, {sampler.grid.name} steps",
        f"best of {count} combinations; an error of {parts.total:.2g} = {parts.early_stopping:.2g} (early stopping) "
        f"{parts.initialisation:+.2g} (initialisation) {parts.discretisation:+.2g} (discretisation) "
        f"{parts.score:+.2g} (score)",
    )


def _steps(search: Search, choice: Choice) -> Recommendation:
    sampler = choice.sampler
    others = (max(1, sampler.num_steps // 2), 2 * sampler.num_steps)
    error = search.error(sampler, choice.standardised)
    fewer, more = (search.error(sampler.replace(num_steps=steps), choice.standardised) for steps in others)
    return Recommendation(
        "steps",
        str(sampler.num_steps),
        f"{sampler.cost} score evaluations leave an error of {error:.2g}; {others[0]} steps would leave "
        f"{fewer:.2g}, {others[1]} steps {more:.2g}",
    )


def _length(search: Search, choice: Choice) -> Recommendation:
    sampler, law = choice.sampler, search.laws[choice.standardised]
    horizons = (sampler.stop + 0.8 * (sampler.horizon - sampler.stop), 1.25 * sampler.horizon)
    shorter, longer = (search.error(sampler.replace(horizon=horizon), choice.standardised) for horizon in horizons)
    log_snr = float(sampler.sde.log_snr(np.array([sampler.horizon]))[0])
    left = float(law.variances.max()) * np.exp(log_snr)
    return Recommendation(
        "diffusion length",
        f"{sampler.horizon:.3g}",
        f"leaves the strongest direction of the features at {left:.2g} of the noise's variance; a fifth shorter would "
        f"give an error of {shorter:.2g}, a quarter longer {longer:.2g}",
    )


def _scaling(search: Search, choice: Choice) -> Recommendation:
    law = search.laws[choice.standardised]
    value = "scale to unit variance" if choice.standardised else "leave as they are"
    if len(search.laws) == 1:
        return Recommendation("features", value, f"variances {_range(law)}; no alternative was asked for")
    other = search.best_horizon(choice.sampler, not choice.standardised)
    name = "unscaled" if choice.standardised else "scaled"
    return Recommendation(
        "features",
        value,
        f"variances {_range(law)}; {name}, with {_range(search.laws[not choice.standardised])}, the same steps would "
        f"at best leave {other.error:.2g}",
    )


def _range(law: GaussianLaw) -> str:
    return f"{law.variances.min():.2g} to {law.variances.max():.2g} around {law.mean_variance:.2g}"
