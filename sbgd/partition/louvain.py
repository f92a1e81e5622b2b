"""Blocks by communities, for graphs that have them and for systems without METIS."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.graph import Graph
from sbgd.partition.csr import Adjacency
from sbgd.partition.partition import Partition, Partitioner
from sbgd.partition.refine import refine


@dataclass(frozen=True)
class LouvainPartitioner(Partitioner):
    """Greedy modularity communities, cut where they exceed the limit, then `refine`.

    Sizes follow the graph and vary far more than with METIS. The search is that of NetworkX, in Python: 6 s for 10,000
    nodes and 50,000 edges, where METIS takes 0.4 s.

    Attributes:
        max_block_size: Most nodes of a block.
        resolution: Weight of the null model; above 1 communities get smaller.
        connected: Whether every block must be connected.
        merge_below: Blocks with fewer nodes than this join a neighbour block that has room.

    References:
        Blondel, Guillaume, Lambiotte and Lefebvre, "Fast unfolding of communities in large networks", Journal of
        Statistical Mechanics P10008, 2008, arXiv:0803.0476.
    """

    max_block_size: int = 64
    resolution: float = 1.0
    connected: bool = True
    merge_below: int = 8

    def __post_init__(self) -> None:
        if self.max_block_size < 1:
            raise InputError(f"expected max_block_size of at least 1, got {self.max_block_size}")
        if self.merge_below < 0:
            raise InputError(f"expected merge_below of at least 0, got {self.merge_below}")
        if not 0 < self.resolution < np.inf:
            raise InputError(f"expected a positive resolution, got {self.resolution}")

    @property
    def size_limit(self) -> int:
        """The number of nodes that no block exceeds."""
        return self.max_block_size

    def __call__(self, graph: Graph, *, seed: int = 0) -> Partition:
        """Returns a partition into connected communities or parts of them."""
        labels = refine(
            Adjacency.of(graph),
            self._communities(graph, seed),
            size_limit=self.size_limit,
            connected=self.connected,
            merge_below=self.merge_below,
            seed=seed,
        )
        return Partition.from_assignment(labels)

    def _communities(self, graph: Graph, seed: int) -> NDArray[np.int64]:
        import networkx as nx

        bare = Graph(graph.num_nodes, graph.edges).to_networkx()
        communities = nx.community.louvain_communities(bare, resolution=self.resolution, seed=seed % 2**32)
        labels = np.zeros(graph.num_nodes, np.int64)
        for label, members in enumerate(communities):
            labels[list(members)] = label
        return labels
