import numpy as np
import pytest
from scipy.integrate import solve_ivp

from sbgd.theory.divergence import divergence
from sbgd.theory.law import GaussianLaw
from sbgd.theory.sampler import Sampler
from sbgd.theory.score import LinearScore, ScoreError
from sbgd.theory.sde import SDE, SDES, VE, VP
from sbgd.theory.solvers import DDIM, SOLVERS, EulerMaruyama, ExponentialSDE, Solver

LAW = GaussianLaw.of([0.3, 1.0, 2.5], means=[0.5, 0.0, -1.0])
STEP = np.array([0.5, 0.45])


def distance_to_the_limit(sampler: Sampler) -> float:
    return divergence(sampler.output(LAW), sampler.continuous(LAW, sampler.prior(LAW))).w2


@pytest.mark.parametrize("sde", [SDES["vp"], SDES["subvp"], VE(0.1, 10.0)], ids=repr)
@pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
def test_error_falls_at_the_order_of_the_solver(solver: Solver, sde: SDE) -> None:
    coarse, fine = (distance_to_the_limit(Sampler(sde, solver, num_steps=k, stop=0.05)) for k in (2000, 4000))
    assert np.log2(coarse / fine) == pytest.approx(2 if solver.name == "heun" else 1, abs=0.05)


def test_euler_maruyama_on_ve_is_of_second_order_in_the_variance_of_gaussians() -> None:
    # int_0^inf (y - v) / (y + v)^3 dy = 0: the leading errors of all steps cancel on geometric noise scales
    law, solver = GaussianLaw.of([1.0]), EulerMaruyama()
    outputs = []
    for steps in (400, 800):
        sampler = Sampler(VE(1e-4, 1e4), solver, num_steps=steps, stop=0.0)
        outputs.append(divergence(sampler.output(law), sampler.continuous(law, sampler.prior(law))).w2)
    assert np.log2(outputs[0] / outputs[1]) == pytest.approx(2, abs=0.05)


def test_ancestral_sampling_on_vp_is_ddpm() -> None:
    sde, (t, s) = VP(), STEP
    abar_t, abar_s = (VP().alpha(np.array([time])).item() ** 2 for time in (t, s))
    beta = 1 - abar_t / abar_s
    steps = SOLVERS["ancestral"].steps(LinearScore(LAW, sde), STEP)
    # Ho et al. (2020), eqs. 6 and 7 with x_0 replaced by its posterior mean
    variance = abar_t * LAW.variances + 1 - abar_t
    denoised_gain = np.sqrt(abar_t) * LAW.variances / variance
    denoised_shift = LAW.means * (1 - abar_t) / variance
    of_x0, of_xt = np.sqrt(abar_s) * beta / (1 - abar_t), np.sqrt(1 - beta) * (1 - abar_s) / (1 - abar_t)
    np.testing.assert_allclose(steps.gain[0], of_xt + of_x0 * denoised_gain)
    np.testing.assert_allclose(steps.shift[0], of_x0 * denoised_shift)
    np.testing.assert_allclose(steps.noise[0], np.full(3, beta * (1 - abar_s) / (1 - abar_t)))


def test_reverse_diffusion_on_ve_is_that_of_song() -> None:
    sde = SDES["ve"]
    growth = -np.diff(sde.noise_variance(STEP)).item()
    steps = SOLVERS["reverse_diffusion"].steps(LinearScore(LAW, sde), STEP)
    variance = LAW.variances + sde.noise_variance(STEP[:1])
    np.testing.assert_allclose(steps.gain[0], 1 - growth / variance)
    np.testing.assert_allclose(steps.noise[0], np.full(3, growth))


@pytest.mark.parametrize("sde", SDES.values(), ids=SDES)
def test_ddim_moves_noised_points_along_their_noise(sde: SDE) -> None:
    point = GaussianLaw.of([0.0], means=[1.7])
    steps = DDIM().steps(LinearScore(point, sde), STEP)
    (alpha_t, alpha_s), (sigma_t, sigma_s) = sde.alpha(STEP), np.sqrt(sde.noise_variance(STEP))
    found = steps.gain * (alpha_t * 1.7 + sigma_t * 0.6) + steps.shift
    assert found.item() == pytest.approx(alpha_s * 1.7 + sigma_s * 0.6)


@pytest.mark.parametrize("sde", SDES.values(), ids=SDES)
def test_exponential_step_solves_the_equation_with_a_frozen_score(sde: SDE) -> None:
    steps = ExponentialSDE().steps(LinearScore(LAW, sde, ScoreError(0.1)), STEP)
    slope, intercept = (
        part(STEP[:1])[0, 2]
        for part in (LinearScore(LAW, sde, ScoreError(0.1)).slope, LinearScore(LAW, sde, ScoreError(0.1)).intercept)
    )
    x = 0.8

    def backwards(tau: float, state: np.ndarray) -> list[float]:
        f, g2 = sde.drift(np.array([STEP[0] - tau])).item(), sde.squared_diffusion(np.array([STEP[0] - tau])).item()
        return [-f * state[0] + g2 * (slope * x + intercept), -2 * f * state[1] + g2]

    mean, variance = solve_ivp(backwards, (0, 0.05), [x, 0.0], rtol=1e-10, atol=1e-12).y[:, -1]
    assert (steps.gain[0, 2] * x + steps.shift[0, 2]).item() == pytest.approx(mean, rel=1e-7)
    assert steps.noise[0, 2] == pytest.approx(variance, rel=1e-7)


def test_heun_step_equals_its_two_evaluations_written_out() -> None:
    sde, (t, s) = VP(), STEP
    score = LinearScore(LAW, sde, ScoreError(0.05, 0.1, 0.2))

    def velocity(x: np.ndarray, time: float, noise: float) -> np.ndarray:
        at = np.array([time])
        value = score.slope(at)[0] * x + score.intercept(at)[0] + noise * np.sqrt(score.noise_variance(at)[0])
        return sde.drift(at) * x - 0.5 * sde.squared_diffusion(at) * value

    def step(x: np.ndarray, first: float, second: float) -> np.ndarray:
        now = velocity(x, t, first)
        return x - (t - s) / 2 * (now + velocity(x - (t - s) * now, s, second))

    steps, x = SOLVERS["heun"].steps(score, STEP), np.array([0.3, -0.2, 1.1])
    mean = step(x, 0, 0)
    np.testing.assert_allclose(steps.gain[0] * x + steps.shift[0], mean)
    np.testing.assert_allclose(steps.noise[0], (step(x, 1, 0) - mean) ** 2 + (step(x, 0, 1) - mean) ** 2)


@pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
def test_only_solvers_of_the_sde_add_noise(solver: Solver) -> None:
    noise = solver.steps(LinearScore(LAW, VP()), np.array([1.0, 0.5, 0.1])).noise
    assert (noise == 0).all() if solver.follows_ode else (noise > 0).all()
