"""Networks on the nodes of graphs whose edges are given: work and memory follow the edges, not the pairs."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch_geometric.nn import TAGConv

from sbgd.networks.condition import Condition, Modulation
from sbgd.networks.registry import register


class FeatureDenoiser(nn.Module, ABC):
    """A permutation-equivariant network that estimates node features from noisy ones and the structure.

    Args:
        num_features: Node feature columns f, categories included.
    """

    def __init__(self, num_features: int) -> None:
        super().__init__()
        self.num_features = num_features

    @abstractmethod
    def forward(
        self,
        features: Float[Tensor, "b n f"],
        edge_index: Int[Tensor, "2 e"],
        mask: Float[Tensor, "b n"],
        signal: Float[Tensor, " b"],
    ) -> Float[Tensor, "b n f"]:
        """Returns the residual of the features.

        Args:
            features: What is known of the noisy features, of order 1.
            edge_index: Both directions of every edge between the b n nodes, numbered through.
            mask: 1 for nodes, 0 for padding.
            signal: Share of signal left.
        """


def _unit_scale(features: Float[Tensor, "b n f"], mask: Float[Tensor, "b n"]) -> Float[Tensor, "b n f"]:
    """Divides the features of a graph by their root mean square."""
    count = (mask.sum(-1) * features.shape[-1]).clamp(min=1)
    scale = ((features**2).sum((-2, -1)) / count + 1e-8).sqrt()
    return features / scale.reshape(-1, 1, 1)


@register("message_passing")
class MessagePassing(FeatureDenoiser):
    """Layers of h + MLP([S^0 h, S^1 h, ..., S^K h]) with S = D^-1/2 A D^-1/2, modulated by the share of signal.

    Powers of S are what the score of features that are Gaussian given a structure is made of (see `sbgd.theory`).

    Args:
        num_features: Node feature columns f.
        num_edge_types: Read by other networks; edge types are not told apart here.
        width: Hidden channels.
        num_layers: Layers.
        powers: Largest power K of S in a layer.
        dropout: Share of hidden channels that are dropped in training; against learning one large graph by heart.

    References:
        Du et al., 2017, "Topology adaptive graph convolutional networks", arXiv:1710.10370.
    """

    def __init__(
        self,
        num_features: int,
        num_edge_types: int = 1,
        width: int = 128,
        num_layers: int = 3,
        powers: int = 2,
        dropout: float = 0.0,
    ) -> None:
        super().__init__(num_features)
        self.condition = Condition(1, width)
        self.first = nn.Linear(num_features + 1, width)
        self.norms = nn.ModuleList(Modulation(width, width) for _ in range(num_layers))
        self.convolutions = nn.ModuleList(TAGConv(width, width, K=powers) for _ in range(num_layers))
        self.mixes = nn.ModuleList(nn.Linear(width, width) for _ in range(num_layers))
        self.dropout = nn.Dropout(dropout)
        self.last = nn.Linear(width, num_features)
        self.linear = nn.Parameter(torch.zeros(num_features))
        nn.init.zeros_(self.last.weight)
        nn.init.zeros_(self.last.bias)

    def forward(
        self,
        features: Float[Tensor, "b n f"],
        edge_index: Int[Tensor, "2 e"],
        mask: Float[Tensor, "b n"],
        signal: Float[Tensor, " b"],
    ) -> Float[Tensor, "b n f"]:
        """Returns the residual of the features; see `FeatureDenoiser`."""
        size, nodes = mask.shape
        degree = torch.zeros(size * nodes, dtype=features.dtype, device=features.device)
        degree.index_add_(0, edge_index[0], torch.ones_like(edge_index[0], dtype=features.dtype))
        condition = self.condition(signal, signal.unsqueeze(-1))
        # what is known of rare values in much noise is small on every node, and adds up over words and neighbours
        h = self.first(torch.cat([_unit_scale(features, mask), torch.log1p(degree).reshape(size, nodes, 1)], dim=-1))
        for norm, convolution, mix in zip(self.norms, self.convolutions, self.mixes, strict=True):
            inner = norm(h, condition).reshape(size * nodes, -1)
            inner = torch.relu(convolution(inner, edge_index)).reshape(size, nodes, -1)
            h = h + mix(self.dropout(inner))
        return (self.last(h) + self.linear * features) * mask.unsqueeze(-1)
