"""Log density of data under the probability flow ODE, by the instantaneous change of variables.

log p_0(x_0) = log p_1(x_1) + int_0^1 div v(x_t, t) dt along the solution x_t that starts at x_0.

References:
    Chen et al., 2018, "Neural ordinary differential equations", arXiv:1806.07366, theorem 1; Song et al., 2021,
    arXiv:2011.13456, eq. 39.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from sbgd.diffusion.coupled import CoupledSDE, Fields
from sbgd.diffusion.process import expand
from sbgd.diffusion.solvers.probability_flow import velocity
from sbgd.errors import InputError

MAX_EXACT = 512


def log_likelihood(
    system: CoupledSDE,
    x: Fields,
    degrees_of_freedom: Float[Tensor, " b"],
    *,
    num_steps: int = 100,
    earliest: float = 1e-4,
    num_probes: int = 1,
    exact: bool = False,
) -> Float[Tensor, " b"]:
    """Returns log p(x) of the one diffused field given the others, in nats.

    Args:
        system: A system with one diffused field; its score must be differentiable.
        x: All fields, clean.
        degrees_of_freedom: Free entries of the diffused field of each graph: nodes times features.
        num_steps: Steps of Heun's method.
        earliest: Time from which the ODE is followed: the score is unbounded at 0 for data on a manifold.
        num_probes: Rademacher vectors of Hutchinson's estimate of the divergence.
        exact: Whether the divergence is computed entry by entry instead, for at most 512 entries.

    Raises:
        InputError: There is not exactly one diffused field, its entries are not independent of each other, there are
            too many of them for `exact`, or there is nothing to integrate or average over.
    """
    if num_steps < 1 or num_probes < 1 or not 0 <= earliest < 1:
        raise InputError(
            f"expected num_steps and num_probes of at least 1 and earliest in [0, 1), got {num_steps}, {num_probes} "
            f"and {earliest}"
        )
    name, free = _diffused(system, x, exact=exact)
    times = torch.linspace(earliest, 1.0, num_steps + 1).to(x[name]).unsqueeze(1).expand(-1, len(free))
    probes = [free * (1 - 2 * (system.noise.uniform(tuple(free.shape)) < 0.5).to(free)) for _ in range(num_probes)]
    state, total = dict(x), torch.zeros_like(times[0])
    for t, u in zip(times[:-1], times[1:], strict=True):
        half = 0.5 * (u - t)
        first, low = _velocity_and_divergence(system, name, state, t, free, probes, exact)
        ahead = {**state, name: state[name] + 2 * expand(half, first) * first}
        second, high = _velocity_and_divergence(system, name, ahead, u, free, probes, exact)
        state[name] = state[name] + expand(half, first) * (first + second)
        total = total + half * (low + high)
    scale = system.sdes[name].prior_scale
    squares = (state[name] ** 2 * free).flatten(1).sum(dim=1) / scale**2
    return total - 0.5 * squares - degrees_of_freedom * math.log(scale * math.sqrt(2 * math.pi))


def _diffused(system: CoupledSDE, x: Fields, *, exact: bool) -> tuple[str, Float[Tensor, "b ..."]]:
    """Returns the name of the diffused field and where its entries are free."""
    if len(system.sdes) != 1:
        raise InputError(
            f"expected one diffused field, got {len(system.sdes)}; likelihoods are of features given structure"
        )
    (name,) = system.sdes
    entries = x[name][0].numel()
    if exact and entries > MAX_EXACT:
        raise InputError(
            f"expected at most {MAX_EXACT} entries for an exact divergence, got {entries}; estimate it with exact=False"
        )
    free = system.entries(name, x[name])
    numbers = torch.arange(1, free.numel() + 1).to(free).reshape(free.shape)
    if not torch.equal(system.project[name](numbers), numbers * free):
        raise InputError(
            f"expected a field of independent entries, got {name}, whose entries mirror each other; likelihoods are of "
            "features given structure"
        )
    return name, free


def _velocity_and_divergence(
    system: CoupledSDE,
    name: str,
    x: Fields,
    t: Float[Tensor, " b"],
    free: Float[Tensor, "b ..."],
    probes: list[Tensor],
    exact: bool,
) -> tuple[Float[Tensor, "b ..."], Float[Tensor, " b"]]:
    with torch.enable_grad():
        value = x[name].detach().requires_grad_(True)
        moved = velocity(system, {**x, name: value}, t)[name]
        found = _trace(moved, value, free) if exact else _estimated_trace(moved, value, probes)
    return moved.detach(), found.detach()


def _trace(
    moved: Float[Tensor, "b ..."], value: Float[Tensor, "b ..."], free: Float[Tensor, "b ..."]
) -> Float[Tensor, " b"]:
    """Returns the sum of d moved_i / d value_i over the free entries."""
    flat, counted = moved.flatten(1), free.flatten(1)
    total = torch.zeros_like(flat[:, 0])
    for index in counted.any(dim=0).nonzero().flatten().tolist():
        gradient = torch.autograd.grad(flat[:, index].sum(), value, retain_graph=True)[0].flatten(1)
        total = total + gradient[:, index] * counted[:, index]
    return total


def _estimated_trace(
    moved: Float[Tensor, "b ..."], value: Float[Tensor, "b ..."], probes: list[Tensor]
) -> Float[Tensor, " b"]:
    """Returns the mean of z^T (d moved / d value) z over Rademacher vectors z (Hutchinson's estimate)."""
    estimates = [
        (torch.autograd.grad(moved, value, probe, retain_graph=True)[0] * probe).flatten(1).sum(dim=1)
        for probe in probes
    ]
    return torch.stack(estimates).mean(dim=0)
