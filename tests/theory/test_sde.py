import numpy as np
import pytest
import torch
from scipy.integrate import quad

from sbgd.diffusion import VPSchedule
from sbgd.errors import InputError
from sbgd.theory.sde import SDE, SDES, VE, VP, SubVP

TIMES = np.linspace(0.02, 1.4, 30)


@pytest.fixture(params=[*SDES.values(), VP(1.5, 1.5), SubVP(0.5, 4.0), VE(0.1, 3.0)], ids=repr)
def sde(request: pytest.FixtureRequest) -> SDE:
    return request.param


def test_all_is_signal_at_time_zero(sde: SDE) -> None:
    assert (sde.alpha(np.zeros(1)).item(), sde.noise_variance(np.zeros(1)).item()) == (1, 0)


def test_moments_solve_their_differential_equations(sde: SDE) -> None:
    h = 1e-6
    alpha_rate = (sde.alpha(TIMES + h) - sde.alpha(TIMES - h)) / (2 * h)
    np.testing.assert_allclose(alpha_rate, sde.drift(TIMES) * sde.alpha(TIMES), rtol=1e-6, atol=1e-9)
    variance = sde.noise_variance(TIMES)
    variance_rate = (sde.noise_variance(TIMES + h) - sde.noise_variance(TIMES - h)) / (2 * h)
    expected = 2 * sde.drift(TIMES) * variance + sde.squared_diffusion(TIMES)
    np.testing.assert_allclose(variance_rate, expected, rtol=1e-5, atol=1e-7)


def test_transitions_compose(sde: SDE) -> None:
    s, t, u = np.array([0.1]), np.array([0.3]), np.array([0.8])
    (first, first_noise), (second, second_noise) = sde.transition(s, t), sde.transition(t, u)
    rho, tau2 = sde.transition(s, u)
    np.testing.assert_allclose([rho, tau2], [first * second, second**2 * first_noise + second_noise])


def test_score_weight_is_its_integral(sde: SDE) -> None:
    s, t = np.array([0.2]), np.array([0.7])

    def integrand(u: float) -> float:
        at = np.array([u])
        return (sde.alpha(s) / sde.alpha(at) * sde.squared_diffusion(at)).item()

    assert sde.score_weight(s, t).item() == pytest.approx(quad(integrand, 0.2, 0.7)[0], rel=1e-9)


def test_log_snr_decreases_and_is_inverted(sde: SDE) -> None:
    ratios = sde.log_snr(TIMES)
    assert (np.diff(ratios) < 0).all()
    np.testing.assert_allclose(sde.time_of_log_snr(ratios), TIMES, rtol=1e-9)


def test_vp_is_the_schedule_that_networks_are_trained_with() -> None:
    t = torch.linspace(0, 1, 21, dtype=torch.float64)
    np.testing.assert_allclose(VP(0.1, 20.0).alpha(t.numpy()) ** 2, VPSchedule(0.1, 20.0)(t).numpy(), rtol=1e-12)


@pytest.mark.parametrize(("sde", "horizon", "variance"), [(VP(), 0.7, 1), (SubVP(), 0.7, 1), (VE(0.01, 50.0), 1, 2500)])
def test_prior_variances(sde: SDE, horizon: float, variance: float) -> None:
    assert sde.prior_variance(horizon) == pytest.approx(variance)


@pytest.mark.parametrize("arguments", [(0.0, 1.0), (2.0, 1.0), (np.nan, 1.0)])
@pytest.mark.parametrize("kind", [VP, SubVP, VE])
def test_rates_in_the_wrong_order_are_refused(kind: type[VP] | type[VE], arguments: tuple[float, float]) -> None:
    with pytest.raises(InputError, match="expected 0 <"):
        kind(*arguments)
