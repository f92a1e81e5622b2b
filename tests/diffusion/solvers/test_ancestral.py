"""Ancestral sampling against the posterior of two Gaussian observations."""

import pytest
import torch
from torch import Tensor

from sbgd.diffusion.coupled import CoupledSDE
from sbgd.diffusion.noise import NoiseSource
from sbgd.diffusion.sde import SDE, VE, VP, SubVP
from sbgd.diffusion.solvers import Ancestral

SCORE, X_T = -1.3, 0.8


class Constant(NoiseSource):
    def __init__(self, value: float) -> None:
        self.value = value

    def uniform(self, shape: tuple[int, ...]) -> Tensor:
        raise NotImplementedError

    def normal(self, shape: tuple[int, ...]) -> Tensor:
        return torch.full(shape, self.value, dtype=torch.float64)


def step(sde: SDE, t: float, s: float, noise: float) -> Tensor:
    system = CoupledSDE(
        {"x": sde}, lambda x, _: {"x": torch.full_like(x["x"], SCORE)}, {"x": lambda drawn: drawn}, Constant(noise)
    )
    times = torch.tensor([[t], [s]], dtype=torch.float64)
    return Ancestral().step(system, {"x": torch.tensor([[X_T]], dtype=torch.float64)}, times[0], times[1])["x"]


@pytest.mark.parametrize("sde", [VP(), SubVP(), VE(0.01, 10.0)], ids=repr)
@pytest.mark.parametrize(("t", "s"), [(0.15, 0.1), (0.9, 0.3), (1.0, 0.5)])
def test_step_is_the_posterior_of_the_denoised_data(sde: SDE, t: float, s: float) -> None:
    """Precisions add: x_s given x_0 has variance sigma_s^2, and x_t observes rho x_s with variance tau^2."""
    times = torch.tensor([t, s], dtype=torch.float64)
    (alpha_t, alpha_s), (sigma_t, sigma_s) = sde.alpha(times), sde.sigma(times)
    x_0 = (X_T + sigma_t**2 * SCORE) / alpha_t
    rho = alpha_t / alpha_s
    tau2 = sigma_t**2 - rho**2 * sigma_s**2
    precision = 1 / sigma_s**2 + rho**2 / tau2
    mean = (alpha_s * x_0 / sigma_s**2 + rho * X_T / tau2) / precision
    for noise in (0.0, 1.0, -2.0):
        torch.testing.assert_close(step(sde, t, s, noise), (mean + noise / precision.sqrt()).reshape(1, 1))


@pytest.mark.parametrize("sde", [VP(), SubVP(), VE(0.01, 10.0)], ids=repr)
def test_the_step_to_zero_is_the_denoised_data_without_noise(sde: SDE) -> None:
    t = torch.tensor([0.4], dtype=torch.float64)
    x_0 = (X_T + sde.sigma(t) ** 2 * SCORE) / sde.alpha(t)
    torch.testing.assert_close(step(sde, 0.4, 0.0, 1.7), x_0.reshape(1, 1))
