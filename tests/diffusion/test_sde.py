"""Closed forms of the forward SDEs against their differential equations and each other."""

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from sbgd.diffusion.sde import SDE, VE, VP, SubVP
from sbgd.errors import InputError

GRID = torch.linspace(0.02, 0.98, 49, dtype=torch.float64)


def double(*values: float) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


@pytest.fixture(params=[VP(), VP(1.5, 1.5), SubVP(), SubVP(0.5, 8.0), VE(), VE(0.01, 10.0)], ids=repr)
def sde(request: pytest.FixtureRequest) -> SDE:
    return request.param


def test_all_is_signal_at_time_zero(sde: SDE) -> None:
    assert (sde.alpha(double(0)).item(), sde.sigma(double(0)).item()) == (1, 0)


def test_signal_falls_at_the_rate_of_the_drift(sde: SDE) -> None:
    h = 1e-6
    rate = (sde.alpha(GRID + h) - sde.alpha(GRID - h)) / (2 * h)
    torch.testing.assert_close(rate, sde.drift(GRID) * sde.alpha(GRID), rtol=1e-6, atol=1e-8)


def test_noise_grows_as_its_differential_equation_says(sde: SDE) -> None:
    h = 1e-6
    rate = (sde.sigma(GRID + h) ** 2 - sde.sigma(GRID - h) ** 2) / (2 * h)
    expected = 2 * sde.drift(GRID) * sde.sigma(GRID) ** 2 + sde.squared_diffusion(GRID)
    torch.testing.assert_close(rate, expected, rtol=1e-5, atol=1e-7)


def test_transition_from_clean_data_is_the_marginal(sde: SDE) -> None:
    rho, tau = sde.transition(torch.zeros_like(GRID), GRID)
    torch.testing.assert_close(rho, sde.alpha(GRID))
    torch.testing.assert_close(tau, sde.sigma(GRID))


def test_transitions_compose(sde: SDE) -> None:
    s, t, u = double(0.1, 0.0, 0.5), double(0.3, 0.6, 0.501), double(0.8, 1.0, 0.502)
    (first, first_tau), (second, second_tau) = sde.transition(s, t), sde.transition(t, u)
    rho, tau = sde.transition(s, u)
    torch.testing.assert_close(rho, first * second)
    torch.testing.assert_close(tau**2, (second * first_tau) ** 2 + second_tau**2)


def test_no_time_is_no_change(sde: SDE) -> None:
    rho, tau = sde.transition(GRID, GRID)
    assert torch.equal(rho, torch.ones_like(GRID))
    torch.testing.assert_close(tau, torch.zeros_like(GRID))


def test_a_thousand_steps_of_the_transition_survive_single_precision(sde: SDE) -> None:
    times = torch.linspace(1e-3, 1, 1001, dtype=torch.float64)
    rho, tau = sde.transition(times[:-1], times[1:])
    rounded_rho, rounded_tau = sde.transition(times[:-1].float(), times[1:].float())
    torch.testing.assert_close(rounded_rho.double(), rho, rtol=1e-5, atol=0)
    torch.testing.assert_close(rounded_tau.double(), tau, rtol=1e-3, atol=0)


@pytest.mark.parametrize("sde", [VP(), SubVP(), VE(), VE(0.01, 10.0)], ids=repr)
def test_prior_has_the_spread_of_standard_data_at_time_one(sde: SDE) -> None:
    spread = (sde.alpha(double(1)) ** 2 + sde.sigma(double(1)) ** 2).sqrt().item()
    assert sde.prior_scale == pytest.approx(spread, rel=0.01)


def test_hand_made_values_of_constant_rate() -> None:
    """beta = 2 ln 2 gives B(1/2) = ln 2, so half of the power is left."""
    t, rate = double(0.5), 2 * math.log(2)
    assert VP(rate, rate).alpha(t).item() == pytest.approx(math.sqrt(0.5))
    assert VP(rate, rate).sigma(t).item() == pytest.approx(math.sqrt(0.5))
    assert SubVP(rate, rate).sigma(t).item() == pytest.approx(0.5)
    assert SubVP(rate, rate).squared_diffusion(t).item() == pytest.approx(rate * 0.75)


def test_hand_made_values_of_exploding_noise() -> None:
    """sigma_max = 4 sigma_min: sigma_t^2 = 16^t - 1 for sigma_min = 1."""
    sde = VE(1.0, 4.0)
    assert sde.sigma(double(0.5, 1)).tolist() == pytest.approx([math.sqrt(3), math.sqrt(15)])
    assert sde.squared_diffusion(double(0.5)).item() == pytest.approx(4 * math.log(16))
    assert sde.prior_scale == 4


@pytest.mark.parametrize("kind", ["VP", "SubVP", "VE"])
@pytest.mark.parametrize("arguments", [(0.1, 20.0), (0.5, 3.0)])
def test_values_are_those_of_the_theory(kind: str, arguments: tuple[float, float]) -> None:
    theory = pytest.importorskip("sbgd.theory.sde")
    here, there = {"VP": VP, "SubVP": SubVP, "VE": VE}[kind](*arguments), getattr(theory, kind)(*arguments)
    assert here.name == there.name
    assert here.prior_scale**2 == pytest.approx(there.prior_variance(1.0))
    t = GRID.numpy()
    np.testing.assert_allclose(here.alpha(GRID), there.alpha(t), rtol=1e-12)
    np.testing.assert_allclose(here.sigma(GRID) ** 2, there.noise_variance(t), rtol=1e-12)
    np.testing.assert_allclose(here.drift(GRID), there.drift(t), rtol=1e-12)
    np.testing.assert_allclose(here.squared_diffusion(GRID), there.squared_diffusion(t), rtol=1e-12)
    rho, tau = here.transition(GRID[:-1], GRID[1:])
    expected_rho, expected_tau2 = there.transition(t[:-1], t[1:])
    np.testing.assert_allclose(rho, expected_rho, rtol=1e-12)
    np.testing.assert_allclose(tau**2, expected_tau2, rtol=1e-9)


@pytest.mark.parametrize("arguments", [(0.0, 1.0), (-1.0, 1.0), (2.0, 1.0), (1.0, math.inf), (math.nan, 1.0)])
@pytest.mark.parametrize("kind", [VP, SubVP, VE])
def test_parameters_out_of_order_are_refused(kind: type[VP] | type[VE], arguments: tuple[float, float]) -> None:
    with pytest.raises(InputError, match="expected 0 <"):
        kind(*arguments)


def test_exploding_noise_must_explode_but_a_rate_may_be_constant() -> None:
    assert VP(1.0, 1.0).beta(double(0.3)).item() == 1
    with pytest.raises(InputError, match="sigma_min < sigma_max"):
        VE(1.0, 1.0)
