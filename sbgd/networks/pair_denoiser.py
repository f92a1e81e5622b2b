"""Second tier of the pair model: a denoiser of the rectangular adjacency A_ij given both blocks and the halo.

Messages run along the edges inside each block and along the noisy edges between them, with the same weights on both
sides, and a pair MLP reads the logits out.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn

from sbgd.data.batch import PairBatch
from sbgd.networks.condition import Condition, Modulation, SampleLinear
from sbgd.networks.pair_network import (
    EDGE_INPUTS,
    NODE_INPUTS,
    PAIR_NUMBERS,
    PairReadout,
    edge_inputs,
    node_inputs,
    pair_numbers,
    side_features,
)
from sbgd.networks.registry import register


@dataclass(frozen=True)
class NoisyPairs:
    """A batch of noisy pairs.

    Attributes:
        pairs: Both blocks (clean, or noisy in the independent factorisation) and the halo; `pairs.edges` is not read.
        edges: Soft edges of the noisy A_ij in [0, 1], zero at padding.
        prior_logit: Exact edge logits under the independent prior.
        signal: Share of signal left, abar(t).
    """

    pairs: PairBatch
    edges: Float[Tensor, "b n m"]
    prior_logit: Float[Tensor, "b n m"]
    signal: Float[Tensor, " b"]


class PairLayer(nn.Module):
    """One update of the node states of both sides with shared weights."""

    def __init__(self, width: int, condition_width: int) -> None:
        super().__init__()
        self.modulation = Modulation(width, condition_width)
        self.own = nn.Linear(width, width)
        self.inner = nn.Linear(width, width, bias=False)
        self.outer = nn.Linear(width, width, bias=False)
        self.pool = SampleLinear(2 * width, width)
        self.mix = nn.Sequential(nn.ReLU(), nn.Linear(width, width))

    def forward(
        self,
        left: Float[Tensor, "b n d"],
        right: Float[Tensor, "b m d"],
        noisy: NoisyPairs,
        condition: Float[Tensor, "b c"],
    ) -> tuple[Float[Tensor, "b n d"], Float[Tensor, "b m d"]]:
        """Returns updated node states of both sides."""
        pairs = noisy.pairs
        z, y = self.modulation(left, condition), self.modulation(right, condition)
        z, y = z * pairs.left_mask.unsqueeze(-1), y * pairs.right_mask.unsqueeze(-1)
        means = [
            x.sum(1, keepdim=True) / mask.sum(-1).clamp(min=1).reshape(-1, 1, 1)
            for x, mask in ((z, pairs.left_mask), (y, pairs.right_mask))
        ]
        new_left = self._update(z, pairs.left @ z, noisy.edges @ y, means[0], means[1])
        new_right = self._update(y, pairs.right @ y, noisy.edges.transpose(1, 2) @ z, means[1], means[0])
        return left + new_left * pairs.left_mask.unsqueeze(-1), right + new_right * pairs.right_mask.unsqueeze(-1)

    def _update(
        self,
        own: Float[Tensor, "b n d"],
        inner: Float[Tensor, "b n d"],
        outer: Float[Tensor, "b n d"],
        mean: Float[Tensor, "b 1 d"],
        other: Float[Tensor, "b 1 d"],
    ) -> Float[Tensor, "b n d"]:
        pooled = self.pool(torch.cat([mean, other], dim=-1))
        return self.mix(self.own(own) + self.inner(inner) + self.outer(outer) + pooled)


@register("pair_denoiser")
class PairDenoiser(nn.Module):
    """Edge logits of A_ij from its noisy state.

    Args:
        width: Channels of the node states.
        pair_width: Channels of the pair MLP.
        num_layers: Rounds of message passing.
    """

    def __init__(self, width: int = 48, pair_width: int = 32, num_layers: int = 3) -> None:
        super().__init__()
        self.condition = Condition(PAIR_NUMBERS, width)
        self.node_in = nn.Linear(NODE_INPUTS, width)
        self.layers = nn.ModuleList(PairLayer(width, width) for _ in range(num_layers))
        self.readout = PairReadout(width, EDGE_INPUTS + 1, pair_width)

    def forward(self, noisy: NoisyPairs) -> Float[Tensor, "b n m"]:
        """Returns edge logits; meaningless at padding."""
        pairs, edges = noisy.pairs, noisy.edges
        condition = self.condition(noisy.signal, pair_numbers(pairs))
        left_structure = side_features(pairs.left, pairs.left_mask)
        right_structure = side_features(pairs.right, pairs.right_mask)
        number = rearrange(condition, "b d -> b 1 d")
        left = self.node_in(
            node_inputs(left_structure, pairs.left_stubs, pairs.left_outer, edges.sum(2), pairs.left_mask)
        )
        right = self.node_in(
            node_inputs(right_structure, pairs.right_stubs, pairs.right_outer, edges.sum(1), pairs.right_mask)
        )
        left, right = left + number, right + number
        for layer in self.layers:
            left, right = layer(left, right, noisy, condition)
        prior = (noisy.prior_logit / 5 * pairs.pairs).unsqueeze(-1)
        return noisy.prior_logit + self.readout(left, right, torch.cat([edge_inputs(pairs, edges), prior], dim=-1))
