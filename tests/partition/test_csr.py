import numpy as np

from sbgd.graph import Graph
from sbgd.partition.csr import Adjacency


def test_neighbours_of_a_path() -> None:
    path = Adjacency.of(Graph.from_edges([(0, 1), (1, 2)], 4))
    assert path.starts.tolist() == [0, 1, 3, 4, 4]
    assert path.neighbours.tolist() == [1, 0, 2, 1]
    assert path.sources.tolist() == [0, 1, 1, 2]


def test_within_keeps_only_edges_of_equal_label() -> None:
    cycle = Adjacency.of(Graph.from_edges([(0, 1), (1, 2), (2, 3), (0, 3)], 4))
    cut = cycle.within(np.array([0, 0, 1, 1]))
    assert cut.starts.tolist() == [0, 1, 2, 3, 4]
    assert cut.neighbours.tolist() == [1, 0, 3, 2]
    assert len(np.unique(cut.components())) == 2


def test_subgraphs_equal_what_each_label_induces(graph: Graph) -> None:
    labels = np.random.default_rng(0).integers(-1, 4, graph.num_nodes)
    adjacency = Adjacency.of(graph)
    matrix = graph.to_scipy()
    seen = []
    for nodes, inside in adjacency.subgraphs(labels):
        seen.append(labels[nodes[0]])
        assert np.array_equal(nodes, np.flatnonzero(labels == seen[-1]))
        expected = matrix[nodes][:, nodes]
        assert np.array_equal(inside.starts, expected.indptr)
        assert np.array_equal(inside.neighbours, expected.indices)
    assert seen == sorted(set(labels[labels >= 0].tolist()))


def test_breadth_first_order_visits_nearest_first() -> None:
    path = Adjacency.of(Graph.from_edges([(0, 1), (1, 2), (2, 3)], 5))
    assert path.breadth_first_order(2).tolist()[0] == 2
    assert path.breadth_first_order(0).tolist() == [0, 1, 2, 3]
