"""The Gaussian process against closed forms: moments, one step, whole chains on Gaussian data, edges under Bayes."""

import itertools
import math

import pytest
import torch
from torch import Tensor

from sbgd.diffusion import CosineSchedule, GaussianProcess, GeneratorNoise, VPSchedule

UNUSED_PRIOR = torch.tensor(0.5)


def double(*values: float) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


@pytest.fixture(params=[CosineSchedule(), VPSchedule()], ids=repr)
def process(request: pytest.FixtureRequest) -> GaussianProcess:
    return GaussianProcess(request.param)


def test_edges_are_encoded_as_plus_and_minus_one(process: GaussianProcess) -> None:
    assert process.encode(double(0, 1)).tolist() == [-1, 1]


def test_expectation_is_the_mean_of_a_sign_with_that_logit(process: GaussianProcess) -> None:
    p = double(0.001, 0.2, 0.5, 0.9)
    torch.testing.assert_close(process.expectation(torch.logit(p)), process.encode(p))


@pytest.mark.parametrize("time", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_perturbed_moments(process: GaussianProcess, time: float) -> None:
    count = 100_000
    noise = GeneratorNoise(torch.Generator().manual_seed(1)).normal((1, count)).double()
    x_t = process.perturb(torch.full_like(noise, 3.0), double(time), UNUSED_PRIOR, noise)
    abar = process.schedule(double(time)).item()
    assert x_t.mean().item() == pytest.approx(3 * math.sqrt(abar), abs=5 * math.sqrt((1 - abar) / count) + 1e-12)
    assert x_t.var().item() == pytest.approx(1 - abar, abs=5 * (1 - abar) * math.sqrt(2 / count) + 1e-12)


def test_initial_state_is_the_noise(process: GaussianProcess) -> None:
    noise = double(-1.5, 0.2)
    assert torch.equal(process.initial(UNUSED_PRIOR, noise), noise)


@pytest.mark.parametrize(("s", "t"), [(0.1, 0.15), (0.3, 0.9), (0.5, 1.0)])
def test_step_is_the_posterior_of_two_gaussian_observations(process: GaussianProcess, s: float, t: float) -> None:
    """Precisions add: x_s given x_0 has variance 1 - abar_s, and x_t observes sqrt(r) x_s with variance 1 - r."""
    abar_s, abar_t = process.schedule(double(s)), process.schedule(double(t))
    ratio = abar_t / abar_s
    precision = 1 / (1 - abar_s) + ratio / (1 - ratio)
    x_0, x_t = double(0.7), double(-1.2)
    mean = (abar_s.sqrt() * x_0 / (1 - abar_s) + ratio.sqrt() * x_t / (1 - ratio)) / precision
    for noise in (0.0, 1.0, -2.0):
        x_s = process.step(x_t, x_0, double(t), double(s), UNUSED_PRIOR, double(noise))
        torch.testing.assert_close(x_s, mean + noise / precision.sqrt())


def test_last_step_returns_the_expected_clean_state(process: GaussianProcess) -> None:
    x_s = process.step(double(4.0), double(0.3), double(0.2), double(0), UNUSED_PRIOR, double(1.7))
    torch.testing.assert_close(x_s, double(0.3))


def test_two_steps_with_the_same_clean_state_have_the_law_of_one(process: GaussianProcess) -> None:
    """Chapman-Kolmogorov for the reverse chain given x_0, in mean and variance."""
    x_0 = double(0.4)

    def affine(t: float, s: float) -> tuple[Tensor, Tensor, Tensor]:
        at_zero, at_one, noisy = (
            process.step(double(x), x_0, double(t), double(s), UNUSED_PRIOR, double(noise))
            for x, noise in ((0, 0), (1, 0), (0, 1))
        )
        return at_zero, at_one - at_zero, noisy - at_zero

    offset_1, slope_1, spread_1 = affine(0.9, 0.5)
    offset_2, slope_2, spread_2 = affine(0.5, 0.2)
    offset, slope, spread = affine(0.9, 0.2)
    torch.testing.assert_close(offset_2 + slope_2 * offset_1, offset)
    torch.testing.assert_close(slope_2 * slope_1, slope)
    torch.testing.assert_close((slope_2 * spread_1) ** 2 + spread_2**2, spread**2)


def chain_moments(process: GaussianProcess, mean: float, spread: float, num_steps: int) -> tuple[float, float]:
    """Carries the moments of the state through the reverse chain with the exact E[x_0 | x_t] of N(mean, spread^2).

    Both the denoiser and the step are affine, so three evaluations of a step give its law without sampling. Times are
    equally spaced down to 0, from a start at t = 1.
    """
    first, second = 0.0, 1.0
    for t, s in itertools.pairwise(torch.linspace(1, 0, num_steps + 1, dtype=torch.float64)):
        abar = process.schedule(t)
        gain = abar.sqrt() * spread**2 / (abar * spread**2 + 1 - abar)
        x_t = double(0, 1, 0)
        clean = mean + gain * (x_t - abar.sqrt() * mean)
        x_s = process.step(x_t, clean, t.expand(3), s.expand(3), UNUSED_PRIOR, double(0, 0, 1))
        offset, slope, noise = x_s[0], x_s[1] - x_s[0], x_s[2] - x_s[0]
        first = (offset + slope * first).item()
        second = (slope**2 * second + noise**2).item()
    return first, math.sqrt(second)


@pytest.mark.parametrize(("mean", "spread"), [(0.0, 1.0), (2.0, 0.5), (-1.0, 2.0), (5.0, 0.1)])
def test_reverse_chain_on_gaussian_data_converges_to_their_law(
    process: GaussianProcess, mean: float, spread: float
) -> None:
    found_mean, found_spread = chain_moments(process, mean, spread, 3200)
    assert found_mean == pytest.approx(mean, abs=0.002 * spread + 0.001)
    assert found_spread == pytest.approx(spread, rel=0.02)


@pytest.mark.parametrize(("mean", "spread"), [(2.0, 0.5), (-1.0, 2.0)])
def test_error_of_the_spread_halves_when_steps_double(process: GaussianProcess, mean: float, spread: float) -> None:
    errors = [abs(chain_moments(process, mean, spread, steps)[1] - spread) for steps in (50, 100, 200, 400)]
    assert all(later < 0.6 * earlier for earlier, later in itertools.pairwise(errors))


def test_mean_is_exact_for_any_number_of_steps() -> None:
    """An affine denoiser is right on average, and with the cosine schedule nothing of the data is left at t = 1."""
    process = GaussianProcess(CosineSchedule())
    for num_steps in (1, 3, 20):
        assert chain_moments(process, 2.0, 0.5, num_steps)[0] == pytest.approx(2.0, abs=1e-9)


def test_sampled_chain_agrees_with_its_moments(process: GaussianProcess) -> None:
    count, num_steps, mean, spread = 50_000, 20, 2.0, 0.5
    noise = GeneratorNoise(torch.Generator().manual_seed(3))
    x = process.initial(UNUSED_PRIOR, noise.normal((1, count)).double())
    for t, s in itertools.pairwise(torch.linspace(1, 0, num_steps + 1, dtype=torch.float64)):
        abar = process.schedule(t)
        gain = abar.sqrt() * spread**2 / (abar * spread**2 + 1 - abar)
        clean = mean + gain * (x - abar.sqrt() * mean)
        x = process.step(x, clean, t.expand(1), s.expand(1), UNUSED_PRIOR, noise.normal((1, count)).double())
    expected_mean, expected_spread = chain_moments(process, mean, spread, num_steps)
    assert x.mean().item() == pytest.approx(expected_mean, abs=5 * expected_spread / math.sqrt(count))
    assert x.std().item() == pytest.approx(expected_spread, abs=5 * expected_spread / math.sqrt(2 * count))


@pytest.mark.parametrize("time", [0.3, 0.6, 0.95])
@pytest.mark.parametrize("p", [0.01, 0.4])
def test_prior_logit_of_an_edge_is_bayes_rule(process: GaussianProcess, time: float, p: float) -> None:
    abar = process.schedule(double(time))
    x_t = torch.linspace(-1.5, 1.5, 7, dtype=torch.float64).unsqueeze(0)
    normal = torch.distributions.Normal
    present = normal(abar.sqrt(), (1 - abar).sqrt()).log_prob(x_t) + math.log(p)
    absent = normal(-abar.sqrt(), (1 - abar).sqrt()).log_prob(x_t) + math.log1p(-p)
    logit = process.prior_logit(x_t, double(time), double(p))
    torch.testing.assert_close(logit, (present - absent).clamp(-12, 12))
    torch.testing.assert_close(process.soft_edges(x_t, double(time), double(p)), torch.sigmoid(logit))


def test_prior_logit_is_certain_with_all_signal(process: GaussianProcess) -> None:
    assert process.prior_logit(double(-1, 1), double(0, 0), double(0.3, 0.3)).tolist() == [-12, 12]


@pytest.mark.parametrize("p", [0.05, 0.5])
def test_reverse_chain_with_the_prior_as_denoiser_returns_the_edge_share(p: float) -> None:
    """Independent edges: E[x_0 | x_t] is the expectation of `prior_logit`, and the chain must end at -1 or +1."""
    process = GaussianProcess(CosineSchedule())
    count, prior = 40_000, torch.tensor([[p]])
    noise = GeneratorNoise(torch.Generator().manual_seed(4))
    x = noise.normal((1, count))
    for t, s in itertools.pairwise(torch.linspace(1, 0, 201)):
        clean = process.expectation(process.prior_logit(x, t.expand(1), prior))
        x = process.step(x, clean, t.expand(1), s.expand(1), prior, noise.normal((1, count)))
    assert (x.abs() > 0.99).float().mean() > 0.999
    assert (x > 0).float().mean().item() == pytest.approx(p, abs=5 * math.sqrt(p * (1 - p) / count) + 0.002)
