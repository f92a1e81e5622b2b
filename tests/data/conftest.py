"""Two partitioned graphs as one training set, and their dense adjacency for brute force."""

from dataclasses import dataclass

import networkx as nx
import numpy as np
import pytest
from numpy.typing import NDArray

from sbgd.data.datamodule import training_set
from sbgd.data.scaler import FeatureScaler
from sbgd.data.stream import TrainingSet
from sbgd.graph import Graph
from sbgd.partition import BlockGraph, Partition


@dataclass(frozen=True)
class Cut:
    """Partitioned graphs, their training set, and the dense adjacency of all nodes in the order of the blocks."""

    graphs: list[BlockGraph]
    data: TrainingSet
    adjacency: NDArray[np.int64]

    @property
    def block_of(self) -> NDArray[np.int64]:
        """The block of every node."""
        return np.repeat(np.arange(self.data.blocks.num_blocks), self.data.blocks.sizes)

    def nodes(self, block: int) -> slice:
        """The nodes of a block."""
        return slice(*self.data.blocks.offsets[block : block + 2])


def _split(num_nodes: int, num_blocks: int, density: float, seed: int) -> BlockGraph:
    rng = np.random.default_rng(seed)
    random = nx.gnp_random_graph(num_nodes, density, seed=seed)
    features = rng.normal(3, 2, (num_nodes, 2))
    graph = Graph.from_edges(list(random.edges), num_nodes, features=features)
    labels = np.concatenate([np.arange(num_blocks), rng.integers(0, num_blocks, num_nodes - num_blocks)])
    return BlockGraph.split(graph, Partition.from_assignment(labels))


@pytest.fixture(scope="session")
def cut() -> Cut:
    graphs = [_split(40, 9, 0.09, 0), _split(25, 5, 0.1, 1)]
    scaler = FeatureScaler.fit([graph.features for graph in graphs])
    parts = []
    for graph in graphs:
        order = graph.node_order
        parts.append(graph.assemble().to_scipy().toarray()[order][:, order].astype(np.int64))
    total = sum(len(part) for part in parts)
    adjacency = np.zeros((total, total), np.int64)
    adjacency[:40, :40], adjacency[40:, 40:] = parts
    return Cut(graphs, training_set(graphs, scaler), adjacency)
