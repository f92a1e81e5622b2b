"""Langevin correction against its formula by hand and the law that it keeps."""

import math

import pytest
import torch
from torch import Tensor

from sbgd.diffusion.coupled import CoupledSDE, Fields
from sbgd.diffusion.noise import GeneratorNoise, NoiseSource
from sbgd.diffusion.process import expand
from sbgd.diffusion.sde import SDE, VE, VP
from sbgd.diffusion.solvers import Ancestral, EulerMaruyama, PredictorCorrector, Solver, solve
from sbgd.diffusion.solvers.langevin import langevin
from sbgd.errors import InputError


class Ones(NoiseSource):
    def uniform(self, shape: tuple[int, ...]) -> Tensor:
        raise NotImplementedError

    def normal(self, shape: tuple[int, ...]) -> Tensor:
        return torch.ones(shape)


class Still(Solver):
    """Leaves everything where it is."""

    name = "still"

    def step(self, system: CoupledSDE, x: Fields, t: Tensor, s: Tensor) -> Fields:
        return {name: x[name] for name in system.sdes}


def gaussian_system(sde: SDE, noise: NoiseSource, mean: float = 0.5, variance: float = 0.36) -> CoupledSDE:
    def score(x: Fields, t: Tensor) -> Fields:
        alpha, sigma = expand(sde.alpha(t), x["x"]), expand(sde.sigma(t), x["x"])
        return {"x": -(x["x"] - alpha * mean) / (alpha**2 * variance + sigma**2)}

    return CoupledSDE({"x": sde}, score, {"x": lambda drawn: drawn}, noise)


def test_a_step_by_hand() -> None:
    """sigma_t^2 = 16^t - 1 = 3 at t = 1/2, so snr = 1/2 gives e = 2 * 3 / 4 = 3/2 and sqrt(2 e) = sqrt(3)."""
    system = gaussian_system(VE(1.0, 4.0), Ones())
    value, score = torch.tensor([[1.0, -2.0]]), torch.tensor([[-4.0, 6.0]])
    moved = langevin(system, "x", value, score, torch.tensor([0.5]), snr=0.5, noise_scale=0.1)
    expected = torch.tensor([[1 - 6 + 0.1 * math.sqrt(3), -2 + 9 + 0.1 * math.sqrt(3)]])
    torch.testing.assert_close(moved, expected)


def test_the_corrector_acts_at_the_time_of_arrival_with_a_fresh_score() -> None:
    asked = []
    plain = gaussian_system(VP(), Ones())

    def score(x: Fields, t: Tensor) -> Fields:
        asked.append((x["x"].item(), t.item()))
        return plain.score(x, t)

    system = CoupledSDE(plain.sdes, score, plain.project, Ones())
    x, t, s = {"x": torch.tensor([[2.0]])}, torch.tensor([0.75]), torch.tensor([0.5])
    moved = PredictorCorrector(EulerMaruyama(), snr=0.3, num_corrections=2).step(system, x, t, s)["x"]
    predicted = EulerMaruyama().step(plain, x, t, s)["x"]
    once = langevin(plain, "x", predicted, plain.score({"x": predicted}, s)["x"], s, 0.3, 1.0)
    twice = langevin(plain, "x", once, plain.score({"x": once}, s)["x"], s, 0.3, 1.0)
    assert torch.equal(moved, twice)
    assert asked == [(2.0, 0.75), (predicted.item(), 0.5), (once.item(), 0.5)]


def test_many_corrections_alone_reach_the_law_of_the_noisy_data() -> None:
    """The stationary variance is V / (1 - e / (2 V)), which is V up to the size e of a step."""
    sde, count = VE(0.1, 3.0), 40_000
    system = gaussian_system(sde, GeneratorNoise(torch.Generator().manual_seed(0)))
    t = torch.tensor([0.5], dtype=torch.float64)
    x = {"x": torch.full((1, count), 7.0, dtype=torch.float64)}
    x = PredictorCorrector(Still(), snr=0.3, num_corrections=300).step(system, x, t + 0.1, t)
    variance = 0.36 + sde.sigma(t).item() ** 2
    size = 2 * (0.3 * sde.sigma(t).item()) ** 2
    stationary = variance / (1 - size / (2 * variance))
    assert x["x"].mean().item() == pytest.approx(0.5, abs=5 * math.sqrt(stationary / count))
    assert x["x"].var().item() == pytest.approx(stationary, rel=5 * math.sqrt(2 / count))


def test_the_law_does_not_depend_on_the_size_of_the_graph() -> None:
    """A step sized by the norms of one graph's score and noise would widen the law of single entries a hundredfold."""
    found = []
    for shape in ((24_000, 1), (8_000, 3), (600, 40)):
        system = gaussian_system(VP(), GeneratorNoise(torch.Generator().manual_seed(0)))
        times = torch.linspace(1, 0.02, 60) ** 2
        solver = PredictorCorrector(EulerMaruyama(), snr=0.2)
        found.append(
            solve(solver, system, system.prior({"x": torch.zeros(shape)}), times, denoise=False)["x"].flatten()
        )
    assert torch.equal(found[0], found[1])
    assert torch.equal(found[0], found[2])
    assert found[0].mean().item() == pytest.approx(0.5, abs=5 * 0.6 / math.sqrt(24_000))
    assert found[0].std().item() == pytest.approx(0.6, abs=5 * 0.6 / math.sqrt(2 * 24_000) + 0.02)


def test_without_noise_the_state_climbs_to_the_mode() -> None:
    system = gaussian_system(VE(0.1, 3.0), Ones())
    t = torch.tensor([0.5])
    solver = PredictorCorrector(Still(), snr=0.5, noise_scale=0.0, num_corrections=100)
    moved = solver.step(system, {"x": torch.tensor([[7.0, -3.0]])}, t + 0.1, t)
    torch.testing.assert_close(moved["x"], torch.tensor([[0.5, 0.5]]))


def test_evaluations_are_those_of_both() -> None:
    assert PredictorCorrector(Ancestral(), num_corrections=3).evaluations == 4


def test_a_corrector_is_not_corrected() -> None:
    with pytest.raises(InputError, match="without a corrector of its own"):
        PredictorCorrector(PredictorCorrector(Ancestral()))


@pytest.mark.parametrize(
    ("snr", "noise_scale", "num_corrections"), [(0.0, 1.0, 1), (math.nan, 1.0, 1), (0.1, -1.0, 1), (0.1, 1.0, 0)]
)
def test_impossible_settings_are_refused(snr: float, noise_scale: float, num_corrections: int) -> None:
    with pytest.raises(InputError, match="expected snr above 0"):
        PredictorCorrector(Ancestral(), snr, noise_scale, num_corrections)
