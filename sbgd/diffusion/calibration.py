"""Logit shifts that make edge probabilities meet a wanted edge count or wanted degrees in expectation.

Adding one number to all logits, or b_u + b_v to the logit of (u, v), is the smallest change in relative entropy that
meets the constraint; with zero logits the second is the beta model (Chatterjee, Diaconis & Sly 2011, arXiv 1005.1136).
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

SHIFT_BOUND = 15.0


def count_shift(
    logit: Float[Tensor, "b ..."], weight: Float[Tensor, "b ..."], count: Float[Tensor, " b"], *, iterations: int = 24
) -> Float[Tensor, " b"]:
    """Returns the shift c with sum of weight * sigmoid(logit + c) equal to `count`, by bisection.

    Args:
        logit: Edge logits.
        weight: Same shape as `logit`; 1 where an entry counts, 0 elsewhere.
        count: Wanted sum per sample; clamped into what is reachable.
        iterations: Halvings of the interval [-15, 15].
    """
    axes = tuple(range(1, logit.dim()))
    low = torch.full_like(count, -SHIFT_BOUND)
    high = torch.full_like(count, SHIFT_BOUND)
    for _ in range(iterations):
        middle = 0.5 * (low + high)
        total = (weight * torch.sigmoid(logit + middle.reshape(-1, *(1,) * (logit.dim() - 1)))).sum(axes)
        below = total < count
        low, high = torch.where(below, middle, low), torch.where(below, high, middle)
    return 0.5 * (low + high)


def degree_shift(
    logit: Float[Tensor, "b n n"],
    weight: Float[Tensor, "b n n"],
    degree: Float[Tensor, "b n"],
    *,
    iterations: int = 12,
) -> Float[Tensor, "b n"]:
    """Returns b with row sums of weight * sigmoid(logit + b_u + b_v) near `degree`, by damped diagonal Newton steps.

    Args:
        logit: Symmetric edge logits.
        weight: Symmetric, 1 where an edge is possible, 0 elsewhere.
        degree: Wanted expected degrees; a node of degree 0 is pushed to the bound.
        iterations: Newton steps; twelve leave a few hundredths of a degree on sparse blocks, more at nodes that are
            joined to nearly all others.
    """
    possible = weight.sum(-1)
    wanted = torch.minimum(degree, 0.999 * possible).clamp(min=1e-4)
    shift = torch.zeros_like(degree)
    for _ in range(iterations):
        probability = weight * torch.sigmoid(logit + shift.unsqueeze(-1) + shift.unsqueeze(-2))
        expected = probability.sum(-1).clamp(min=1e-6)
        # d log(expected) / d own shift is the mean of 1 - p; the shifts of the neighbours add up to as much again.
        slope = ((probability * (1 - probability)).sum(-1) / expected).clamp(min=0.2)
        shift = (shift + 0.7 / slope * torch.log(wanted / expected)).clamp(-SHIFT_BOUND, SHIFT_BOUND)
    return shift
