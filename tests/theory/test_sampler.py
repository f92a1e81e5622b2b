import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.theory import sampler as sampler_module
from sbgd.theory.covariance import FilterCovariance
from sbgd.theory.divergence import divergence
from sbgd.theory.graphs import power_law_graph
from sbgd.theory.law import GaussianLaw
from sbgd.theory.sampler import Sampler
from sbgd.theory.score import LinearScore, ScoreError
from sbgd.theory.sde import SDE, SDES, VE
from sbgd.theory.solvers import SOLVERS, Solver
from sbgd.theory.spectrum import graph_matrix

LAW = GaussianLaw.of([0.3, 1.0, 2.5], means=[0.5, 0.0, -1.0], weights=[1, 2, 3])
WRONG = ScoreError(relative=0.03, offset=0.05, noise=0.1)


@pytest.mark.parametrize("sde", SDES.values(), ids=SDES)
@pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
def test_output_equals_the_recursion_step_by_step(solver: Solver, sde: SDE) -> None:
    sampler = Sampler(sde, solver, num_steps=13)
    steps = solver.steps(LinearScore(LAW, sde, WRONG), sampler.times)
    mean, variance = np.zeros(3), np.full(3, sde.prior_variance(1.0))
    for gain, shift, noise in zip(steps.gain, steps.shift, steps.noise, strict=True):
        mean, variance = gain * mean + shift, gain**2 * variance + noise
    output = sampler.output(LAW, WRONG)
    np.testing.assert_allclose(output.means, mean, rtol=1e-10)
    np.testing.assert_allclose(output.variances, variance, rtol=1e-10)


@pytest.mark.parametrize("name", ["euler_maruyama", "ancestral", "heun"])
def test_output_is_the_law_of_simulated_features_on_the_nodes(name: str) -> None:
    """Simulates in node space, with matrices and without the eigenbasis, and compares moments."""
    matrix = graph_matrix(power_law_graph(12, 3, rng=np.random.default_rng(3))).toarray()
    eigenvalues, basis = np.linalg.eigh(matrix)
    law = GaussianLaw.of(FilterCovariance((1.0, 0.8), 0.2)(eigenvalues), means=np.linspace(-1, 1, 12))
    sampler = Sampler(SDES["vp"], SOLVERS[name], num_steps=6, stop=0.02)
    samples = _simulated(sampler, matrix, basis @ law.means, basis @ np.ones(12), np.random.default_rng(0), 40_000)
    coordinates, output = samples @ basis, sampler.output(law, WRONG)
    mean_error = np.sqrt(output.variances / len(samples))
    assert (np.abs(coordinates.mean(axis=0) - output.means) < 5 * mean_error).all()
    variance_error = output.variances * np.sqrt(2 / len(samples))
    assert (np.abs(coordinates.var(axis=0) - output.variances) < 5 * variance_error).all()
    # the output stays diagonal in the eigenbasis
    correlation = np.corrcoef(coordinates.T) - np.eye(12)
    assert np.abs(correlation).max() < 5 / np.sqrt(len(samples))


def _simulated(
    sampler: Sampler, matrix: np.ndarray, mean: np.ndarray, offset: np.ndarray, rng: np.random.Generator, count: int
) -> np.ndarray:
    size = len(matrix)
    sigma = (np.eye(size) + 0.8 * matrix) @ (np.eye(size) + 0.8 * matrix) + 0.2 * np.eye(size)

    def score(x: np.ndarray, t: float) -> np.ndarray:
        alpha2, noise = sde.alpha(np.array([t])).item() ** 2, sde.noise_variance(np.array([t])).item()
        precision = np.linalg.inv(alpha2 * sigma + noise * np.eye(size))
        exact = -(x - np.sqrt(alpha2) * mean) @ precision
        return 1.03 * exact + (0.05 * offset + 0.1 * rng.standard_normal(x.shape)) / np.sqrt(noise)

    def velocity(x: np.ndarray, t: float) -> np.ndarray:
        at = np.array([t])
        return sde.drift(at) * x - 0.5 * sde.squared_diffusion(at) * score(x, t)

    sde, x = sampler.sde, rng.standard_normal((count, size))
    for t, s in zip(sampler.times[:-1], sampler.times[1:], strict=True):
        if sampler.solver.name == "heun":
            now = velocity(x, t)
            x = x - (t - s) / 2 * (now + velocity(x - (t - s) * now, s))
        else:
            carry, push, spread = (one.item() for one in sampler.solver.weights(sde, np.array([t]), np.array([s])))
            x = carry * x + push * score(x, t) + np.sqrt(spread) * rng.standard_normal(x.shape)
    return x


@pytest.mark.parametrize("sde", SDES.values(), ids=SDES)
@pytest.mark.parametrize("name", ["exponential_sde", "heun"])
def test_continuous_from_the_true_law_returns_the_true_law(name: str, sde: SDE) -> None:
    sampler = Sampler(sde, SOLVERS[name])
    found = sampler.continuous(LAW, sampler.diffused(LAW, sampler.horizon))
    assert divergence(found, sampler.diffused(LAW, sampler.stop)).w2 < 1e-7


@pytest.mark.parametrize("sde", [SDES["vp"], SDES["subvp"], VE(0.1, 10.0)], ids=repr)
@pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
def test_infinitely_many_steps_give_the_continuous_solution(solver: Solver, sde: SDE) -> None:
    sampler = Sampler(sde, solver, num_steps=100_000, stop=0.02)
    limit = sampler.continuous(LAW, sampler.prior(LAW))
    assert divergence(sampler.output(LAW), limit).relative_w2 < 2e-4


def test_long_diffusion_and_a_late_stop_return_the_data() -> None:
    sampler = Sampler(SDES["vp"], SOLVERS["heun"], num_steps=40_000, horizon=2.2, stop=0.0)
    assert divergence(sampler.output(LAW), LAW).relative_w2 < 1e-7


def test_a_diverging_sampler_is_infinitely_wrong() -> None:
    stiff = GaussianLaw.of([1e-9])
    output = Sampler(SDES["vp"], SOLVERS["euler_maruyama"], num_steps=900, stop=0.0).output(stiff)
    finite = Sampler(SDES["vp"], SOLVERS["euler_maruyama"], num_steps=3).output(stiff, ScoreError(relative=1e200))
    assert np.isfinite(output.variances).all()
    assert finite.variances.item() == np.inf


def test_long_laws_are_propagated_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    law = GaussianLaw.of(np.linspace(0.1, 3, 100))
    whole = Sampler(num_steps=9).output(law)
    monkeypatch.setattr(sampler_module, "MAX_ENTRIES", 70)
    np.testing.assert_array_equal(Sampler(num_steps=9).output(law).variances, whole.variances)


def test_cost_counts_score_evaluations() -> None:
    assert (Sampler(num_steps=7).cost, Sampler(solver=SOLVERS["heun"], num_steps=7).cost) == (7, 14)


@pytest.mark.parametrize("arguments", [{"num_steps": 0}, {"stop": 1.0}, {"stop": -0.1}, {"horizon": np.inf}])
def test_impossible_samplers_are_refused(arguments: dict[str, float]) -> None:
    with pytest.raises(InputError, match="expected"):
        Sampler(**arguments)  # type: ignore[arg-type]
