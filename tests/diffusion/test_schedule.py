import math

import pytest
import torch

from sbgd.diffusion import CosineSchedule, Schedule, VPSchedule

GRID = torch.linspace(0, 1, 201, dtype=torch.float64)


@pytest.fixture(params=[CosineSchedule(), VPSchedule(), VPSchedule(beta_min=0.5, beta_max=8.0)], ids=repr)
def schedule(request: pytest.FixtureRequest) -> Schedule:
    return request.param


def test_all_signal_is_left_at_time_zero(schedule: Schedule) -> None:
    assert schedule(torch.zeros(1, dtype=torch.float64)).item() == 1


@pytest.mark.parametrize(
    ("schedule", "left"),
    [(CosineSchedule(), 0.0), (VPSchedule(), math.exp(-10.05)), (VPSchedule(1.0, 3.0), math.exp(-2))],
)
def test_signal_left_at_time_one(schedule: Schedule, left: float) -> None:
    assert schedule(torch.ones(1, dtype=torch.float64)).item() == pytest.approx(left, rel=1e-12, abs=1e-30)


def test_signal_decreases_strictly(schedule: Schedule) -> None:
    assert (schedule(GRID).diff() < 0).all()


def test_inverse_undoes_the_schedule(schedule: Schedule) -> None:
    torch.testing.assert_close(schedule.inverse(schedule(GRID)), GRID, rtol=0, atol=1e-7)


def test_schedule_undoes_its_inverse(schedule: Schedule) -> None:
    abar = torch.linspace(0.001, 1, 101, dtype=torch.float64)
    torch.testing.assert_close(schedule(schedule.inverse(abar)), abar, rtol=0, atol=1e-12)


def test_cosine_leaves_half_the_signal_at_half_time() -> None:
    assert CosineSchedule()(torch.tensor([0.5], dtype=torch.float64)).item() == pytest.approx(0.5, abs=1e-15)


def test_log_signal_of_the_vp_schedule_is_the_integral_of_its_linear_rate() -> None:
    schedule = VPSchedule(beta_min=0.2, beta_max=6.0)
    t = GRID.clone().requires_grad_()
    (rate,) = torch.autograd.grad(-torch.log(schedule(t)).sum(), t)
    torch.testing.assert_close(rate, 0.2 + 5.8 * GRID)


def test_training_times_are_uniform_in_the_signal(schedule: Schedule) -> None:
    uniform = torch.linspace(0, 1, 101, dtype=torch.float64)
    low = schedule(torch.ones(1, dtype=torch.float64)).item()
    expected = torch.linspace(low, 0.995, 101, dtype=torch.float64)
    torch.testing.assert_close(schedule(schedule.training_times(uniform)), expected, rtol=0, atol=1e-12)


def test_training_times_lie_in_the_unit_interval_in_single_precision(schedule: Schedule) -> None:
    times = schedule.training_times(torch.linspace(0, 1, 10_001))
    assert ((times > 0) & (times <= 1 + 1e-6)).all()
