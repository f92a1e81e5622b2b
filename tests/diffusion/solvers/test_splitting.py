"""S4: both halves of the linear part are exact, and a corrector costs no evaluation and draws first."""

import math

import pytest
import torch
from torch import Tensor

from sbgd.diffusion.coupled import CoupledSDE, Fields
from sbgd.diffusion.noise import GeneratorNoise, NoiseSource
from sbgd.diffusion.sde import SDE, VE, VP, SubVP
from sbgd.diffusion.solvers import S4
from sbgd.diffusion.solvers.langevin import langevin
from sbgd.errors import InputError


class Nought(NoiseSource):
    def uniform(self, shape: tuple[int, ...]) -> Tensor:
        raise NotImplementedError

    def normal(self, shape: tuple[int, ...]) -> Tensor:
        return torch.zeros(shape)


def double(*values: float) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def system(sde: SDE, noise: NoiseSource, slope: float) -> CoupledSDE:
    def score(x: Fields, t: Tensor) -> Fields:
        return {"x": slope * x["x"]}

    return CoupledSDE({"x": sde}, score, {"x": lambda drawn: drawn}, noise)


@pytest.mark.parametrize("sde", [VP(), SubVP(), VE(0.01, 10.0)], ids=repr)
def test_without_a_score_the_linear_part_is_exact(sde: SDE) -> None:
    """Backwards x_t becomes N(x_t / rho, tau^2 / rho^2), whatever the halves are."""
    count, t, s = 100_000, double(0.5), double(0.3)
    rho, tau = (part.item() for part in sde.transition(s, t))
    noise = GeneratorNoise(torch.Generator().manual_seed(0))
    x = {"x": torch.full((1, count), 2.0, dtype=torch.float64)}
    moved = S4().step(system(sde, noise, 0.0), x, t, s)["x"]
    spread = tau / rho
    assert moved.mean().item() == pytest.approx(2 / rho, abs=5 * spread / math.sqrt(count))
    assert moved.std().item() == pytest.approx(spread, rel=5 / math.sqrt(2 * count))


def test_a_step_by_hand() -> None:
    """beta = 2 ln 4, a step of 1/2 in two halves of 1/4: each divides by rho = 1 / sqrt(2)."""
    rate = 2 * math.log(4)
    moved = S4().step(system(VP(rate, rate), Nought(), -0.5), {"x": double(3).unsqueeze(1)}, double(0.75), double(0.25))
    expected = (3 * math.sqrt(2) + rate * 0.5 * -1.5) * math.sqrt(2)
    torch.testing.assert_close(moved["x"], double(expected).unsqueeze(1))


def test_the_corrector_is_a_langevin_step_in_front_with_the_score_of_the_start() -> None:
    t, s, x = double(0.75), double(0.25), double(3).unsqueeze(1)
    at = system(VP(), Nought(), -0.5)
    corrected = langevin(at, "x", x, -0.5 * x, t, 0.3, 1.0)
    frozen = CoupledSDE(at.sdes, lambda fields, time: {"x": -0.5 * x}, at.project, at.noise)
    torch.testing.assert_close(S4(snr=0.3).step(at, {"x": x}, t, s), S4().step(frozen, {"x": corrected}, t, s))


@pytest.mark.parametrize(("snr", "noise_scale"), [(-0.1, 1.0), (math.nan, 1.0), (0.1, -1.0)])
def test_impossible_settings_are_refused(snr: float, noise_scale: float) -> None:
    with pytest.raises(InputError, match="expected snr and noise_scale of at least 0"):
        S4(snr, noise_scale)
