"""Where randomness comes from: a torch generator in training, counter-based streams in sampling.

A counter-based stream (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3") hashes (seed, id, draw,
position) to a number, so the noise of a block depends on the block alone: not on the batch it is in, the padding, the
worker or a restart.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

_POSITION_STRIDE = 1 << 20


class NoiseSource(ABC):
    """Draws noise for a batch of blocks or pairs."""

    @abstractmethod
    def uniform(self, shape: tuple[int, ...]) -> Float[Tensor, "b ..."]:
        """Draws from the open interval (0, 1)."""

    def normal(self, shape: tuple[int, ...]) -> Float[Tensor, "b ..."]:
        """Draws from N(0, 1) by inversion."""
        return torch.erfinv(2 * self.uniform(shape) - 1) * math.sqrt(2)

    def draw(self, law: Literal["uniform", "normal"], shape: tuple[int, ...]) -> Float[Tensor, "b ..."]:
        """Draws from the named law."""
        return self.uniform(shape) if law == "uniform" else self.normal(shape)


class GeneratorNoise(NoiseSource):
    """Noise from a `torch.Generator`, drawn on the generator's device."""

    def __init__(self, generator: torch.Generator) -> None:
        self.generator = generator

    def uniform(self, shape: tuple[int, ...]) -> Float[Tensor, "b ..."]:
        """Draws from (0, 1)."""
        draws = torch.rand(shape, generator=self.generator, device=self.generator.device)
        return draws.clamp(min=1e-7, max=1 - 6e-8)


class CounterNoise(NoiseSource):
    """One independent stream per id; every call advances all streams together.

    Args:
        seed: Seed of the whole run.
        ids: int64 (b,), what the rows of the batch are: the same id yields the same stream in any batch.
        stage: Separates streams of different purposes under the same ids.
    """

    def __init__(self, seed: int, ids: Int[Tensor, " b"], stage: int = 0) -> None:
        self._keys = stream_keys(seed, ids, stage)
        self._draw = 0

    def uniform(self, shape: tuple[int, ...]) -> Float[Tensor, "b ..."]:
        """Draws from (0, 1); entry (i, j) of a row does not depend on the size of the array."""
        self._draw += 1
        position = torch.zeros(1, dtype=torch.int64, device=self._keys.device)
        for size in shape[1:]:
            axis = torch.arange(size, dtype=torch.int64, device=self._keys.device)
            position = (position * _POSITION_STRIDE).unsqueeze(-1) + axis
        keys = _mix(self._keys ^ _mix(_word(self._draw, self._keys.device)))
        bits = _mix(keys.reshape(-1, *(1,) * (len(shape) - 1)) ^ _mix(position.reshape(1, *shape[1:]) + 1))
        return (_shift(bits, 41).to(torch.float32) + 0.5) * (1 / (1 << 23))


def stream_keys(seed: int, ids: Int[Tensor, " b"], stage: int) -> Int[Tensor, " b"]:
    """Returns a 64-bit hash of (seed, stage, id) for every id; distinct ids have distinct keys."""
    root = _word(stage, ids.device) ^ _mix(_word(seed, ids.device))
    return _mix(_mix(root) ^ _mix(ids.to(torch.int64)))


def symmetric(noise: Float[Tensor, "b n n"]) -> Float[Tensor, "b n n"]:
    """Mirrors the upper triangle and zeroes the diagonal: averaging both triangles would halve the variance."""
    upper = torch.triu(noise, diagonal=1)
    return upper + upper.transpose(-1, -2)


def _word(number: int, device: torch.device) -> Int[Tensor, " 1"]:
    return torch.tensor([number], dtype=torch.int64, device=device)


def _shift(bits: Int[Tensor, "..."], by: int) -> Int[Tensor, "..."]:
    """Logical right shift of int64, which torch only has as an arithmetic one."""
    return (bits >> by) & ((1 << (64 - by)) - 1)


def _mix(bits: Int[Tensor, "..."]) -> Int[Tensor, "..."]:
    """The finaliser of SplitMix64 (Steele, Lea & Flood 2014): a bijection of 64-bit words that scrambles every bit."""
    bits = bits + -7046029254386353131
    bits = (bits ^ _shift(bits, 30)) * -4658895280553007687
    bits = (bits ^ _shift(bits, 27)) * -7723592293110705685
    return bits ^ _shift(bits, 31)
