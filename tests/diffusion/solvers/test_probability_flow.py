"""The probability flow of Gaussian data in closed form: x_t = m_t + sqrt(V_t / V_1) (x_1 - m_1), every path of it."""

import itertools
import math

import pytest
import torch
from torch import Tensor

from sbgd.diffusion.coupled import CoupledSDE, DivergedError, Fields
from sbgd.diffusion.noise import CounterNoise, NoiseSource
from sbgd.diffusion.process import expand
from sbgd.diffusion.sde import SDE, VE, VP, SubVP
from sbgd.diffusion.solvers import AdaptiveHeun, Heun, Solver, solve
from sbgd.diffusion.solvers.probability_flow import heun_pair, velocity
from sbgd.errors import InputError

MEAN = 1.5
NO_NOISE: NoiseSource = CounterNoise(0, torch.arange(1))


@pytest.fixture(params=[VP(), SubVP(), VE(0.01, 10.0)], ids=repr)
def sde(request: pytest.FixtureRequest) -> SDE:
    return request.param


def moments(sde: SDE, variance: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
    """Returns mean and variance of x_t."""
    alpha = sde.alpha(t)
    return alpha * MEAN, alpha**2 * variance + sde.sigma(t) ** 2


def flow(sde: SDE, variance: Tensor, x: Tensor, t: Tensor, s: Tensor) -> Tensor:
    """Moves x (b, m) from t to s, exactly."""
    (mean_t, variance_t), (mean_s, variance_s) = moments(sde, variance, t), moments(sde, variance, s)
    return expand(mean_s, x) + expand((variance_s / variance_t).sqrt(), x) * (x - expand(mean_t, x))


class Gaussian:
    """A system of graphs whose data have the given variances (b,); counts the rows that its score is asked about."""

    def __init__(self, sde: SDE, variance: Tensor) -> None:
        self.sde = sde
        self.variance = variance
        self.times: list[Tensor] = []
        self.system = CoupledSDE({"x": sde}, self.score, {"x": lambda noise: noise}, NO_NOISE)

    def score(self, x: Fields, t: Tensor) -> Fields:
        self.times.append(t)
        mean, variance = moments(self.sde, self.variance, t)
        return {"x": -(x["x"] - expand(mean, x["x"])) / expand(variance, x["x"])}


def starts(sde: SDE, num_graphs: int = 1) -> Tensor:
    return sde.prior_scale * torch.linspace(-2, 2, 9, dtype=torch.float64).expand(num_graphs, -1)


def largest_error(solver: Solver, sde: SDE, variance: Tensor, num_steps: int) -> float:
    """Returns the largest error of a path from t = 1 to t = 0."""
    x = starts(sde, len(variance))
    times = torch.linspace(1, 0, num_steps + 1, dtype=torch.float64) ** 1.5
    found = solve(solver, Gaussian(sde, variance).system, {"x": x}, times, denoise=False)["x"]
    return (found - flow(sde, variance, x, times[:1], times[-1:])).abs().max().item()


def test_velocity_is_the_derivative_of_the_flow(sde: SDE) -> None:
    variance = torch.tensor([0.36], dtype=torch.float64)
    x, t, h = starts(sde), torch.tensor([0.4], dtype=torch.float64), 1e-6
    rate = (flow(sde, variance, x, t, t + h) - flow(sde, variance, x, t, t - h)) / (2 * h)
    torch.testing.assert_close(velocity(Gaussian(sde, variance).system, {"x": x}, t)["x"], rate, rtol=1e-6, atol=1e-6)


def test_error_of_heun_quarters_when_steps_double(sde: SDE) -> None:
    variance = torch.tensor([0.36], dtype=torch.float64)
    errors = [largest_error(Heun(), sde, variance, num_steps) for num_steps in (100, 200, 400, 800)]
    for coarse, fine in itertools.pairwise(errors):
        assert math.log2(coarse / fine) == pytest.approx(2, abs=0.15)
    assert errors[-1] < 1e-3


def test_a_step_of_heun_by_hand() -> None:
    """VP at constant rate 2 and score -3 x: the velocity is -x + 3 x = 2 x."""
    system = CoupledSDE({"x": VP(2.0, 2.0)}, lambda x, _: {"x": -3 * x["x"]}, {"x": lambda noise: noise}, NO_NOISE)
    moved, error = heun_pair(system, {"x": torch.tensor([[4.0, 0.0]])}, torch.tensor([0.5]), torch.tensor([0.25]))
    assert moved["x"].tolist() == [[4 - 0.125 * (8 + 4), 0]]
    assert error.item() == pytest.approx(0.5 / 5 / math.sqrt(2))


def test_a_step_of_no_width_changes_nothing() -> None:
    system = Gaussian(VP(), torch.tensor([0.36])).system
    x, t = {"x": torch.tensor([[4.0, -1.0]])}, torch.tensor([0.5])
    moved, error = heun_pair(system, x, t, t)
    assert torch.equal(moved["x"], x["x"])
    assert error.item() == 0


@pytest.mark.parametrize("tolerance", [1e-2, 1e-3, 1e-4])
def test_adaptive_error_is_below_its_tolerance(sde: SDE, tolerance: float) -> None:
    """The tolerance bounds the error of Euler's method on one substep; Heun's, of which it is the sum, is smaller."""
    variance = torch.tensor([0.36, 0.01, 4.0], dtype=torch.float64)
    assert largest_error(AdaptiveHeun(tolerance, max_substeps=1000), sde, variance, 3) < 5 * tolerance


def test_adaptive_error_falls_with_the_tolerance(sde: SDE) -> None:
    variance = torch.tensor([0.36], dtype=torch.float64)
    errors = [largest_error(AdaptiveHeun(tolerance), sde, variance, 4) for tolerance in (1e-2, 1e-3, 1e-4)]
    assert all(fine < 0.3 * coarse for coarse, fine in itertools.pairwise(errors))


def substeps(variance: float, t: float, s: float) -> int:
    gaussian = Gaussian(VP(), torch.tensor([variance], dtype=torch.float64))
    times = torch.tensor([[t], [s]], dtype=torch.float64)
    AdaptiveHeun(1e-3).step(gaussian.system, {"x": starts(gaussian.sde)}, times[0], times[1])
    return len(gaussian.times) // 2


def test_adaptive_takes_more_substeps_where_the_flow_bends() -> None:
    """Narrow data bend the flow close to t = 0."""
    assert substeps(1e-4, 0.2, 0.0) > 2 * substeps(1e-4, 1.0, 0.8)
    assert substeps(1e-4, 0.2, 0.0) > 1.5 * substeps(1.0, 0.2, 0.0)


def test_adaptive_substeps_end_at_the_asked_time_exactly_in_every_row() -> None:
    """In single precision now - (now - s) is not always s; a row that ends beside s would move again in a batch."""
    variance = torch.logspace(-4, 1, 40)
    gaussian = Gaussian(VP(), variance)
    t, s = torch.linspace(0.3, 1, 40), torch.linspace(0.013, 0.29, 40)
    AdaptiveHeun(1e-3).step(gaussian.system, {"x": starts(VP(), 40).float()}, t, s)
    assert torch.equal(gaussian.times[-1], s)
    assert all((times >= s).all() for times in gaussian.times)


def test_too_few_substeps_are_an_error_that_says_how_far_it_came(sde: SDE) -> None:
    """Jumping over what is left would be wrong by any amount, and nobody would see it."""
    system = Gaussian(sde, torch.tensor([0.01], dtype=torch.float64)).system
    times = torch.tensor([[1.0], [0.1]], dtype=torch.float64)
    with pytest.raises(
        DivergedError, match=r"within 3 substeps, which ended at t = [01]\.\d+; take a larger tolerance"
    ):
        AdaptiveHeun(1e-6, max_substeps=3).step(system, {"x": starts(sde)}, times[0], times[1])


def test_adaptive_with_any_tolerance_is_heun(sde: SDE) -> None:
    system = Gaussian(sde, torch.tensor([0.01], dtype=torch.float64)).system
    x, times = {"x": starts(sde)}, torch.tensor([[0.5], [0.1]], dtype=torch.float64)
    once = AdaptiveHeun(1e9).step(system, x, times[0], times[1])
    assert torch.equal(once["x"], Heun().step(system, x, times[0], times[1])["x"])


def test_adaptive_error_is_that_of_real_entries() -> None:
    mask = torch.tensor([[1.0, 1.0, 0.0, 0.0, 0.0, 0.0]])
    narrow = Gaussian(VP(), torch.tensor([0.01])).system
    wide = CoupledSDE(
        narrow.sdes,
        lambda x, t: {"x": narrow.score(x, t)["x"] * mask},
        {"x": lambda noise: noise * mask},
        NO_NOISE,
    )
    t, s, x = torch.tensor([0.4]), torch.tensor([0.2]), torch.tensor([[1.0, -2.0]])
    error = heun_pair(narrow, {"x": x}, t, s)[1]
    padded = heun_pair(wide, {"x": torch.cat([x, torch.zeros(1, 4)], dim=1)}, t, s)[1]
    torch.testing.assert_close(padded, error)


@pytest.mark.parametrize(("tolerance", "max_substeps"), [(0.0, 10), (math.nan, 10), (1e-3, 0)])
def test_impossible_settings_are_refused(tolerance: float, max_substeps: int) -> None:
    with pytest.raises(InputError, match="expected a tolerance above 0"):
        AdaptiveHeun(tolerance, max_substeps)
