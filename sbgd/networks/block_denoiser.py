"""What every block denoiser takes and returns; a concrete one embeds, mixes and reads out.

Input is the noisy block with its structural features; output are the edge logits, a residual added to the exact logit
under the independent prior, and a residual of the node features over their mean under a standard normal prior. Last
layers of zeros make an untrained network equal to these priors.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from sbgd.networks.structure import EDGE_CHANNELS, NODE_CHANNELS, structural_features

BLOCK_NUMBERS = 4
DEGREE_CHANNELS = 3


@dataclass(frozen=True)
class NoisyBlocks:
    """A batch of noisy blocks, padded and masked.

    Attributes:
        edges: Soft edges of the noisy blocks in [0, 1], symmetric, zero at padding.
        prior_logit: Exact edge logits under the independent prior.
        mask: 1 for nodes, 0 for padding.
        degrees: Wanted inner and outer degree of each node; zeros for models without degree lists.
        features: Noisy standardised node features, last axis 0 without features.
        signal: Share of signal left, abar(t).
        numbers: Condition numbers of each block: log n, log m, density, log outer edges.
        type_logits: Logits of no edge and of every edge type under the independent prior; None without edge types.
    """

    edges: Float[Tensor, "b n n"]
    prior_logit: Float[Tensor, "b n n"]
    mask: Float[Tensor, "b n"]
    degrees: Float[Tensor, "b n 2"]
    features: Float[Tensor, "b n f"]
    signal: Float[Tensor, " b"]
    numbers: Float[Tensor, "b 4"]
    type_logits: Float[Tensor, "b n n k"] | None = None

    @property
    def pairs(self) -> Float[Tensor, "b n n"]:
        """1 for pairs of distinct nodes, 0 on the diagonal and at padding."""
        pairs = self.mask.unsqueeze(-1) * self.mask.unsqueeze(-2)
        return pairs * (1 - torch.eye(pairs.shape[-1], dtype=pairs.dtype, device=pairs.device))


class BlockDenoiser(nn.Module, ABC):
    """A permutation-equivariant network on noisy blocks.

    Args:
        num_features: Node feature columns f; 0 for structure alone.
        num_edge_types: Types of edges k; 1 for edges of one kind.
    """

    def __init__(self, num_features: int, num_edge_types: int = 1) -> None:
        super().__init__()
        self.num_features = num_features
        self.num_edge_types = num_edge_types

    @property
    def node_channels(self) -> int:
        """Channels of `inputs`' node tensor."""
        return NODE_CHANNELS + DEGREE_CHANNELS + self.num_features

    @property
    def edge_channels(self) -> int:
        """Channels of `inputs`' edge tensor."""
        return EDGE_CHANNELS + 1 + (self.num_edge_types if self.num_edge_types > 1 else 0)

    @property
    def edge_outputs(self) -> int:
        """Channels of the edge residual."""
        return self.num_edge_types + 1 if self.num_edge_types > 1 else 1

    def inputs(self, blocks: NoisyBlocks) -> tuple[Float[Tensor, "b n c"], Float[Tensor, "b n n e"]]:
        """Stacks structural features, degree lists, node features and the prior logit."""
        node, edge = structural_features(blocks.edges, blocks.mask)
        inner, outer = blocks.degrees.unbind(-1)
        missing = (inner - blocks.edges.sum(-1)) * torch.rsqrt(inner + 1) * (inner + outer > 0)
        lists = torch.stack([torch.log1p(inner), torch.log1p(outer), missing], dim=-1)
        node = torch.cat([node, lists, blocks.features], dim=-1) * blocks.mask.unsqueeze(-1)
        parts = [edge, (blocks.prior_logit / 5 * blocks.pairs).unsqueeze(-1)]
        if blocks.type_logits is not None:
            parts.append(blocks.type_logits.softmax(dim=-1)[..., 1:] * blocks.pairs.unsqueeze(-1))
        return node, torch.cat(parts, dim=-1)

    def edge_logits(self, blocks: NoisyBlocks, residual: Float[Tensor, "b n n o"]) -> Float[Tensor, "b n n ..."]:
        """Adds the residual to the prior logit, or, with edge types, to the logits of all k + 1 categories."""
        if blocks.type_logits is None:
            return blocks.prior_logit + residual.squeeze(-1)
        return blocks.type_logits + residual

    @abstractmethod
    def forward(self, blocks: NoisyBlocks) -> tuple[Float[Tensor, "b n n ..."], Float[Tensor, "b n f"]]:
        """Returns edge logits and the feature residual.

        Logits are symmetric, and meaningless at padding and on the diagonal; with edge types their last axis has
        k + 1 entries, the first for no edge.
        """
