"""Feature-wise modulation by the time and the known numbers of a block (FiLM, Perez et al. 2018, arXiv 1709.07871)."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn

TIME_CHANNELS = 16


class SampleLinear(nn.Linear):
    """A linear layer on one vector a sample, whose bits do not depend on the number of samples.

    Matrix products of few rows take other kernels than those of many, so `nn.Linear` would make a block's output depend
    on the batch that it is in.
    """

    def forward(self, x: Float[Tensor, "b ... c"]) -> Float[Tensor, "b ... d"]:
        """Returns x W^T + bias."""
        return (x.unsqueeze(-2) * self.weight).sum(-1) + self.bias


def time_embedding(signal: Float[Tensor, " b"]) -> Float[Tensor, "b 16"]:
    """Returns sines and cosines of the signal share abar at eight octaves."""
    octaves = 2.0 ** torch.arange(TIME_CHANNELS // 2, device=signal.device, dtype=signal.dtype)
    phase = signal.unsqueeze(-1) * octaves * (math.pi / 2)
    return torch.cat([torch.sin(phase), torch.cos(phase)], dim=-1)


class Condition(nn.Module):
    """Embeds (signal share, condition numbers) once; `Modulation` layers read the embedding.

    Args:
        num_numbers: Condition numbers per sample.
        width: Width of the embedding.
    """

    def __init__(self, num_numbers: int, width: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            SampleLinear(TIME_CHANNELS + num_numbers, width), nn.ReLU(), SampleLinear(width, width), nn.ReLU()
        )

    def forward(self, signal: Float[Tensor, " b"], numbers: Float[Tensor, "b c"]) -> Float[Tensor, "b d"]:
        """Returns the embedding."""
        return self.layers(torch.cat([time_embedding(signal), numbers], dim=-1))


class Modulation(nn.Module):
    """Layer norm whose scale and offset come from the condition; starts as a plain layer norm.

    Args:
        width: Channels of the modulated tensor.
        condition_width: Width of the condition embedding.
    """

    def __init__(self, width: int, condition_width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width, elementwise_affine=False)
        self.affine = SampleLinear(condition_width, 2 * width)
        nn.init.zeros_(self.affine.weight)
        nn.init.zeros_(self.affine.bias)

    def forward(self, x: Float[Tensor, "b ... d"], condition: Float[Tensor, "b c"]) -> Float[Tensor, "b ... d"]:
        """Returns norm(x) (1 + scale) + offset."""
        scale, offset = self.affine(condition).chunk(2, dim=-1)
        shape = (x.shape[0], *(1,) * (x.dim() - 2), x.shape[-1])
        return self.norm(x) * (1 + scale.reshape(shape)) + offset.reshape(shape)
