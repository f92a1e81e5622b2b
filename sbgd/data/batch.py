"""Dense, padded, masked batches of blocks, of pairs and of small graphs: the only dense tensors of the library.

Letters: b samples, n and m nodes of the padded blocks, f node features.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Self

import torch
from jaxtyping import Float, Int
from torch import Tensor


@dataclass
class TensorBatch:
    """A dataclass of tensors that moves between devices; not frozen, since Lightning copies batches shallowly."""

    def to(self, device: torch.device | str) -> Self:
        """Returns the batch on another device."""
        return replace(self, **{field.name: getattr(self, field.name).to(device) for field in fields(self)})

    def replace(self, **changes: Any) -> Self:
        """Returns a copy with some tensors changed."""
        return replace(self, **changes)


@dataclass
class BlockBatch(TensorBatch):
    """Blocks C_i.

    Attributes:
        edges: Adjacency of each block, symmetric 0/1.
        mask: 1 for nodes, 0 for padding.
        degrees: Inner and outer degree list; zeros for models without degree lists.
        features: Standardised node features; last axis 0 without features.
        num_edges: Inner edges m_i.
        num_outer: Edges that leave the block.
    """

    edges: Float[Tensor, "b n n"]
    mask: Float[Tensor, "b n"]
    degrees: Float[Tensor, "b n 2"]
    features: Float[Tensor, "b n f"]
    num_edges: Float[Tensor, " b"]
    num_outer: Float[Tensor, " b"]

    def __len__(self) -> int:
        return len(self.mask)

    @property
    def numbers(self) -> Float[Tensor, "b 4"]:
        """Condition numbers of each block: log n, log (1 + m), density, log (1 + outer edges)."""
        n = self.mask.sum(-1)
        density = self.num_edges / (n * (n - 1) / 2).clamp(min=1)
        return torch.stack([torch.log(n), torch.log1p(self.num_edges), density, torch.log1p(self.num_outer)], dim=-1)

    @property
    def pairs(self) -> Float[Tensor, "b n n"]:
        """1 for pairs of distinct nodes, 0 on the diagonal and at padding."""
        pairs = self.mask.unsqueeze(-1) * self.mask.unsqueeze(-2)
        return pairs - torch.diag_embed(self.mask)


@dataclass
class GraphBatch(TensorBatch):
    """Whole graphs.

    Attributes:
        edges: 0 for no edge, else 1 + the index of the edge's type; of shape (b, 0, 0) where edges are listed only.
        mask: 1 for nodes, 0 for padding.
        features: Standardised or binary node features; last axis 0 without features.
        categories: Index of each node's category; zeros without.
        edge_index: Both directions of every edge between the b n nodes, numbered through.
    """

    edges: Float[Tensor, "b n n"]
    mask: Float[Tensor, "b n"]
    features: Float[Tensor, "b n f"]
    categories: Int[Tensor, "b n"]
    edge_index: Int[Tensor, "2 e"]

    def __len__(self) -> int:
        return len(self.mask)

    @property
    def pairs(self) -> Float[Tensor, "b n n"]:
        """1 for pairs of distinct nodes, 0 on the diagonal and at padding; (b, 0, 0) where edges are listed only."""
        if not self.edges.shape[-1]:
            return self.edges
        pairs = self.mask.unsqueeze(-1) * self.mask.unsqueeze(-2)
        return pairs - torch.diag_embed(self.mask)


@dataclass
class PairBatch(TensorBatch):
    """Adjacencies A_ij between two blocks, with what is known around them.

    Attributes:
        left: Adjacency of block i.
        right: Adjacency of block j.
        left_mask: 1 for nodes of block i.
        right_mask: 1 for nodes of block j.
        left_stubs: Edges each node of block i still has to send out; zeros for models without degree lists.
        right_stubs: The same for block j.
        left_outer: Edges each node of block i already sends to blocks outside the pair.
        right_outer: The same for block j.
        halo: Common neighbours of u and v outside both blocks.
        edges: A_ij; zeros when it is to be generated.
        num_edges: e_ij.
        weight: Weight of each pair in the loss.
    """

    left: Float[Tensor, "b n n"]
    right: Float[Tensor, "b m m"]
    left_mask: Float[Tensor, "b n"]
    right_mask: Float[Tensor, "b m"]
    left_stubs: Float[Tensor, "b n"]
    right_stubs: Float[Tensor, "b m"]
    left_outer: Float[Tensor, "b n"]
    right_outer: Float[Tensor, "b m"]
    halo: Float[Tensor, "b n m"]
    edges: Float[Tensor, "b n m"]
    num_edges: Float[Tensor, " b"]
    weight: Float[Tensor, " b"]

    def __len__(self) -> int:
        return len(self.num_edges)

    @property
    def pairs(self) -> Float[Tensor, "b n m"]:
        """1 for pairs of nodes, 0 at padding."""
        return self.left_mask.unsqueeze(-1) * self.right_mask.unsqueeze(-2)

    @property
    def transposed(self) -> PairBatch:
        """The same pairs with i and j exchanged."""
        return PairBatch(
            left=self.right,
            right=self.left,
            left_mask=self.right_mask,
            right_mask=self.left_mask,
            left_stubs=self.right_stubs,
            right_stubs=self.left_stubs,
            left_outer=self.right_outer,
            right_outer=self.left_outer,
            halo=self.halo.transpose(1, 2),
            edges=self.edges.transpose(1, 2),
            num_edges=self.num_edges,
            weight=self.weight,
        )
