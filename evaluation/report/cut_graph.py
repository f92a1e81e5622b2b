"""A graph with the block of every node, and hues that tell neighbouring blocks apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from sbgd.evaluation.baselines.block_counts import BlockCounts
from sbgd.evaluation.report.palette import NUM_HUES
from sbgd.graph import Graph

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CutGraph:
    """A graph of N nodes cut into k blocks.

    Attributes:
        graph: The graph.
        blocks: Block of every node, int64 (N,) from 0; none is empty.
    """

    graph: Graph
    blocks: Ints

    @cached_property
    def counts(self) -> BlockCounts:
        """Nodes and edges of blocks and of pairs of blocks."""
        return BlockCounts.from_assignment(self.graph, self.blocks)

    @property
    def num_blocks(self) -> int:
        """Number of blocks k."""
        return len(self.counts.sizes)

    @cached_property
    def links(self) -> sparse.csr_array:
        """Edges between blocks as a symmetric matrix of e_ij, (k, k)."""
        i, j = self.counts.pairs.T
        rows, columns = np.concatenate([i, j]), np.concatenate([j, i])
        values = np.tile(self.counts.between, 2).astype(np.float64)
        return sparse.csr_array((values, (rows, columns)), shape=(self.num_blocks, self.num_blocks))

    @cached_property
    def hues(self) -> Ints:
        """Hue of every block, int64 (k,): the least used around it, blocks with most neighbours first."""
        links, hues = self.links, np.full(self.num_blocks, -1, dtype=np.int64)
        total = np.zeros(NUM_HUES)
        for block in np.argsort(-np.diff(links.indptr), kind="stable").tolist():
            row = slice(links.indptr[block], links.indptr[block + 1])
            near, weights = hues[links.indices[row]], links.data[row]
            around = np.bincount(near[near >= 0], weights[near >= 0], NUM_HUES)
            # least edges to blocks of the hue, then the hue that is rarest so far, then the first
            hues[block] = int(np.lexsort((total, around))[0])
            total[hues[block]] += 1
        return hues

    @cached_property
    def node_order(self) -> Ints:
        """Nodes block after block, int64 (N,), joined blocks near each other (reverse Cuthill-McKee order)."""
        if not self.num_blocks:
            return np.zeros(0, dtype=np.int64)
        place = np.empty(self.num_blocks, dtype=np.int64)
        place[csgraph.reverse_cuthill_mckee(self.links, symmetric_mode=True)] = np.arange(self.num_blocks)
        return np.argsort(place[self.blocks], kind="stable").astype(np.int64)
