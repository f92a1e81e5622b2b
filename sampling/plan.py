"""What will be generated: the blocks and pairs of all graphs, before any network runs.

The plan is as large as the output is in blocks, not in edges; every block and every pair carries the number of its
noise stream, which depends on the graph and the block alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sbgd.data.blocks import BlockTable
from sbgd.partition import Quotient

Ints = NDArray[np.int64]
_BLOCK_BITS = 21


@dataclass(frozen=True, eq=False)
class GenerationPlan:
    """Blocks and pairs of all graphs that are to be generated.

    Attributes:
        blocks: Sizes and degree lists; without edges.
        pairs: int64 (p, 2) block numbers i < j, never across graphs.
        counts: int64 (p,) edges e_ij.
        block_ids: int64 (k,) noise stream of each block.
        pair_ids: int64 (p,) noise stream of each pair.
        graph_blocks: int64 (g+1,): graph number q holds the blocks graph_blocks[q] .. graph_blocks[q+1].
        graph_pairs: int64 (g+1,): the same for pairs.
    """

    blocks: BlockTable
    pairs: Ints
    counts: Ints
    block_ids: Ints
    pair_ids: Ints
    graph_blocks: Ints
    graph_pairs: Ints

    @classmethod
    def of(cls, quotients: Sequence[Quotient], *, first_graph: int = 0) -> GenerationPlan:
        """Lays out the quotients of graphs number `first_graph`, `first_graph` + 1, ..."""
        graph_blocks = _starts([quotient.num_blocks for quotient in quotients])
        graph_pairs = _starts([quotient.num_pairs for quotient in quotients])
        graph = np.arange(len(quotients)) + first_graph
        local_pairs = np.concatenate([quotient.pairs for quotient in quotients])
        owner = np.repeat(np.arange(len(quotients)), np.diff(graph_pairs))
        local_blocks = np.concatenate([np.arange(quotient.num_blocks) for quotient in quotients])
        sizes = np.concatenate([quotient.num_nodes for quotient in quotients])
        blocks = BlockTable(
            offsets=_starts(sizes.tolist()),
            inner_edges=np.zeros((0, 2), np.int64),
            inner_offsets=np.zeros(len(sizes) + 1, np.int64),
            degrees=np.concatenate([np.stack([q.inner_degree, q.outer_degree], axis=1) for q in quotients]),
            features=np.zeros((int(sizes.sum()), 0), np.float32),
        )
        return cls(
            blocks=blocks,
            pairs=local_pairs + graph_blocks[owner][:, None],
            counts=np.concatenate([quotient.pair_edges for quotient in quotients]),
            block_ids=(np.repeat(graph, np.diff(graph_blocks)) << _BLOCK_BITS) + local_blocks,
            pair_ids=(graph[owner] << (2 * _BLOCK_BITS)) + (local_pairs[:, 0] << _BLOCK_BITS) + local_pairs[:, 1],
            graph_blocks=graph_blocks,
            graph_pairs=graph_pairs,
        )

    @property
    def num_graphs(self) -> int:
        """Number of graphs g."""
        return len(self.graph_blocks) - 1


def _starts(counts: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(np.asarray(counts, np.int64))]).astype(np.int64)
