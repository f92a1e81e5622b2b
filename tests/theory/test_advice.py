"""Advice against exhaustive search on graphs and covariances that nothing was tuned on."""

import json
from itertools import product

import networkx as nx
import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.graph import Graph
from sbgd.theory.advice import Advice, advise, advise_graph
from sbgd.theory.covariance import ExponentialCovariance, FilterCovariance, PolynomialCovariance, ResolventCovariance
from sbgd.theory.feature_model import GaussianFeatureModel
from sbgd.theory.graphs import power_law_graph, regular_graph
from sbgd.theory.law import GaussianLaw
from sbgd.theory.score import ScoreError
from sbgd.theory.sde import SDES
from sbgd.theory.search import Candidates, Search
from sbgd.theory.solvers import SOLVERS
from sbgd.theory.spectrum import Spectrum, exact_spectrum
from sbgd.theory.time_grid import GRIDS

RNG = np.random.default_rng(7)
GRID = Graph.from_networkx(nx.convert_node_labels_to_integers(nx.grid_2d_graph(9, 11)))
SMALL_WORLD = Graph.from_networkx(nx.watts_strogatz_graph(120, 6, 0.1, seed=1))
HELD_OUT = {
    "grid, resolvent": GaussianFeatureModel(exact_spectrum(GRID), ResolventCovariance(0.93), 3),
    "small world, filter of A": GaussianFeatureModel(
        exact_spectrum(SMALL_WORLD, "adjacency"), FilterCovariance((0.5, 0.4, 0.05), 0.3), 8
    ),
    "power law, exponential, unequal columns": GaussianFeatureModel(
        exact_spectrum(power_law_graph(150, 4, 2.8, rng=RNG), "adjacency"),
        ExponentialCovariance(0.25),
        3,
        np.array([0.2, 1, 9]),
    ),
    "semicircle by histogram, polynomial": GaussianFeatureModel(
        Spectrum.of(np.linspace(-0.9, 0.9, 41), np.sqrt(0.82 - np.linspace(-0.9, 0.9, 41) ** 2), num_nodes=10_000),
        PolynomialCovariance((1.1, 0.9, 0.3)),
        20,
    ),
}
OPTIONS = Candidates(
    sdes=(SDES["vp"], SDES["ve"]),
    solvers=(SOLVERS["heun"], SOLVERS["ddim"], SOLVERS["euler_maruyama"]),
    grids=(GRIDS["uniform"], GRIDS["log_snr"]),
    horizons=tuple(np.geomspace(0.3, 1.5, 13).tolist()),
    max_cost=200,
)


def search_of(model: GaussianFeatureModel, error: ScoreError) -> Search:
    laws = {True: model.standardised().law(), False: model.law()}
    return Search({key: law.compressed(32) for key, law in laws.items()}, "relative_w2", error, OPTIONS)


def grid_errors(search: Search, cost: int) -> list[float]:
    """Robust errors of all grid points of exactly this cost."""
    return [
        search.robust_error(
            sampler.replace(num_steps=cost // sampler.solver.evaluations, horizon=horizon), standardised
        )
        for sampler, standardised, horizon in product(OPTIONS.samplers(), search.laws, OPTIONS.horizons)
        if cost % sampler.solver.evaluations == 0
    ]


@pytest.mark.parametrize("error", [ScoreError(), ScoreError(relative=0.005, noise=0.1)], ids=["exact", "wrong"])
@pytest.mark.parametrize("model", HELD_OUT.values(), ids=HELD_OUT)
def test_cost_is_within_a_tenth_of_the_cheapest_grid_point(model: GaussianFeatureModel, error: ScoreError) -> None:
    search = search_of(model, error)
    found = search.cheapest(0.05)
    assert found is not None
    assert search.robust_error(found.sampler, found.standardised) <= 0.05
    # one cost after the other, until a grid point reaches the target
    cheapest = next(cost for cost in range(1, 100) if min(grid_errors(search, cost)) <= 0.05)
    assert found.sampler.cost <= 1.1 * cheapest


@pytest.mark.parametrize("cost", [6, 24])
@pytest.mark.parametrize("model", HELD_OUT.values(), ids=HELD_OUT)
def test_error_is_within_a_tenth_of_the_best_grid_point(model: GaussianFeatureModel, cost: int) -> None:
    search = search_of(model, ScoreError())
    assert search.best(cost).error <= 1.1 * min(grid_errors(search, cost))


def test_a_tighter_target_costs_more() -> None:
    costs = [
        advise(HELD_OUT["grid, resolvent"], target_error=target, candidates=OPTIONS).sampler.cost
        for target in (0.1, 0.03, 0.01)
    ]
    assert costs == sorted(costs)
    assert costs[0] < costs[-1]


def check(advice: Advice) -> None:
    plain = json.loads(json.dumps(advice.to_dict()))
    assert plain["predicted_error"] == pytest.approx(sum(plain["predicted_parts"].values()))
    assert plain["predicted_error"] == pytest.approx(advice.predicted.value(advice.metric))
    for curve, variable, value in (
        ("steps_curve", "num_steps", advice.sampler.num_steps),
        ("length_curve", "horizon", advice.sampler.horizon),
    ):
        (here,) = (row for row in plain[curve] if row[variable] == pytest.approx(value))
        assert here[advice.metric] == pytest.approx(plain["predicted_error"])
    for recommendation in advice.recommendations:
        assert recommendation.value
        assert "\n" not in recommendation.reason


def test_advice_keeps_its_promise_and_says_why() -> None:
    advice = advise(HELD_OUT["small world, filter of A"], target_error=0.02, candidates=OPTIONS)
    assert advice.reached
    assert advice.predicted.value() <= 0.02
    assert [one.subject for one in advice.recommendations] == ["process", "steps", "diffusion length", "features"]
    check(advice)


def test_targets_below_the_limits_of_the_candidates_are_reported_as_not_reached() -> None:
    advice = advise(HELD_OUT["grid, resolvent"], target_error=1e-9, candidates=OPTIONS)
    assert not advice.reached
    assert advice.sampler.cost <= OPTIONS.max_cost
    check(advice)


def test_without_a_target_the_budget_is_spent() -> None:
    advice = advise(HELD_OUT["grid, resolvent"], target_error=None, metric="kl_per_dimension", candidates=OPTIONS)
    assert advice.reached
    assert advice.sampler.cost == OPTIONS.max_cost
    check(advice)


def test_features_far_from_unit_variance_are_to_be_scaled() -> None:
    model = GaussianFeatureModel(exact_spectrum(GRID), ResolventCovariance(0.9), 3, np.full(3, 1e4))
    advice = advise(model, target_error=0.05, candidates=OPTIONS)
    assert advice.standardise


def test_a_graph_with_features_gets_advice_on_its_matrix() -> None:
    graph = regular_graph(100, 4, rng=RNG)
    noise = RNG.standard_normal((100, 6))
    neighbours = graph.to_scipy() @ noise
    advice = advise_graph(graph.replace(features=noise + neighbours), target_error=0.05, candidates=OPTIONS)
    assert advice.matrix in {"normalised", "adjacency"}
    assert advice.recommendations[-1].subject == "graph matrix"
    check(advice)


def test_figures_of_merged_laws_are_those_of_the_law() -> None:
    law = GaussianLaw.of(np.random.default_rng(0).lognormal(size=3000))
    whole, merged = (Search({True: one}, candidates=OPTIONS) for one in (law, law.compressed(128)))
    choice = merged.cheapest(0.05)
    assert choice is not None
    assert whole.robust_error(choice.sampler, True) == pytest.approx(choice.error, rel=0.01)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [({"target_error": 0.0}, "above 0"), ({"target_error": np.nan}, "above 0"), ({"metric": "mmd"}, "relative_w2")],
)
def test_questions_without_an_answer_are_refused(arguments: dict[str, float | str], match: str) -> None:
    with pytest.raises(InputError, match=match):
        advise(HELD_OUT["grid, resolvent"], **arguments)  # type: ignore[arg-type]


def test_candidates_need_one_of_each() -> None:
    with pytest.raises(InputError, match="an empty list"):
        Candidates(solvers=())
    with pytest.raises(InputError, match="at least one step"):
        Candidates(solvers=(SOLVERS["heun"],), max_cost=1)
