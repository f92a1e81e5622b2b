"""Euler-Maruyama by hand."""

import math

import torch
from torch import Tensor

from sbgd.diffusion.coupled import CoupledSDE
from sbgd.diffusion.noise import NoiseSource
from sbgd.diffusion.sde import VE, VP
from sbgd.diffusion.solvers import EulerMaruyama


class Twos(NoiseSource):
    def uniform(self, shape: tuple[int, ...]) -> Tensor:
        raise NotImplementedError

    def normal(self, shape: tuple[int, ...]) -> Tensor:
        return torch.full(shape, 2.0)


def test_a_step_by_hand_of_two_fields_with_their_own_sdes() -> None:
    """VP at constant rate 4: f = -2, g^2 = 4. VE from 1 to 2 at t = 1: g^2 = 2 ln 2 * 4. The step is 1/4 wide."""
    system = CoupledSDE(
        {"features": VP(4.0, 4.0), "edges": VE(1.0, 2.0)},
        lambda x, t: {"features": 0.5 * x["features"], "edges": -x["edges"]},
        {"features": lambda noise: noise, "edges": lambda noise: -noise},
        Twos(),
    )
    x = {"features": torch.tensor([[3.0]]), "edges": torch.tensor([[10.0]])}
    moved = EulerMaruyama().step(system, x, torch.tensor([1.0]), torch.tensor([0.75]))
    growth = 8 * math.log(2)
    torch.testing.assert_close(moved["features"], torch.tensor([[3 - (-2 * 3 - 4 * 1.5) / 4 + 2.0]]))
    torch.testing.assert_close(moved["edges"], torch.tensor([[10 - growth * 10 / 4 - 2 * math.sqrt(growth / 4)]]))
