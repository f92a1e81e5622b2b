import networkx as nx
import numpy as np
import pytest

from sbgd.evaluation.isomorphism import Budget, Coloured, UndecidedError, isomorphic
from sbgd.graph import Graph


def moved(graph, seed):
    order = np.random.default_rng(seed).permutation(graph.num_nodes)
    return Graph.from_edges(order[graph.edges], graph.num_nodes)


def same(left, right, work=10_000_000):
    return isomorphic(Coloured.from_graph(left), Coloured.from_graph(right), Budget(work))


SYMMETRIC = {
    "cycle": nx.cycle_graph(12),
    "petersen": nx.petersen_graph(),
    "star": nx.star_graph(20),
    "edgeless": nx.empty_graph(30),
    "matching": nx.disjoint_union_all([nx.path_graph(2)] * 6),
    "path": nx.path_graph(300),
    "grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 5)),
    "complete": nx.complete_graph(10),
}


@pytest.mark.parametrize("name", list(SYMMETRIC))
def test_a_permuted_graph_is_recognised(name):
    graph = Graph.from_networkx(SYMMETRIC[name])
    assert same(graph, moved(graph, seed=1))


def test_random_pairs_agree_with_networkx():
    generator = np.random.default_rng(0)
    graphs = [Graph.from_edges(np.argwhere(np.triu(generator.random((5, 5)) < 0.5, 1)), 5) for _ in range(30)]
    for left in graphs:
        for right in graphs:
            assert same(left, right) == nx.is_isomorphic(left.to_networkx(), right.to_networkx())


def test_graphs_that_colour_refinement_cannot_tell_apart_are_told_apart():
    hexagon = Graph.from_networkx(nx.cycle_graph(6))
    triangles = Graph.from_edges([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)], 6)
    assert Coloured.from_graph(hexagon).fingerprint == Coloured.from_graph(triangles).fingerprint
    assert not same(hexagon, triangles)


def rook_and_shrikhande():
    cells = [(i, j) for i in range(4) for j in range(4)]
    steps = [(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)]
    shrikhande = [(a, b) for a, p in enumerate(cells) for b, q in enumerate(cells) if difference(p, q) in steps]
    rook = [(a, b) for a, p in enumerate(cells) for b, q in enumerate(cells) if (p[0] == q[0]) != (p[1] == q[1])]
    return Graph.from_edges(rook, 16), Graph.from_edges(shrikhande, 16)


def difference(p, q):
    return (p[0] - q[0]) % 4, (p[1] - q[1]) % 4


def test_strongly_regular_graphs_are_told_apart():
    rook, shrikhande = rook_and_shrikhande()
    assert not same(rook, shrikhande)
    assert same(shrikhande, moved(shrikhande, seed=2))


def test_the_bound_ends_the_search():
    rook, shrikhande = rook_and_shrikhande()
    with pytest.raises(UndecidedError):
        same(rook, shrikhande, work=5000)


def test_the_bound_counts_nodes_and_edges(hub_graph):
    budget = Budget()
    before = budget.work
    isomorphic(Coloured.from_graph(hub_graph), Coloured.from_graph(moved(hub_graph, seed=3)), budget)
    assert before - budget.work >= hub_graph.num_nodes + hub_graph.num_edges
