"""Message passing on the edges of the noisy block and an MLP on node pairs: the fast block denoiser.

Node states are updated along noisy edges as in GIN (Xu et al. 2019, arXiv 1810.00826), with PyG's `GraphConv`, which
also takes the edge weights of a Gaussian state; node pairs are read out once at the end, so there are no edge states.
"""

from __future__ import annotations

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn
from torch_geometric.nn import GraphConv

from sbgd.networks.block_denoiser import BLOCK_NUMBERS, BlockDenoiser, NoisyBlocks
from sbgd.networks.condition import Condition, Modulation, SampleLinear
from sbgd.networks.registry import register


class MessageLayer(nn.Module):
    """One update of node states: messages along edges, the block's mean, an MLP."""

    def __init__(self, width: int, condition_width: int) -> None:
        super().__init__()
        self.modulation = Modulation(width, condition_width)
        self.conv = GraphConv(width, width)
        self.pool = SampleLinear(width, width)
        self.mix = nn.Sequential(nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width))

    def forward(
        self,
        h: Float[Tensor, "b n d"],
        edges: Float[Tensor, "b n n"],
        mask: Float[Tensor, "b n"],
        condition: Float[Tensor, "b c"],
    ) -> Float[Tensor, "b n d"]:
        """Returns updated node states."""
        z = self.modulation(h, condition)
        block, source, target = edges.nonzero(as_tuple=True)
        offset = block * edges.shape[-1]
        index = torch.stack([source + offset, target + offset])
        messages = self.conv(rearrange(z, "b n d -> (b n) d"), index, edges[block, source, target])
        mean = (z * mask.unsqueeze(-1)).sum(1, keepdim=True) / rearrange(mask.sum(-1).clamp(min=1), "b -> b 1 1")
        total = rearrange(messages, "(b n) d -> b n d", b=len(h)) + self.pool(mean)
        return h + self.mix(total) * mask.unsqueeze(-1)


@register("gin")
class GIN(BlockDenoiser):
    """Block denoiser of message passing and a pair MLP; about three times as fast as `PPGN` and less sharp.

    Args:
        num_features: Node feature columns f.
        width: Channels of the node states.
        pair_width: Channels of the pair MLP.
        num_layers: Rounds of message passing.
        num_edge_types: Types of edges k; 1 for edges of one kind.
    """

    def __init__(
        self,
        num_features: int = 0,
        width: int = 64,
        pair_width: int = 32,
        num_layers: int = 4,
        num_edge_types: int = 1,
    ) -> None:
        super().__init__(num_features, num_edge_types)
        self.condition = Condition(BLOCK_NUMBERS, width)
        self.node_in = nn.Linear(self.node_channels, width)
        self.layers = nn.ModuleList(MessageLayer(width, width) for _ in range(num_layers))
        self.sum_out = nn.Linear(width, pair_width)
        self.product_out = nn.Linear(width, pair_width)
        self.edge_in = nn.Linear(self.edge_channels, pair_width)
        self.modulation = Modulation(pair_width, width)
        self.edge_out = nn.Sequential(
            nn.Linear(pair_width, pair_width), nn.ReLU(), nn.Linear(pair_width, pair_width), nn.ReLU()
        )
        self.last = nn.Linear(pair_width, self.edge_outputs)
        self.node_out = nn.Linear(width, num_features) if num_features else None
        if self.node_out is not None:
            nn.init.zeros_(self.node_out.weight)
            nn.init.zeros_(self.node_out.bias)
        nn.init.zeros_(self.last.weight)
        nn.init.zeros_(self.last.bias)

    def forward(self, blocks: NoisyBlocks) -> tuple[Float[Tensor, "b n n ..."], Float[Tensor, "b n f"]]:
        """Returns edge logits and the feature residual."""
        node, edge = self.inputs(blocks)
        condition = self.condition(blocks.signal, blocks.numbers)
        h = self.node_in(node)
        for layer in self.layers:
            h = layer(h, blocks.edges, blocks.mask, condition)
        summed, factor = self.sum_out(h), self.product_out(h)
        pair = (
            rearrange(summed, "b i d -> b i 1 d")
            + rearrange(summed, "b j d -> b 1 j d")
            + rearrange(factor, "b i d -> b i 1 d") * rearrange(factor, "b j d -> b 1 j d")
            + self.edge_in(edge)
        )
        residual = self.last(self.edge_out(self.modulation(pair, condition)))
        features = blocks.features if self.node_out is None else self.node_out(h) * blocks.mask.unsqueeze(-1)
        return self.edge_logits(blocks, residual), features
