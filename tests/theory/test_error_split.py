import numpy as np
import pytest

from sbgd.graph import Graph
from sbgd.theory.covariance import ExponentialCovariance, FilterCovariance, PolynomialCovariance
from sbgd.theory.divergence import METRICS, divergence, w2
from sbgd.theory.error_split import exact_error, stages
from sbgd.theory.feature_model import GaussianFeatureModel
from sbgd.theory.graphs import power_law_graph
from sbgd.theory.law import GaussianLaw
from sbgd.theory.sampler import Sampler
from sbgd.theory.score import ScoreError
from sbgd.theory.sde import SDE, SDES, VP
from sbgd.theory.solvers import SOLVERS, Solver
from sbgd.theory.spectrum import exact_spectrum

GRAPH = power_law_graph(60, 6, rng=np.random.default_rng(0))
MODEL = GaussianFeatureModel(exact_spectrum(GRAPH), FilterCovariance((1.0, 1.0), 0.1), 4)
WRONG = ScoreError(relative=0.02, noise=0.1)


@pytest.mark.parametrize("sde", SDES.values(), ids=SDES)
@pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
def test_parts_add_up(solver: Solver, sde: SDE) -> None:
    error = exact_error(MODEL, Sampler(sde, solver, num_steps=40), WRONG)
    found = error.divergence
    assert error.kl.total == pytest.approx(found.kl)
    assert error.reverse_kl.total == pytest.approx(found.reverse_kl)
    assert error.w2.total == pytest.approx(found.w2)
    assert error.w2_lengths.total >= found.w2
    for metric in METRICS:
        assert error.parts(metric).total == pytest.approx(error.value(metric))


def test_lengths_are_distances_between_the_stages() -> None:
    sampler = Sampler(num_steps=40)
    laws = stages(MODEL.law(), sampler, WRONG)
    lengths = exact_error(MODEL, sampler, WRONG).w2_lengths
    expected = [w2(one, other) for one, other in zip(laws[1:], laws[:-1], strict=True)]
    found = [lengths.early_stopping, lengths.initialisation, lengths.discretisation, lengths.score]
    np.testing.assert_allclose(found, expected)


def test_each_part_vanishes_with_its_cause() -> None:
    exact = exact_error(MODEL, Sampler(num_steps=40, stop=0.0))
    assert exact.w2_lengths.score == 0
    assert exact.w2_lengths.early_stopping == 0
    assert exact_error(MODEL, Sampler(num_steps=40, horizon=3.0)).w2_lengths.initialisation < 1e-12
    many = exact_error(MODEL, Sampler(num_steps=30_000))
    assert many.parts("relative_w2").discretisation < 1e-4


@pytest.mark.parametrize("name", ["euler_ode", "heun"])
def test_white_features_have_no_error_along_the_vp_flow(name: str) -> None:
    white = GaussianFeatureModel(exact_spectrum(GRAPH), PolynomialCovariance((1.0,)))
    assert exact_error(white, Sampler(SDES["vp"], SOLVERS[name], num_steps=3)).value() < 1e-14


@pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
def test_white_features_have_no_error_but_discretisation_on_vp(solver: Solver) -> None:
    white = GaussianFeatureModel(exact_spectrum(GRAPH), PolynomialCovariance((1.0,)))
    lengths = exact_error(white, Sampler(SDES["vp"], solver, num_steps=30)).w2_lengths
    assert lengths.early_stopping + lengths.initialisation < 1e-12


@pytest.mark.parametrize(
    ("name", "mean", "rate"),
    [("heun", 0.0, 2.0), ("heun", 1.0, 1.0), ("exponential_sde", 0.0, 4.0), ("exponential_sde", 1.0, 2.0)],
)
def test_initialisation_error_decays_exponentially_with_the_length(name: str, mean: float, rate: float) -> None:
    # Ornstein-Uhlenbeck, beta = 2: the prior is off by exp(-2 T) in variance and exp(-T) in mean; the reverse SDE
    # forgets where it started at the same rate once more
    law = GaussianLaw.of([3.0], means=[mean])
    near, far = (
        exact_error(law, Sampler(VP(2.0, 2.0), SOLVERS[name], horizon=horizon)).w2_lengths.initialisation
        for horizon in (4.0, 5.0)
    )
    assert np.log(near / far) == pytest.approx(rate, rel=0.01)


@pytest.mark.parametrize("sde", SDES.values(), ids=SDES)
def test_errors_are_invariant_under_permutations_of_the_nodes(sde: SDE) -> None:
    order = np.random.default_rng(1).permutation(60)
    shuffled = Graph.from_edges(order[GRAPH.edges], 60)
    first, second = (
        exact_error(GaussianFeatureModel(exact_spectrum(graph), ExponentialCovariance(1.0)), Sampler(sde))
        for graph in (GRAPH, shuffled)
    )
    assert first.value() == pytest.approx(second.value(), rel=1e-9)
    assert first.divergence.kl == pytest.approx(second.divergence.kl, rel=1e-9)


def test_totals_grow_with_independent_columns_and_figures_per_dimension_do_not() -> None:
    one, ten = (
        exact_error(GaussianFeatureModel(MODEL.spectrum, MODEL.covariance, count), Sampler()).divergence
        for count in (1, 10)
    )
    assert ten.kl == pytest.approx(10 * one.kl)
    assert ten.w2 == pytest.approx(np.sqrt(10) * one.w2)
    assert ten.kl_per_dimension == pytest.approx(one.kl_per_dimension)
    assert ten.relative_w2 == pytest.approx(one.relative_w2)


def test_a_diverged_sampler_blames_the_score() -> None:
    error = exact_error(MODEL, Sampler(num_steps=5), ScoreError(relative=1e200))
    assert error.value() == np.inf
    assert error.w2.score == np.inf
    assert error.kl.score == np.inf
    assert np.isfinite(error.kl.discretisation)


def test_a_perfect_sampler_has_parts_of_zero() -> None:
    law = GaussianLaw.of([1.0])
    error = exact_error(law, Sampler(SDES["vp"], SOLVERS["euler_ode"], num_steps=4, stop=0.0))
    assert error.w2.total == pytest.approx(0, abs=1e-14)
    assert divergence(law, law).relative_w2 == 0
