"""Attention between nodes along powers of the noisy adjacency, in the manner of GDSS's score networks.

Queries, keys and values are message passing (GCN; Kipf and Welling 2017) along every channel of the adjacency, so that
the attention of a pair of nodes sees their neighbourhoods; the pair channels of the next layer are an MLP of the
attention of all heads and channels. Edges are read out from the pair channels of all layers and the last node states,
nodes from all node states (Jo et al., 2022, arXiv:2202.02514, section 3.2 and appendix A).
"""

from __future__ import annotations

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn

from sbgd.networks.block_denoiser import BLOCK_NUMBERS, BlockDenoiser, NoisyBlocks
from sbgd.networks.condition import Condition, Modulation
from sbgd.networks.registry import register


class AttentionLayer(nn.Module):
    """Node states and pair channels to new ones.

    Args:
        width: Channels d of the node states.
        channels: Pair channels c.
        heads: Attention heads; divides the width.
    """

    def __init__(self, width: int, channels: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.node_norm = Modulation(width, width)
        self.pair_norm = Modulation(channels, width)
        self.project = nn.Linear(width, 3 * channels * width, bias=False)
        self.node_mix = nn.Sequential(nn.Linear(channels * width, width), nn.ReLU(), nn.Linear(width, width))
        self.pair_mix = nn.Sequential(
            nn.Linear(channels * (heads + 1), 2 * channels), nn.ReLU(), nn.Linear(2 * channels, channels)
        )

    def forward(
        self,
        h: Float[Tensor, "b n d"],
        pair: Float[Tensor, "b n n c"],
        condition: Float[Tensor, "b w"],
        weight: Float[Tensor, "b n n"],
    ) -> tuple[Float[Tensor, "b n d"], Float[Tensor, "b n n c"]]:
        """Returns both updated.

        Args:
            h: Node states.
            pair: Pair channels, symmetric.
            condition: Condition embedding.
            weight: 1 / n at pairs of nodes, themselves included, and 0 at padding.
        """
        normed = self.pair_norm(pair, condition)
        along = rearrange(normed * weight.unsqueeze(-1), "b i j c -> b c i j")
        messages = rearrange(
            self.project(self.node_norm(h, condition)), "b n (k c d) -> k b c n d", k=3, c=len(along[0])
        )
        query, key, value = along @ messages + messages
        split = "b c n (h e) -> b c h n e"
        query, key = rearrange(query, split, h=self.heads), rearrange(key, split, h=self.heads)
        attention = torch.tanh(query @ rearrange(key, "b c h n e -> b c h e n") / query.shape[-1] ** 0.5)
        attention = 0.5 * (attention + rearrange(attention, "b c h i j -> b c h j i"))
        mean = attention.mean(dim=2) * weight.unsqueeze(1)
        h = h + self.node_mix(rearrange(mean @ value + value, "b c n d -> b n (c d)"))
        both = torch.cat([rearrange(attention, "b c h i j -> b i j (c h)"), normed], dim=-1)
        return h, pair + self.pair_mix(both)


@register("attention")
class GraphAttention(BlockDenoiser):
    """Block denoiser of graph multi-head attention; node states carry it, so features cost little.

    Args:
        num_features: Node feature columns f.
        width: Channels of the node states.
        channels: Pair channels.
        heads: Attention heads.
        num_layers: Layers.
        num_edge_types: Types of edges k; 1 for edges of one kind.
    """

    def __init__(
        self,
        num_features: int = 0,
        width: int = 32,
        channels: int = 8,
        heads: int = 4,
        num_layers: int = 4,
        num_edge_types: int = 1,
    ) -> None:
        super().__init__(num_features, num_edge_types)
        self.condition = Condition(BLOCK_NUMBERS, width)
        self.node_in = nn.Linear(self.node_channels, width)
        self.pair_in = nn.Linear(self.edge_channels, channels)
        self.layers = nn.ModuleList(AttentionLayer(width, channels, heads) for _ in range(num_layers))
        self.ends = nn.Linear(width, channels)
        stacked = channels * (num_layers + 2)
        self.edge_out = nn.Sequential(nn.Linear(stacked, 2 * width), nn.ReLU(), nn.Linear(2 * width, width), nn.ReLU())
        self.last = nn.Linear(width, self.edge_outputs)
        self.node_out = nn.Linear(width * (num_layers + 1), num_features) if num_features else None
        for layer in (self.last, self.node_out):
            if layer is not None:
                nn.init.zeros_(layer.weight)
                nn.init.zeros_(layer.bias)

    def forward(self, blocks: NoisyBlocks) -> tuple[Float[Tensor, "b n n ..."], Float[Tensor, "b n f"]]:
        """Returns edge logits and the feature residual."""
        node, edge = self.inputs(blocks)
        nodes = rearrange(blocks.mask, "b i -> b i 1") * rearrange(blocks.mask, "b j -> b 1 j")
        weight = nodes / rearrange(blocks.mask.sum(-1).clamp(min=1), "b -> b 1 1")
        condition = self.condition(blocks.signal, blocks.numbers)
        h, pair = self.node_in(node), self.pair_in(edge)
        states, pairs = [h], [pair]
        for layer in self.layers:
            h, pair = layer(h, pair, condition, weight)
            states.append(h)
            pairs.append(pair)
        ends = self.ends(h)
        pairs.append(rearrange(ends, "b i c -> b i 1 c") + rearrange(ends, "b j c -> b 1 j c"))
        residual = self.last(self.edge_out(torch.cat(pairs, dim=-1)))
        if self.node_out is None:
            return self.edge_logits(blocks, residual), blocks.features
        features = self.node_out(torch.cat(states, dim=-1)) * blocks.mask.unsqueeze(-1)
        return self.edge_logits(blocks, residual), features
