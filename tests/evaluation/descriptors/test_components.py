import networkx as nx
import pytest

from sbgd.evaluation.descriptors.components import ComponentStatistics
from sbgd.graph import Graph


def test_statistics_of_small_shapes(shapes):
    pieces = Graph.from_edges([(0, 1), (1, 2), (4, 5)], 8)
    vectors = ComponentStatistics()([shapes["nothing"], shapes["point"], shapes["two_points"], shapes["k4"], pieces])
    assert vectors.tolist() == [
        [1, 0, 0, 0],
        [0, 1, 1, 1],
        [0, 2, 0.5, 1],
        [0, 1, 1, 0],
        [0, 5, 0.375, 0.375],
    ]


def test_statistics_equal_networkx(hub_graph, random_graphs):
    for graph, (_, number, largest, isolated) in zip(
        [hub_graph, *random_graphs], ComponentStatistics()([hub_graph, *random_graphs]), strict=True
    ):
        sizes = [len(nodes) for nodes in nx.connected_components(graph.to_networkx())]
        assert number == len(sizes)
        assert largest == pytest.approx(max(sizes) / graph.num_nodes)
        assert isolated == pytest.approx(sizes.count(1) / graph.num_nodes)
