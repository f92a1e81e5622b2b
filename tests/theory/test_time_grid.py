import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.theory.sde import SDE, SDES, VP
from sbgd.theory.time_grid import GRIDS, LogSNRGrid, PowerGrid, TimeGrid


@pytest.mark.parametrize("grid", GRIDS.values(), ids=GRIDS)
@pytest.mark.parametrize("sde", SDES.values(), ids=SDES)
def test_times_fall_from_horizon_to_stop(grid: TimeGrid, sde: SDE) -> None:
    times = grid(sde, 37, 0.9, 1e-3)
    assert (len(times), times[0], times[-1]) == (38, 0.9, 1e-3)
    assert (np.diff(times) < 0).all()


def test_power_one_is_uniform_and_two_is_quadratic() -> None:
    np.testing.assert_allclose(PowerGrid()(VP(), 4, 1.0, 0.0), [1, 0.75, 0.5, 0.25, 0])
    np.testing.assert_allclose(PowerGrid(2.0)(VP(), 4, 1.0, 0.0), [1, 0.5625, 0.25, 0.0625, 0])


def test_log_snr_steps_are_even() -> None:
    steps = np.diff(VP().log_snr(LogSNRGrid()(VP(), 10, 1.0, 1e-3)))
    np.testing.assert_allclose(steps, steps.mean(), rtol=1e-9)


def test_log_snr_needs_a_stop_above_zero() -> None:
    with pytest.raises(InputError, match="raise stop"):
        LogSNRGrid()(VP(), 10, 1.0, 0.0)


def test_powers_at_zero_are_refused() -> None:
    with pytest.raises(InputError, match="power above 0"):
        PowerGrid(0.0)
