"""Pairs of blocks in flat arrays, the edges already around them, and their gathering into dense batches.

The halo of a pair (i, j) is what earlier pairs have put around it: for u in i and v in j the number of common
neighbours outside both blocks, and how many edges each node has already sent out. Training imitates a random order of
the pairs by a threshold: a pair sees those of smaller rank.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse

from sbgd.data.batch import PairBatch
from sbgd.data.blocks import BlockTable, Ints, ranges


@dataclass(frozen=True, eq=False)
class PairTable:
    """Non-empty pairs of blocks and their edges.

    Attributes:
        pairs: int64 (p, 2): block numbers i < j.
        pair_edges: int64 (M, 2): edges as (node of i, node of j), local to the blocks.
        pair_offsets: int64 (p+1,): where the edges of each pair start.
    """

    pairs: Ints
    pair_edges: Ints
    pair_offsets: Ints

    @property
    def num_pairs(self) -> int:
        """Number of pairs p."""
        return len(self.pairs)

    @property
    def counts(self) -> Ints:
        """Edges e_ij of each pair, (p,)."""
        return np.diff(self.pair_offsets)


@dataclass(frozen=True, eq=False)
class OuterEdges:
    """Edges between blocks as neighbour lists over all nodes.

    Attributes:
        starts: int64 (N+1,): where the list of each node starts.
        neighbours: int64 (2M,): the node at the other end.
        pair: int64 (2M,): the pair that the edge belongs to.
    """

    starts: Ints
    neighbours: Ints
    pair: Ints

    @classmethod
    def of(cls, blocks: BlockTable, pairs: PairTable) -> OuterEdges:
        """Builds the lists from the edges of a pair table."""
        owner = np.repeat(np.arange(pairs.num_pairs), pairs.counts)
        ends = pairs.pair_edges + blocks.offsets[pairs.pairs[owner]]
        source = np.concatenate([ends[:, 0], ends[:, 1]])
        order = np.argsort(source, kind="stable")
        counts = np.bincount(source, minlength=int(blocks.offsets[-1]))
        return cls(
            starts=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            neighbours=np.concatenate([ends[:, 1], ends[:, 0]])[order],
            pair=np.concatenate([owner, owner])[order],
        )


def pair_batch(
    blocks: BlockTable,
    pairs: Ints,
    counts: Ints,
    outer: OuterEdges,
    stubs: NDArray[np.int64],
    padded: int,
    *,
    present: NDArray[np.bool_] | None = None,
    edges: NDArray[np.float32] | None = None,
    weight: NDArray[np.float32] | None = None,
) -> PairBatch:
    """Gathers pairs and their halo into a dense batch.

    Args:
        blocks: The blocks.
        pairs: int64 (b, 2) block numbers.
        counts: int64 (b,) edges e_ij.
        outer: Edges between blocks.
        stubs: int64 (N,) outer degree each node should end with.
        padded: Nodes to pad both sides to.
        present: bool (p,), which pairs of `outer` exist already; all by default.
        edges: float32 (b, padded, padded) adjacency A_ij; zeros by default.
        weight: float32 (b,) weight of each pair in the loss; ones by default.
    """
    left, right = pairs[:, 0], pairs[:, 1]
    halo, left_outer, right_outer = _halo(blocks, left, right, outer, padded, present)
    shape = (len(pairs), padded, padded)
    return PairBatch(
        left=torch.from_numpy(blocks.adjacency(left, padded)),
        right=torch.from_numpy(blocks.adjacency(right, padded)),
        left_mask=torch.from_numpy(blocks.mask(left, padded)),
        right_mask=torch.from_numpy(blocks.mask(right, padded)),
        left_stubs=torch.from_numpy(np.maximum(blocks.pad(stubs, left, padded) - left_outer, 0)),
        right_stubs=torch.from_numpy(np.maximum(blocks.pad(stubs, right, padded) - right_outer, 0)),
        left_outer=torch.from_numpy(left_outer),
        right_outer=torch.from_numpy(right_outer),
        halo=torch.from_numpy(halo),
        edges=torch.zeros(shape) if edges is None else torch.from_numpy(edges),
        num_edges=torch.from_numpy(counts.astype(np.float32)),
        weight=torch.ones(len(pairs)) if weight is None else torch.from_numpy(weight),
    )


def dense_pair_edges(table: PairTable, ids: Ints, padded: int) -> NDArray[np.float32]:
    """Returns A_ij of some pairs as float32 (b, padded, padded)."""
    dense = np.zeros((len(ids), padded, padded), np.float32)
    rows, index = ranges(table.pair_offsets[ids], table.pair_offsets[ids + 1])
    dense[rows, table.pair_edges[index, 0], table.pair_edges[index, 1]] = 1
    return dense


def _halo(
    blocks: BlockTable, left: Ints, right: Ints, outer: OuterEdges, padded: int, present: NDArray[np.bool_] | None
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Counts common outside neighbours (b, n, m) and the outer edges of each node (b, n), (b, m)."""
    shape = (len(left), padded, padded)
    left_nodes, left_ends, left_degree = _incidence(blocks, left, outer, padded, present)
    right_nodes, right_ends, right_degree = _incidence(blocks, right, outer, padded, present)
    halo = np.zeros(shape, np.float32)
    # Keys (sample, outside node) make the product block diagonal: only nodes of the same pair can meet.
    ends, column = np.unique(np.concatenate([left_ends, right_ends]), return_inverse=True)
    if len(left_nodes) and len(right_nodes):
        size = (len(left) * padded, len(ends))
        ones = np.ones(len(column), np.float32)
        split = len(left_nodes)
        at_left = sparse.csr_array((ones[:split], (left_nodes, column[:split])), shape=size)
        at_right = sparse.csr_array((ones[split:], (right_nodes, column[split:])), shape=size)
        common = (at_left @ at_right.T).tocoo()
        sample, u = np.divmod(common.row, padded)
        halo[sample, u, common.col - sample * padded] = common.data
    return halo, left_degree, right_degree


def _incidence(
    blocks: BlockTable, side: Ints, outer: OuterEdges, padded: int, present: NDArray[np.bool_] | None
) -> tuple[Ints, Ints, NDArray[np.float32]]:
    """Returns (sample * padded + u, sample * N + neighbour) of every outer edge of some blocks, and node counts."""
    first = blocks.offsets[side]
    sample, index = ranges(outer.starts[first], outer.starts[blocks.offsets[side + 1]])
    if present is not None:
        kept = present[outer.pair[index]]
        sample, index = sample[kept], index[kept]
    node = np.searchsorted(outer.starts, index, side="right") - 1
    rows = sample * padded + (node - first[sample])
    counts = np.bincount(rows, minlength=len(side) * padded).reshape(len(side), padded)
    return rows, sample * int(blocks.offsets[-1]) + outer.neighbours[index], counts.astype(np.float32)
