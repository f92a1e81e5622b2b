"""What the two tiers of the pair model share: node and edge features of a pair (C_i, C_j, halo, A_ij so far).

Everything is symmetric under exchange of the blocks: f(C_i, C_j) = f(C_j, C_i)^T.
"""

from __future__ import annotations

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn

from sbgd.data.batch import PairBatch
from sbgd.networks.structure import NODE_CHANNELS, structural_features

PAIR_NUMBERS = 3
NODE_INPUTS = NODE_CHANNELS + 4
EDGE_INPUTS = 6


def pair_numbers(pairs: PairBatch) -> Float[Tensor, "b 3"]:
    """Returns the condition numbers of a pair, symmetric in its blocks: log (1 + e), log sizes summed, density."""
    left, right = pairs.left_mask.sum(-1), pairs.right_mask.sum(-1)
    density = pairs.num_edges / (left * right).clamp(min=1)
    return torch.stack([torch.log1p(pairs.num_edges), torch.log(left * right), density], dim=-1)


def side_features(adjacency: Float[Tensor, "b n n"], mask: Float[Tensor, "b n"]) -> Float[Tensor, "b n 7"]:
    """Returns structural node features of one side; they do not change while a pair is generated."""
    return structural_features(adjacency, mask)[0]


def node_inputs(
    structure: Float[Tensor, "b n 7"],
    stubs: Float[Tensor, "b n"],
    outer: Float[Tensor, "b n"],
    sent: Float[Tensor, "b n"],
    mask: Float[Tensor, "b n"],
) -> Float[Tensor, "b n 11"]:
    """Stacks structure, open stubs, edges to the outside and edges within the pair."""
    share = stubs / stubs.sum(-1, keepdim=True).clamp(min=1)
    extra = torch.stack([torch.log1p(stubs), share, torch.log1p(outer), torch.log1p(sent)], dim=-1)
    return torch.cat([structure, extra], dim=-1) * mask.unsqueeze(-1)


def edge_inputs(pairs: PairBatch, edges: Float[Tensor, "b n m"]) -> Float[Tensor, "b n m 6"]:
    """Counts short paths from u in C_i to v in C_j: through the halo, through either block, around earlier edges.

    Args:
        pairs: The pair; its own `edges` are not read.
        edges: The edges of A_ij that exist so far, or the noisy ones, in [0, 1].
    """
    inside = pairs.left @ edges + edges @ pairs.right
    around = pairs.left @ pairs.halo + pairs.halo @ pairs.right
    parallel = pairs.left @ edges @ pairs.right
    zigzag = edges @ edges.transpose(1, 2) @ edges
    counts = torch.stack([pairs.halo, inside, around, parallel, zigzag], dim=-1)
    return torch.cat([edges.unsqueeze(-1), torch.log1p(counts)], dim=-1) * pairs.pairs.unsqueeze(-1)


class PairReadout(nn.Module):
    """Edge logits from node states of both sides and edge features; symmetric, zero at the start.

    Args:
        node_width: Channels of the node states.
        edge_channels: Channels of the edge features.
        width: Hidden channels.
    """

    def __init__(self, node_width: int, edge_channels: int, width: int) -> None:
        super().__init__()
        self.add = nn.Linear(node_width, width)
        self.multiply = nn.Linear(node_width, width)
        self.edge_in = nn.Linear(edge_channels, width)
        self.hidden = nn.Sequential(nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.last = nn.Linear(width, 1)
        nn.init.zeros_(self.last.weight)
        nn.init.zeros_(self.last.bias)

    def forward(
        self, left: Float[Tensor, "b n d"], right: Float[Tensor, "b m d"], edge: Float[Tensor, "b n m e"]
    ) -> Float[Tensor, "b n m"]:
        """Returns the logits."""
        x = (
            rearrange(self.add(left), "b n d -> b n 1 d")
            + rearrange(self.add(right), "b m d -> b 1 m d")
            + rearrange(self.multiply(left), "b n d -> b n 1 d") * rearrange(self.multiply(right), "b m d -> b 1 m d")
            + self.edge_in(edge)
        )
        return self.last(self.hidden(x)).squeeze(-1)
