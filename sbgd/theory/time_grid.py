"""Where a sampler evaluates the score: K + 1 decreasing times from the horizon T to the stopping time eps.

References:
    Karras et al. (2022), arXiv 2206.00364, eq. 5, for powers; Lu et al. (2022), arXiv 2206.00927, for steps that are
    uniform in the log signal-to-noise ratio (the exponentially decaying steps of Benton et al. 2024, arXiv 2308.03686,
    are these near t = 0).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from sbgd.errors import InputError
from sbgd.theory.law import Array
from sbgd.theory.sde import SDE


class TimeGrid(ABC):
    """A rule that places the times of K steps."""

    name: str

    @abstractmethod
    def __call__(self, sde: SDE, num_steps: int, horizon: float, stop: float) -> Array:
        """Returns decreasing times (K+1,) that start at `horizon` and end at `stop`."""


@dataclass(frozen=True)
class PowerGrid(TimeGrid):
    """t_k = (T^(1/p) + k / K (eps^(1/p) - T^(1/p)))^p: uniform for p = 1, finer near the data for larger p.

    Attributes:
        power: The exponent p, above 0.
        name: What the grid is called in tables.
    """

    power: float = 1.0
    name: str = "uniform"

    def __post_init__(self) -> None:
        if not 0 < self.power < np.inf:
            raise InputError(f"expected a power above 0, got {self.power}")

    def __call__(self, sde: SDE, num_steps: int, horizon: float, stop: float) -> Array:
        """Returns decreasing times (K+1,)."""
        roots = np.linspace(horizon ** (1 / self.power), stop ** (1 / self.power), num_steps + 1)
        return _with_ends(roots**self.power, horizon, stop)


@dataclass(frozen=True)
class LogSNRGrid(TimeGrid):
    """Times at which ln(alpha_t^2 / sigma_t^2) is evenly spaced; needs eps > 0."""

    name = "log_snr"

    def __call__(self, sde: SDE, num_steps: int, horizon: float, stop: float) -> Array:
        """Returns decreasing times (K+1,)."""
        if stop <= 0:
            raise InputError(f"expected a stopping time above 0 for log_snr steps, got {stop}; raise stop to 1e-3")
        first, last = sde.log_snr(np.array([horizon, stop]))
        return _with_ends(sde.time_of_log_snr(np.linspace(first, last, num_steps + 1)), horizon, stop)


GRIDS: dict[str, TimeGrid] = {grid.name: grid for grid in (PowerGrid(), PowerGrid(2.0, "quadratic"), LogSNRGrid())}


def _with_ends(times: Array, horizon: float, stop: float) -> Array:
    times[0], times[-1] = horizon, stop
    return times
