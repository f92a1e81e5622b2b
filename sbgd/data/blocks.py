"""The blocks of any number of graphs in flat arrays, and their gathering into dense batches.

Training fills the tables from partitioned graphs, sampling fills them from a plan and from generated blocks; the
batches come out of the same code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from sbgd.data.batch import BlockBatch
from sbgd.data.scaler import FeatureScaler
from sbgd.partition import BlockGraph

Ints = NDArray[np.int64]
PAD_MULTIPLE = 4


def padded_size(size: int) -> int:
    """Rounds a block size up to the next multiple of four, so that few shapes occur and little is padding."""
    return -(-max(size, 1) // PAD_MULTIPLE) * PAD_MULTIPLE


def ranges(starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Concatenates the index ranges starts[r] .. ends[r]; returns (row, index) of every element."""
    lengths = ends - starts
    rows = np.repeat(np.arange(len(starts)), lengths)
    first = np.cumsum(lengths) - lengths
    return rows, np.arange(int(lengths.sum())) - np.repeat(first - starts, lengths)


@dataclass(frozen=True, eq=False)
class BlockTable:
    """All blocks, one after the other; nodes are numbered through.

    Attributes:
        offsets: int64 (k+1,): block b holds the nodes offsets[b] .. offsets[b+1].
        inner_edges: int64 (M, 2): edges u < v, node indices local to the block.
        inner_offsets: int64 (k+1,): where the edges of each block start.
        degrees: int64 (N, 2): inner and outer degree list.
        features: float32 (N, f): standardised features; f may be 0.
    """

    offsets: Ints
    inner_edges: Ints
    inner_offsets: Ints
    degrees: Ints
    features: NDArray[np.float32]

    @classmethod
    def from_block_graphs(cls, graphs: Sequence[BlockGraph], scaler: FeatureScaler) -> BlockTable:
        """Concatenates partitioned graphs; their features are standardised by `scaler`."""
        quotients = [graph.quotient() for graph in graphs]
        sizes = np.concatenate([quotient.num_nodes for quotient in quotients])
        counts = np.concatenate([quotient.num_edges for quotient in quotients])
        return cls(
            offsets=_starts(sizes),
            inner_edges=np.concatenate([graph.inner_edges for graph in graphs]),
            inner_offsets=_starts(counts),
            degrees=np.concatenate([np.stack([q.inner_degree, q.outer_degree], axis=1) for q in quotients]),
            features=np.concatenate([scaler.standardise(graph.features, graph.num_nodes) for graph in graphs]),
        )

    @property
    def num_blocks(self) -> int:
        """Number of blocks k."""
        return len(self.offsets) - 1

    @property
    def sizes(self) -> Ints:
        """Nodes n of each block, (k,)."""
        return np.diff(self.offsets)

    def adjacency(self, ids: Ints, padded: int) -> NDArray[np.float32]:
        """Returns the dense symmetric adjacency of some blocks, float32 (b, padded, padded)."""
        dense = np.zeros((len(ids), padded, padded), np.float32)
        rows, index = ranges(self.inner_offsets[ids], self.inner_offsets[ids + 1])
        u, v = self.inner_edges[index].T
        dense[rows, u, v] = 1
        dense[rows, v, u] = 1
        return dense

    def pad(self, values: NDArray[np.generic], ids: Ints, padded: int) -> NDArray[np.float32]:
        """Returns per-node values of some blocks as float32 (b, padded, ...), zero at padding."""
        dense = np.zeros((len(ids), padded, *values.shape[1:]), np.float32)
        rows, index = ranges(self.offsets[ids], self.offsets[ids + 1])
        dense[rows, index - self.offsets[ids][rows]] = values[index]
        return dense

    def mask(self, ids: Ints, padded: int) -> NDArray[np.float32]:
        """Returns 1 for nodes and 0 for padding, float32 (b, padded)."""
        return (np.arange(padded) < self.sizes[ids][:, None]).astype(np.float32)

    def batch(self, ids: Ints, padded: int | None = None) -> BlockBatch:
        """Gathers blocks into a dense batch.

        Args:
            ids: int64 (b,) block numbers.
            padded: Nodes to pad to; the smallest that fits by default.
        """
        size = padded_size(int(self.sizes[ids].max(initial=1))) if padded is None else padded
        degrees = self.pad(self.degrees, ids, size)
        return BlockBatch(
            edges=torch.from_numpy(self.adjacency(ids, size)),
            mask=torch.from_numpy(self.mask(ids, size)),
            degrees=torch.from_numpy(degrees),
            features=torch.from_numpy(self.pad(self.features, ids, size)),
            num_edges=torch.from_numpy(degrees[..., 0].sum(1) / 2),
            num_outer=torch.from_numpy(degrees[..., 1].sum(1)),
        )


def _starts(counts: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
