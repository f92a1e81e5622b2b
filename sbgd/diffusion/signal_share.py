"""Times by the share of signal that is left, alpha_t^2 / (alpha_t^2 + sigma_t^2)."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from jaxtyping import Float
from torch import Tensor

from sbgd.diffusion.sde import SDE

_POINTS = 1001


def times_by_signal(
    sdes: Iterable[SDE], quantiles: Float[Tensor, " k"], *, earliest: float = 1e-3
) -> Float[Tensor, " k"]:
    """Returns the times at which the share of signal, the mean over SDEs, has risen by a quantile from its value at 1.

    Even quantiles put most times where discrete values are decided, between little and most of the signal; even times
    are nearly all pure noise. The share is interpolated linearly between 1,001 times. Our own instantiation.

    Args:
        sdes: At least one SDE on [0, 1].
        quantiles: 0 for t = 1 up to 1 for t = `earliest`.
        earliest: Smallest time, above 0.
    """
    grid = torch.linspace(earliest, 1, _POINTS, device=quantiles.device)
    shares = [sde.alpha(grid) ** 2 / (sde.alpha(grid) ** 2 + sde.sigma(grid) ** 2) for sde in sdes]
    share = torch.stack(shares).mean(dim=0)
    target = share[-1] + (share[0] - share[-1]) * quantiles
    # the share falls with time: the first grid point below the target, and the one before
    after = torch.searchsorted(-share, -target).clamp(1, len(grid) - 1)
    low, high = share[after - 1], share[after]
    within = ((low - target) / (low - high).clamp(min=1e-12)).clamp(0, 1)
    return grid[after - 1] + within * (grid[after] - grid[after - 1])
