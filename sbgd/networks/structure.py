"""Structural features of the noisy graph: what a network that only multiplies cannot see cheaply on its own.

With S = D^-1/2 A D^-1/2, diag(S^k) are the return probabilities of k-step random walks, (A^2)_uv counts common
neighbours, and repeated squaring of I + A tells which nodes are connected at all.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

NODE_CHANNELS = 7
EDGE_CHANNELS = 6


def structural_features(
    adjacency: Float[Tensor, "b n n"], mask: Float[Tensor, "b n"]
) -> tuple[Float[Tensor, "b n 7"], Float[Tensor, "b n n 6"]]:
    """Computes node and edge features of a batch of graphs, equivariant under permutations, zero at padding.

    Args:
        adjacency: Symmetric edge weights in [0, 1], zero diagonal, zero at padding.
        mask: 1 for nodes, 0 for padding.

    Returns:
        Nodes: log degree, degree over n, return probabilities of 2, 3, 4 steps, log triangles, share of the component.
        Edges: the edge, log A^2, log A^3, S^2, S^4, connectedness.
    """
    degree = adjacency.sum(-1)
    scale = torch.rsqrt(degree.clamp(min=1e-6)) * (degree > 1e-6)
    walk = adjacency * scale.unsqueeze(-1) * scale.unsqueeze(-2)
    walk_2 = walk @ walk
    walk_4 = walk_2 @ walk_2
    paths_2 = adjacency @ adjacency
    paths_3 = paths_2 @ adjacency
    pairs = mask.unsqueeze(-1) * mask.unsqueeze(-2)
    size = mask.sum(-1, keepdim=True).clamp(min=1)
    reach = _connectedness(adjacency, size.unsqueeze(-1)) * pairs
    node = torch.stack(
        [
            torch.log1p(degree),
            degree / size,
            walk_2.diagonal(dim1=-2, dim2=-1),
            (walk_2 * walk).sum(-1),
            walk_4.diagonal(dim1=-2, dim2=-1),
            torch.log1p(paths_3.diagonal(dim1=-2, dim2=-1) / 2),
            reach.sum(-1) / size,
        ],
        dim=-1,
    )
    edge = torch.stack(
        [adjacency, torch.log1p(paths_2), torch.log1p(paths_3) / 2, walk_2, walk_4, reach],
        dim=-1,
    )
    return node * mask.unsqueeze(-1), edge * pairs.unsqueeze(-1)


def _connectedness(adjacency: Float[Tensor, "b n n"], size: Float[Tensor, "b 1 1"]) -> Float[Tensor, "b n n"]:
    """Returns 1 where a path joins two nodes, by squaring I + A until paths of the length of the block are covered.

    On soft edges every squaring adds weight, so that each block is squared for its own size and not for its padding.
    """
    n = adjacency.shape[-1]
    reach = (adjacency + torch.eye(n, dtype=adjacency.dtype, device=adjacency.device)).clamp(max=1)
    for doubling in range(math.ceil(math.log2(max(n, 2)))):
        reach = torch.where(size > 2**doubling, (reach @ reach).clamp(max=1), reach)
    return reach
