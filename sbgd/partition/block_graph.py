"""A whole graph stored as blocks and pairs: the form that training reads and sampling writes.

With P a partition into k blocks, A = {C_i : i} + {A_ij : i < j}, where C_i is the subgraph induced by block i and A_ij
the edges between blocks i and j. `BlockGraph.split` and `BlockGraph.assemble` are inverse to each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.graph import Graph, Ids
from sbgd.partition.partition import Partition
from sbgd.partition.quotient import Quotient

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class BlockGraph:
    """A graph in block order: nodes sorted by block, edges by block or pair, node indices local to their block.

    Attributes:
        node_order: int64 (N,): the original index of every node, in block order.
        offsets: int64 (k+1,): block i holds the nodes offsets[i] .. offsets[i+1] of the block order.
        inner_edges: int64 (M_in, 2): edges u < v inside blocks, sorted by block, then (u, v).
        inner_offsets: int64 (k+1,): where the edges of every block start.
        pairs: int64 (p, 2): the pairs i < j of blocks with an edge between them, sorted.
        pair_edges: int64 (M_out, 2): edges (u in block i, v in block j), sorted by pair, then (u, v).
        pair_offsets: int64 (p+1,): where the edges of every pair start.
        features: Optional float64 (N, F), in block order.
        labels: Optional int64 (N,), in block order.
        node_ids: Optional (N,), in block order.
    """

    node_order: Ints
    offsets: Ints
    inner_edges: Ints
    inner_offsets: Ints
    pairs: Ints
    pair_edges: Ints
    pair_offsets: Ints
    features: NDArray[np.float64] | None = None
    labels: Ints | None = None
    node_ids: Ids | None = None

    @classmethod
    def split(cls, graph: Graph, partition: Partition) -> BlockGraph:
        """Cuts a graph along a partition, keeping every edge.

        Raises:
            InputError: The partition is not one of this graph's nodes.
        """
        if partition.num_nodes != graph.num_nodes:
            raise InputError(
                f"expected a partition of {graph.num_nodes} nodes, got one of {partition.num_nodes}; "
                "partition this very graph"
            )
        block, k = partition.assignment, partition.num_blocks
        order = np.argsort(block, kind="stable")
        position = np.empty_like(order)
        position[order] = np.arange(len(order))
        # The sort is stable: inside a block u < v stays u < v, and between blocks the smaller block comes first.
        ends = _canonical(position[graph.edges], graph.num_nodes)
        owners = block[order][ends]
        offsets = _starts(partition.sizes)
        local = ends - offsets[owners]
        inside = owners[:, 0] == owners[:, 1]
        pairs, pair_edges, pair_offsets = _group_by_pair(owners[~inside], local[~inside], k)
        return cls(
            node_order=order,
            offsets=offsets,
            inner_edges=local[inside],
            inner_offsets=_starts(np.bincount(owners[inside, 0], minlength=k)),
            pairs=pairs,
            pair_edges=pair_edges,
            pair_offsets=pair_offsets,
            features=None if graph.features is None else graph.features[order],
            labels=None if graph.labels is None else graph.labels[order],
            node_ids=None if graph.node_ids is None else graph.node_ids[order],
        )

    def assemble(self) -> Graph:
        """Returns the graph that was split, nodes in their original order."""
        position = np.empty_like(self.node_order)
        position[self.node_order] = np.arange(self.num_nodes)
        return Graph(
            self.num_nodes,
            _canonical(self.node_order[self._positions()], self.num_nodes),
            None if self.features is None else self.features[position],
            None if self.labels is None else self.labels[position],
            None if self.node_ids is None else self.node_ids[position],
        )

    @property
    def num_nodes(self) -> int:
        """Number of nodes N."""
        return len(self.node_order)

    @property
    def num_edges(self) -> int:
        """Number of edges M, inside and between blocks."""
        return len(self.inner_edges) + len(self.pair_edges)

    @property
    def num_blocks(self) -> int:
        """Number of blocks k."""
        return len(self.offsets) - 1

    @property
    def num_pairs(self) -> int:
        """Number p of pairs of blocks with an edge between them."""
        return len(self.pairs)

    def block(self, index: int) -> Graph:
        """Returns the subgraph induced by a block, with the attributes of its nodes."""
        nodes = slice(self.offsets[index], self.offsets[index + 1])
        edges = slice(self.inner_offsets[index], self.inner_offsets[index + 1])
        return Graph(
            int(nodes.stop - nodes.start),
            self.inner_edges[edges],
            None if self.features is None else self.features[nodes],
            None if self.labels is None else self.labels[nodes],
            None if self.node_ids is None else self.node_ids[nodes],
        )

    def pair(self, index: int) -> Ints:
        """Returns the edges (e_ij, 2) of a pair as (node of block i, node of block j), both local."""
        return self.pair_edges[self.pair_offsets[index] : self.pair_offsets[index + 1]]

    def partition(self) -> Partition:
        """Returns the partition that the graph was split along."""
        assignment = np.empty_like(self.node_order)
        assignment[self.node_order] = np.repeat(np.arange(self.num_blocks), np.diff(self.offsets))
        return Partition(assignment)

    def quotient(self) -> Quotient:
        """Returns the graph of blocks: sizes, edge counts and the degrees of the nodes in block order."""
        inner, outer = np.split(self._positions(), [len(self.inner_edges)])
        return Quotient(
            num_nodes=np.diff(self.offsets),
            num_edges=np.diff(self.inner_offsets),
            pairs=self.pairs,
            pair_edges=np.diff(self.pair_offsets),
            inner_degree=_counts(inner.ravel(), self.num_nodes),
            outer_degree=_counts(outer.ravel(), self.num_nodes),
        )

    def _positions(self) -> Ints:
        return _shift(
            self.offsets, self.inner_edges, self.inner_offsets, self.pairs, self.pair_edges, self.pair_offsets
        )


def assemble_blocks(
    offsets: Ints, inner_edges: Ints, inner_offsets: Ints, pairs: Ints, pair_edges: Ints, pair_offsets: Ints
) -> Ints:
    """Joins blocks and pairs into the edges of one graph whose nodes are in block order.

    Args:
        offsets: (k+1,) where every block starts.
        inner_edges: (M_in, 2) edges inside blocks, local indices, grouped by block.
        inner_offsets: (k+1,) where the edges of every block start.
        pairs: (p, 2) pairs of blocks i < j.
        pair_edges: (M_out, 2) edges between blocks, local indices, grouped by pair.
        pair_offsets: (p+1,) where the edges of every pair start.

    Returns:
        int64 (M, 2) edges u < v of nodes 0 .. offsets[-1]-1, sorted: what `Graph` holds.
    """
    edges = _shift(offsets, inner_edges, inner_offsets, pairs, pair_edges, pair_offsets)
    return _canonical(edges, int(offsets[-1]))


def _shift(
    offsets: Ints, inner_edges: Ints, inner_offsets: Ints, pairs: Ints, pair_edges: Ints, pair_offsets: Ints
) -> Ints:
    """Turns local indices into positions in the block order, inner edges first."""
    inner = inner_edges + np.repeat(offsets[:-1], np.diff(inner_offsets))[:, None]
    outer = pair_edges + np.repeat(offsets[pairs], np.diff(pair_offsets), axis=0)
    return np.concatenate([inner, outer])


def _canonical(edges: Ints, num_nodes: int) -> Ints:
    """Orients every edge as u < v and sorts by (u, v); one integer key an edge sorts faster than two columns."""
    keys = np.sort(edges.min(axis=1, initial=num_nodes) * num_nodes + edges.max(axis=1, initial=-1))
    return np.stack(np.divmod(keys, max(num_nodes, 1)), axis=1)


def _group_by_pair(owners: Ints, local: Ints, num_blocks: int) -> tuple[Ints, Ints, Ints]:
    """Groups edges already sorted by (u, v) by their pair of blocks; returns pairs, edges and offsets."""
    keys = owners[:, 0] * num_blocks + owners[:, 1]
    order = np.argsort(keys, kind="stable")
    distinct, counts = np.unique(keys, return_counts=True)
    return np.stack(np.divmod(distinct, max(num_blocks, 1)), axis=1), local[order], _starts(counts)


def _starts(counts: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _counts(nodes: Ints, num_nodes: int) -> Ints:
    return np.bincount(nodes, minlength=num_nodes).astype(np.int64)
