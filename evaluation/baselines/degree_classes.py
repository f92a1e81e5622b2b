"""Nodes of one block and one expected degree as one class, and the pairs of classes that can have edges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.baselines.block_counts import BlockCounts

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_CHUNK_PAIRS = 1 << 20


@dataclass(frozen=True, eq=False)
class Views:
    """Classes and the blocks that they see.

    Attributes:
        viewers: Classes (v,).
        blocks: Blocks seen (v,).
        positions: Position of the pair of blocks (v,).
    """

    viewers: Ints
    blocks: Ints
    positions: Ints


@dataclass(frozen=True, eq=False)
class DegreeClasses:
    """Classes of nodes in the order of blocks and degrees; nodes that have no edges are in none.

    Attributes:
        nodes: The nodes, class after class (n,).
        sizes: Nodes of each class (c,).
        blocks: Block of each class (c,).
        degrees: Expected degree of each node of a class (c,).
        pairs: Blocks i <= j with edges (p, 2).
        counts: Expected edges of these pairs (p,).
    """

    nodes: Ints
    sizes: Ints
    blocks: Ints
    degrees: Floats
    pairs: Ints
    counts: Ints

    @classmethod
    def of(cls, degrees: Ints, blocks: Ints, counts: BlockCounts) -> DegreeClasses:
        """Groups nodes.

        Args:
            degrees: Degree of every node up to one factor a block, which makes them add up to the counts, (N,).
            blocks: Block of every node (N,).
            counts: Expected edges.
        """
        sums = np.bincount(blocks, weights=degrees, minlength=len(counts.sizes))
        # degrees drawn anew may all be 0 in a block that has edges
        shares = np.where(sums[blocks] > 0, degrees, 1)
        factors = counts.volumes / np.where(sums > 0, sums, np.maximum(counts.sizes, 1))
        nodes = np.lexsort((shares, blocks))
        nodes = nodes[shares[nodes] * factors[blocks[nodes]] > 0]
        starts = np.flatnonzero(np.diff(blocks[nodes], prepend=-1) | np.diff(shares[nodes], prepend=-1))
        leaders = nodes[starts]
        inner = np.flatnonzero(counts.inner)
        return cls(
            nodes,
            np.diff(np.append(starts, len(nodes))),
            blocks[leaders],
            shares[leaders] * factors[blocks[leaders]],
            np.concatenate([np.stack([inner, inner], axis=1), counts.pairs]),
            np.concatenate([counts.inner[inner], counts.between]),
        )

    @cached_property
    def per_block(self) -> Ints:
        """Number of classes of each block (k,)."""
        num_blocks = int(self.pairs.max(initial=-1)) + 1
        return np.bincount(self.blocks, minlength=num_blocks).astype(np.int64)

    @cached_property
    def first(self) -> Ints:
        """First class of each block (k,)."""
        return np.cumsum(self.per_block) - self.per_block

    @cached_property
    def is_inner(self) -> NDArray[np.bool_]:
        """Whether a pair is a block with itself (p,)."""
        return self.pairs[:, 0] == self.pairs[:, 1]

    def views(self) -> Views:
        """Returns every class with every block that it has edges to."""
        is_outer = ~self.is_inner
        near, far = np.concatenate([self.pairs, self.pairs[is_outer, ::-1]]).T
        position = np.concatenate([np.arange(len(self.pairs)), np.flatnonzero(is_outer)])
        lengths = self.per_block[near]
        return Views(_ranges(self.first[near], lengths), np.repeat(far, lengths), np.repeat(position, lengths))

    def class_pairs(self) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Yields all pairs of classes left <= right that can have edges, with the position of their blocks' pair."""
        lengths = self.per_block[self.pairs].prod(axis=1)
        chunks = np.cumsum(lengths) // _CHUNK_PAIRS
        for positions in np.split(np.arange(len(lengths)), np.flatnonzero(np.diff(chunks)) + 1):
            position = np.repeat(positions, lengths[positions])
            cell = _ranges(np.zeros_like(positions), lengths[positions])
            low, high = self.pairs[position].T
            left = self.first[low] + cell // np.maximum(self.per_block[high], 1)
            right = self.first[high] + cell % np.maximum(self.per_block[high], 1)
            once = left <= right
            yield left[once], right[once], position[once]


def _ranges(starts: Ints, lengths: Ints) -> Ints:
    """Returns start, start + 1, ... for every start, one after another, (sum of lengths,)."""
    ends = np.cumsum(lengths)
    return np.repeat(starts - ends + lengths, lengths) + np.arange(int(lengths.sum()))
