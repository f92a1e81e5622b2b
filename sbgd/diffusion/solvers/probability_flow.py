"""The probability flow ODE dx/dt = f x - g^2 score / 2, whose solutions have the laws of the SDE without noise."""

from __future__ import annotations

from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor

from sbgd.diffusion.coupled import CoupledSDE, DivergedError, Fields
from sbgd.diffusion.process import expand
from sbgd.diffusion.solvers.solver import Solver
from sbgd.errors import InputError


def velocity(system: CoupledSDE, x: Fields, t: Float[Tensor, " b"]) -> Fields:
    """Returns dx/dt of every diffused field.

    References:
        Song et al., 2021, arXiv:2011.13456, eq. 13.
    """
    scores = system.scores(x, t)
    return {
        name: expand(sde.drift(t), x[name]) * x[name] - 0.5 * expand(sde.squared_diffusion(t), x[name]) * scores[name]
        for name, sde in system.sdes.items()
    }


class Heun(Solver):
    """Heun's method, of order 2: the mean of the velocities at both ends."""

    name: ClassVar[str] = "heun"
    evaluations = 2

    def step(self, system: CoupledSDE, x: Fields, t: Float[Tensor, " b"], s: Float[Tensor, " b"]) -> Fields:
        """Returns the diffused fields at s."""
        return heun_pair(system, x, t, s)[0]


class AdaptiveHeun(Solver):
    """Heun's method with as many substeps as the difference to Euler's method asks for.

    Every graph of a batch has its own substeps, so that it does not depend on the batch.

    Args:
        tolerance: Largest error of a substep, relative to 1 + |x|, root mean square over a graph.
        max_substeps: Substeps of a step after which it is given up.
    """

    name: ClassVar[str] = "adaptive_heun"
    evaluations = 2

    def __init__(self, tolerance: float = 1e-3, max_substeps: int = 1000) -> None:
        if not tolerance > 0 or max_substeps < 1:
            raise InputError(
                f"expected a tolerance above 0 and max_substeps of at least 1, got {tolerance} and {max_substeps}"
            )
        self.tolerance = tolerance
        self.max_substeps = max_substeps

    def step(self, system: CoupledSDE, x: Fields, t: Float[Tensor, " b"], s: Float[Tensor, " b"]) -> Fields:
        """Returns the diffused fields at s.

        Raises:
            DivergedError: The tolerance needs more than `max_substeps`.
        """
        now, width, state = t.clone(), t - s, dict(x)
        for _ in range(self.max_substeps):
            left = now - s
            if not bool((left > 0).any()):
                break
            # now - (now - s) may miss s by a rounding error, and how often would depend on the batch
            target = torch.where(width >= left, s, now - width)
            better, error = heun_pair(system, state, now, target)
            accept = error <= self.tolerance
            for name, value in better.items():
                state[name] = torch.where(expand(accept, value), value, state[name])
            now = torch.where(accept, target, now)
            factor = (0.9 * (self.tolerance / error.clamp(min=1e-12)).sqrt()).clamp(0.2, 5.0)
            width = torch.minimum(width, left) * factor
        if bool((now > s).any()):
            raise DivergedError(
                f"expected an error of at most {self.tolerance:g} within {self.max_substeps} substeps, which ended at "
                f"t = {float(now[now > s].max()):.4f}; take a larger tolerance, or a solver with fixed steps"
            )
        return {name: state[name] for name in system.sdes}


def heun_pair(
    system: CoupledSDE, x: Fields, t: Float[Tensor, " b"], s: Float[Tensor, " b"]
) -> tuple[Fields, Float[Tensor, " b"]]:
    """Returns Heun's step and its distance to Euler's, relative to 1 + |x|, root mean square over each graph (b,).

    Padding does not count, so that the distance is the same however wide the batch is.
    """
    first = velocity(system, x, t)
    euler = {name: x[name] - expand(t - s, x[name]) * first[name] for name in system.sdes}
    second = velocity(system, {**x, **euler}, s)
    moved, squares, entries = {}, torch.zeros_like(t), torch.zeros_like(t)
    for name in system.sdes:
        moved[name] = x[name] - 0.5 * expand(t - s, x[name]) * (first[name] + second[name])
        relative = (moved[name] - euler[name]) / (1 + x[name].abs())
        counted = system.entries(name, relative)
        squares = squares + (relative**2 * counted).flatten(1).sum(dim=1)
        entries = entries + counted.flatten(1).sum(dim=1)
    return moved, (squares / entries.clamp(min=1)).sqrt()
