"""What a solver is: one step of a coupled system from time t back to s < t."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from jaxtyping import Float
from torch import Tensor

from sbgd.diffusion.coupled import CoupledSDE, Fields, check_finite
from sbgd.errors import InputError


class Solver(ABC):
    """Moves the fields of a coupled system backwards in time.

    Attributes:
        name: What it is called in configurations and model files.
        evaluations: Score evaluations a step.
    """

    name: ClassVar[str]
    evaluations: int = 1

    @abstractmethod
    def step(self, system: CoupledSDE, x: Fields, t: Float[Tensor, " b"], s: Float[Tensor, " b"]) -> Fields:
        """Returns the diffused fields at s; given fields are not returned.

        Args:
            system: SDEs, score and noise.
            x: All fields at t, the given ones included.
            t: Time of x, above s.
            s: Time to go to.
        """


def solve(solver: Solver, system: CoupledSDE, x: Fields, times: Float[Tensor, " k"], *, denoise: bool = True) -> Fields:
    """Runs a solver along decreasing times.

    Args:
        solver: Makes the steps.
        system: SDEs, score and noise.
        x: All fields at `times[0]`.
        times: Decreasing times, the last one above 0 if scores are unbounded there.
        denoise: Whether the fields are replaced by their expectation E[x_0 | x_t] at the last time.

    Returns:
        The diffused fields.

    Raises:
        InputError: Times do not decrease.
        DivergedError: A score or a state is not finite; the message says of which field and when.
    """
    if not bool((times[1:] < times[:-1]).all()):
        raise InputError(f"expected decreasing times, got {times.tolist()}")
    size = len(next(iter(x.values())))
    state = dict(x)
    for t, s in zip(times[:-1], times[1:], strict=True):
        now, then = t.expand(size), s.expand(size)
        state |= solver.step(system, state, now, then)
        for name in system.sdes:
            check_finite(name, state[name], then)
    if denoise:
        state |= system.denoised(state, times[-1].expand(size))
    return {name: state[name] for name in system.sdes}
