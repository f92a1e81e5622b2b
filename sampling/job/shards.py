"""Shards: which blocks a file holds, and its rows.

A shard is a range of blocks a .. b: the edges u < v whose u lies in one of them, sorted by (u, v). Nodes are in block
order and pairs of blocks are sorted, so the inner edges and the pairs of a shard are ranges too, and the shards one
after the other are the sorted edges of the whole graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sbgd.data.blocks import BlockTable, Ints
from sbgd.formats.shard_tables import edge_table, node_table
from sbgd.sampling.plan import GenerationPlan

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


def cut_shards(plan: GenerationPlan, edges_per_shard: int) -> Ints:
    """Returns where shards start, int64 (s+1,) block numbers, each of at most so many edges or of one block."""
    starting = plan.blocks.degrees[:, 0] / 2
    planned = np.add.reduceat(starting, plan.blocks.offsets[:-1])
    planned += np.bincount(plan.pairs[:, 0], plan.counts, plan.blocks.num_blocks)
    total = np.concatenate([[0], np.cumsum(planned)])
    starts = [0]
    while starts[-1] < plan.blocks.num_blocks:
        last = int(np.searchsorted(total, total[starts[-1]] + edges_per_shard, side="right")) - 1
        starts.append(max(last, starts[-1] + 1))
    return np.array(starts, np.int64)


@dataclass(frozen=True)
class GeneratedEdges:
    """All edges of a plan, local to their blocks.

    Attributes:
        plan: What was to be generated.
        blocks: The generated blocks; their features are not read.
        pair_edges: (M, 2) edges between blocks, grouped by pair.
        pair_offsets: int64 (p+1,) where the edges of every pair start.
    """

    plan: GenerationPlan
    blocks: BlockTable
    pair_edges: Ints
    pair_offsets: Ints

    def num_edges(self) -> list[int]:
        """Returns the number of edges of every graph."""
        inner = np.diff(self.blocks.inner_offsets[self.plan.graph_blocks])
        outer = np.diff(self.pair_offsets[self.plan.graph_pairs])
        return [int(count) for count in inner + outer]

    def table(self, first: int, last: int) -> pa.Table:
        """Returns the edges of the blocks first .. last, sorted, with node numbers within their graph."""
        edges = self._positions(first, last)
        num_nodes = int(self.blocks.offsets[-1])
        keys = np.sort(edges.min(axis=1, initial=num_nodes) * num_nodes + edges.max(axis=1, initial=-1))
        edges = np.stack(np.divmod(keys, num_nodes), axis=1)
        starts = self.blocks.offsets[self.plan.graph_blocks]
        graph = np.searchsorted(starts, edges[:, 0], side="right") - 1
        return edge_table(graph, edges - starts[graph][:, None])

    def _positions(self, first: int, last: int) -> Ints:
        """Returns the edges of the blocks first .. last as numbers of nodes in the plan, unsorted."""
        offsets, inner_offsets = self.blocks.offsets, self.blocks.inner_offsets
        inner = self.blocks.inner_edges[inner_offsets[first] : inner_offsets[last]]
        block = np.repeat(offsets[first:last], np.diff(inner_offsets[first : last + 1]))
        low, high = np.searchsorted(self.plan.pairs[:, 0], [first, last])
        outer = self.pair_edges[self.pair_offsets[low] : self.pair_offsets[high]]
        ends = np.repeat(offsets[self.plan.pairs[low:high]], np.diff(self.pair_offsets[low : high + 1]), axis=0)
        return np.concatenate([inner + block[:, None], outer + ends])

    def node_table(self, first: int, last: int, features: NDArray[np.float64]) -> pa.Table:
        """Returns the nodes of the blocks first .. last with their features (n, f)."""
        starts = self.blocks.offsets[self.plan.graph_blocks]
        nodes = np.arange(self.blocks.offsets[first], self.blocks.offsets[last])
        graph = np.searchsorted(starts, nodes, side="right") - 1
        return node_table(graph, nodes - starts[graph], features)
