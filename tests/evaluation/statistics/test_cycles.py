from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from sbgd.evaluation import triangles
from sbgd.evaluation.statistics.cycles import four_clique_count, square_count, squares_by_top
from sbgd.evaluation.triangles import degree_ordered
from sbgd.graph import Graph


def squares_by_pairs(graph):
    """Every 4-cycle has two pairs of opposite corners, each with two of the common neighbours between them."""
    A = graph.to_scipy().toarray()
    common = np.triu(A @ A, 1)
    return (common * (common - 1) / 2).sum() / 2


def complete(num_nodes):
    return Graph.from_edges(np.stack(np.triu_indices(num_nodes, 1), axis=1), num_nodes)


def test_squares_of_known_graphs(shapes):
    assert square_count(shapes["square"]).value == 1
    assert square_count(complete(7)).value == 3 * 35
    bipartite = Graph.from_edges([(u, 3 + v) for u in range(3) for v in range(4)], 7)
    assert square_count(bipartite).value == 3 * 6
    assert square_count(shapes["star"]).value == 0


def test_squares_equal_opposite_pairs(hub_graph, random_graphs):
    for graph in [hub_graph, *random_graphs]:
        assert square_count(graph).value == squares_by_pairs(graph)


def test_row_chunks_do_not_change_squares(hub_graph, monkeypatch):
    whole = squares_by_top(hub_graph, degree_ordered(hub_graph))
    monkeypatch.setattr(triangles, "_CHUNK_WORK", 50)
    assert np.array_equal(squares_by_top(hub_graph, degree_ordered(hub_graph)), whole)


def test_sampled_squares_are_unbiased_and_within_their_error(hub_graph):
    exact = square_count(hub_graph).value
    draws = [square_count(hub_graph, max_work=100, generator=np.random.default_rng(seed)) for seed in range(40)]
    values, errors = np.array([d.value for d in draws]), np.array([d.spread for d in draws])
    assert abs(values.mean() - exact) < 5 * values.std(ddof=1) / np.sqrt(40)
    # the mean of 40 variances, each of 256 draws, lies well within a factor of two of the true one
    assert 0.5 < values.std(ddof=1) / np.sqrt((errors**2).mean()) < 2


def test_four_cliques_equal_all_quadruples(random_graphs, shapes):
    for graph in [*random_graphs, *shapes.values()]:
        other = graph.to_networkx()
        expected = sum(
            all(other.has_edge(u, v) for u, v in combinations(four, 2))
            for four in combinations(range(graph.num_nodes), 4)
        )
        assert four_clique_count(graph).value == expected


def test_four_cliques_equal_networkx_and_are_refused_over_the_limit(hub_graph):
    cliques = nx.enumerate_all_cliques(hub_graph.to_networkx())
    assert four_clique_count(hub_graph).value == sum(len(clique) == 4 for clique in cliques)
    assert four_clique_count(hub_graph, max_work=10).reason == "counting 4-cliques would take over 1e+01 steps"


def test_squares_of_a_large_grid_are_its_faces():
    side = 60
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(side, side))
    assert square_count(Graph.from_networkx(grid)).value == pytest.approx((side - 1) ** 2)
