"""First tier of the pair model: scores all possible edges of A_ij and draws them one after the other.

P(A_ij) = prod_k softmax over free (u, v) of score(u, v | C_i, C_j, halo, edges so far). Every edge sees the triangles
and squares that it would close. Two or three draws settle most pairs of a sparse graph, for which a diffusion over all
n m entries would be waste.
"""

from __future__ import annotations

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn

from sbgd.data.batch import PairBatch
from sbgd.networks.condition import SampleLinear
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

BLOCKED = -1e4


@register("edge_scorer")
class EdgeScorer(nn.Module):
    """Scores of the next edge of a pair.

    With degree lists the base score is log(stubs_u stubs_v), so that an untrained scorer draws from the configuration
    model between two blocks.

    Args:
        degree_lists: Whether nodes have stubs to spend; a node without a stub left gets no edge while others have some.
        width: Hidden channels.
    """

    def __init__(self, degree_lists: bool = True, width: int = 32) -> None:
        super().__init__()
        self.degree_lists = degree_lists
        self.number_in = SampleLinear(PAIR_NUMBERS, width)
        self.node_in = nn.Linear(NODE_INPUTS, width)
        self.node_hidden = nn.Sequential(nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.readout = PairReadout(width, EDGE_INPUTS, width)

    def structure(self, pairs: PairBatch) -> tuple[Float[Tensor, "b n 7"], Float[Tensor, "b m 7"]]:
        """Returns the structural features of both sides, to be computed once a pair."""
        return side_features(pairs.left, pairs.left_mask), side_features(pairs.right, pairs.right_mask)

    def forward(
        self,
        pairs: PairBatch,
        edges: Float[Tensor, "b n m"],
        structure: tuple[Float[Tensor, "b n 7"], Float[Tensor, "b m 7"]] | None = None,
    ) -> Float[Tensor, "b n m"]:
        """Returns scores of the next edge; impossible entries are at -1e4.

        Args:
            pairs: The pairs; their own `edges` are not read.
            edges: Edges of A_ij placed so far, 0/1.
            structure: What `structure` returned, to save its cost in a loop.
        """
        left_structure, right_structure = self.structure(pairs) if structure is None else structure
        left_sent, right_sent = edges.sum(2), edges.sum(1)
        left_stubs = (pairs.left_stubs - left_sent).clamp(min=0)
        right_stubs = (pairs.right_stubs - right_sent).clamp(min=0)
        number = rearrange(self.number_in(pair_numbers(pairs)), "b d -> b 1 d")
        left_in = node_inputs(left_structure, left_stubs, pairs.left_outer, left_sent, pairs.left_mask)
        right_in = node_inputs(right_structure, right_stubs, pairs.right_outer, right_sent, pairs.right_mask)
        left = self.node_hidden(self.node_in(left_in) + number)
        right = self.node_hidden(self.node_in(right_in) + number)
        scores = self.readout(left, right, edge_inputs(pairs, edges))
        free = pairs.pairs * (1 - edges)
        if self.degree_lists:
            scores = scores + _log_stubs(left_stubs).unsqueeze(-1) + _log_stubs(right_stubs).unsqueeze(-2)
        return torch.where(free > 0, scores, torch.full_like(scores, BLOCKED))

    def loss(self, pairs: PairBatch, placed: Float[Tensor, "b n m"]) -> Float[Tensor, " b"]:
        """Returns the mean negative log-probability of the edges that remain when `placed` are there.

        Args:
            pairs: Pairs with at least one edge outside `placed`.
            placed: A subset of `pairs.edges`.
        """
        log_probability = torch.log_softmax(self(pairs, placed).flatten(1), dim=-1)
        remaining = (pairs.edges - placed).flatten(1)
        return -(remaining * log_probability).sum(1) / remaining.sum(1).clamp(min=1)


def _log_stubs(stubs: Float[Tensor, "b n"]) -> Float[Tensor, "b n"]:
    """Log of the open stubs; a node without any is put off by e^-8, far but not infinitely."""
    return torch.where(stubs > 0, torch.log(stubs.clamp(min=1)), torch.full_like(stubs, -8.0))
