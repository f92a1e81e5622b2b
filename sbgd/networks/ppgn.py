"""Provably powerful graph network on blocks: channels multiply as matrices (Maron et al. 2019, arXiv 1905.11136)."""

from __future__ import annotations

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn

from sbgd.networks.block_denoiser import BLOCK_NUMBERS, BlockDenoiser, NoisyBlocks
from sbgd.networks.condition import Condition, Modulation
from sbgd.networks.registry import register


class PPGNLayer(nn.Module):
    """One layer: x + MLP([x, MLP(x) MLP(x)]), the product taken per channel over nodes."""

    def __init__(self, width: int, condition_width: int) -> None:
        super().__init__()
        self.modulation = Modulation(width, condition_width)
        self.both = nn.Linear(width, 2 * width)
        self.left = nn.Linear(width, width)
        self.right = nn.Linear(width, width)
        self.mix = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU(), nn.Linear(width, width))

    def forward(
        self,
        x: Float[Tensor, "b n n d"],
        condition: Float[Tensor, "b c"],
        weight: Float[Tensor, "b n n 1"],
    ) -> Float[Tensor, "b n n d"]:
        """Returns the updated edge states; states at padding are not meaningful.

        Args:
            x: Edge states.
            condition: Condition embedding.
            weight: 1/sqrt(n) at pairs of nodes, 0 at padding: keeps padding out of the product and its scale even.
        """
        h = self.modulation(x, condition)
        first, second = torch.relu(self.both(h)).chunk(2, dim=-1)
        left = rearrange(self.left(first) * weight, "b i k d -> b d i k")
        right = rearrange(self.right(second), "b k j d -> b d k j")
        product = rearrange(left @ right, "b d i j -> b i j d")
        return x + self.mix(torch.cat([h, product], dim=-1))


@register("ppgn")
class PPGN(BlockDenoiser):
    """Block denoiser of matrix-multiplying layers; the best quality per CPU second on blocks of up to about 40 nodes.

    Args:
        num_features: Node feature columns f.
        width: Channels of the edge states.
        num_layers: Number of layers; each costs two (n x n) products per channel.
        num_edge_types: Types of edges k; 1 for edges of one kind.
    """

    def __init__(self, num_features: int = 0, width: int = 32, num_layers: int = 4, num_edge_types: int = 1) -> None:
        super().__init__(num_features, num_edge_types)
        self.condition = Condition(BLOCK_NUMBERS, width)
        self.node_in = nn.Linear(self.node_channels, width)
        self.diagonal_in = nn.Linear(self.node_channels, width)
        self.edge_in = nn.Linear(self.edge_channels, width)
        self.layers = nn.ModuleList(PPGNLayer(width, width) for _ in range(num_layers))
        self.edge_out = nn.Sequential(nn.Linear(width, width), nn.ReLU())
        self.last = nn.Linear(width, self.edge_outputs)
        self.node_out = nn.Linear(2 * width, num_features) if num_features else None
        if self.node_out is not None:
            nn.init.zeros_(self.node_out.weight)
            nn.init.zeros_(self.node_out.bias)
        nn.init.zeros_(self.last.weight)
        nn.init.zeros_(self.last.bias)

    def forward(self, blocks: NoisyBlocks) -> tuple[Float[Tensor, "b n n ..."], Float[Tensor, "b n f"]]:
        """Returns edge logits and the feature residual."""
        node, edge = self.inputs(blocks)
        pairs = rearrange(blocks.mask, "b i -> b i 1 1") * rearrange(blocks.mask, "b j -> b 1 j 1")
        weight = pairs * rearrange(blocks.mask.sum(-1).clamp(min=1).rsqrt(), "b -> b 1 1 1")
        condition = self.condition(blocks.signal, blocks.numbers)
        h = self.node_in(node)
        x = self.edge_in(edge) + rearrange(h, "b i d -> b i 1 d") + rearrange(h, "b j d -> b 1 j d")
        x = x + rearrange(torch.diag_embed(rearrange(self.diagonal_in(node), "b n d -> b d n")), "b d i j -> b i j d")
        for layer in self.layers:
            x = layer(x, condition, weight)
        residual = self.last(self.edge_out(x + rearrange(x, "b i j d -> b j i d")))
        return self.edge_logits(blocks, residual), self._features(x * pairs if self.num_features else x, blocks)

    def _features(self, x: Float[Tensor, "b n n d"], blocks: NoisyBlocks) -> Float[Tensor, "b n f"]:
        if self.node_out is None:
            return blocks.features
        size = rearrange(blocks.mask.sum(-1).clamp(min=1), "b -> b 1 1")
        rows = x.sum(2) / size
        diagonal = rearrange(torch.diagonal(x, dim1=1, dim2=2), "b d n -> b n d")
        return self.node_out(torch.cat([rows, diagonal], dim=-1)) * blocks.mask.unsqueeze(-1)
