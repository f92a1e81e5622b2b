"""Reverse diffusion by hand."""

import math

import torch
from torch import Tensor

from sbgd.diffusion.coupled import CoupledSDE
from sbgd.diffusion.noise import NoiseSource
from sbgd.diffusion.sde import VE, VP
from sbgd.diffusion.solvers import ReverseDiffusion


class Twos(NoiseSource):
    def uniform(self, shape: tuple[int, ...]) -> Tensor:
        raise NotImplementedError

    def normal(self, shape: tuple[int, ...]) -> Tensor:
        return torch.full(shape, 2.0)


def test_a_step_by_hand_of_two_fields_with_their_own_sdes() -> None:
    """VP at rate 8 ln 2 over 1/4: rho = 1/2, tau^2 = 3/4. VE: sigma^2 = 16^t - 1 from 7 to 15, tau^2 = 8."""
    rate = 8 * math.log(2)
    system = CoupledSDE(
        {"features": VP(rate, rate), "edges": VE(1.0, 4.0)},
        lambda x, t: {"features": 4 * x["features"], "edges": -x["edges"]},
        {"features": lambda noise: noise, "edges": lambda noise: -noise},
        Twos(),
    )
    x = {"features": torch.tensor([[3.0]]), "edges": torch.tensor([[10.0]])}
    moved = ReverseDiffusion().step(system, x, torch.tensor([1.0]), torch.tensor([0.75]))
    torch.testing.assert_close(moved["features"], torch.tensor([[1.5 * 3 + 0.75 * 12 + 2 * math.sqrt(0.75)]]))
    torch.testing.assert_close(moved["edges"], torch.tensor([[10 - 8 * 10 - 2 * math.sqrt(8)]]))
