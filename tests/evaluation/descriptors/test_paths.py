import networkx as nx
import numpy as np
import pytest

from sbgd.evaluation.descriptors import paths
from sbgd.evaluation.descriptors.descriptor import BudgetError
from sbgd.evaluation.descriptors.paths import ShortestPathHistogram
from sbgd.graph import Graph


def expected(graph):
    lengths = dict(nx.all_pairs_shortest_path_length(graph.to_networkx()))
    finite = [length for reached in lengths.values() for length in reached.values() if length]
    num_pairs = graph.num_nodes * (graph.num_nodes - 1)
    counts = np.bincount(finite, minlength=1)
    counts[0] = num_pairs - len(finite)
    return counts / num_pairs


def test_shares_of_small_shapes(shapes):
    names = ("path", "star", "k4", "two_points", "point", "nothing")
    vectors = ShortestPathHistogram()([shapes[name] for name in names])
    assert vectors * 12 == pytest.approx(
        np.array(
            [
                [0, 0, 6, 4, 2],
                [0, 0, 6, 6, 0],
                [0, 0, 12, 0, 0],
                [0, 12, 0, 0, 0],
                [12, 0, 0, 0, 0],
                [12, 0, 0, 0, 0],
            ]
        )
    )


def test_shares_equal_networkx_in_one_search_over_graphs_of_all_sizes(random_graphs, hub_graph):
    graphs = [*random_graphs, hub_graph, Graph.from_edges([(i, i + 1) for i in range(129)], 130)]
    for graph, vector in zip(graphs, ShortestPathHistogram()(graphs), strict=True):
        shares = expected(graph)
        assert vector[1 : 1 + len(shares)] == pytest.approx(shares, abs=1e-12)
        assert not vector[1 + len(shares) :].any()


def test_blocks_of_sources_add_up(hub_graph, random_graphs, monkeypatch):
    together = ShortestPathHistogram()([hub_graph, *random_graphs])
    monkeypatch.setattr(paths, "_HELD", 1)
    assert np.array_equal(together, ShortestPathHistogram()([hub_graph, *random_graphs]))


def test_a_large_graph_is_refused(shapes):
    with pytest.raises(BudgetError, match="limited to 3 nodes, got 4"):
        ShortestPathHistogram(max_nodes=3)([shapes["k4"]])
