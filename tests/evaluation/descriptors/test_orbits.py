from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from sbgd.evaluation.descriptors import BudgetError, OrbitCounts, orbit_counts
from sbgd.graph import Graph

# Graphlets with the orbit of each node, in the numbering of Przulj (2007).
GRAPHLETS = [
    (2, [(0, 1)], [0, 0]),
    (3, [(0, 1), (1, 2)], [1, 2, 1]),
    (3, [(0, 1), (1, 2), (0, 2)], [3, 3, 3]),
    (4, [(0, 1), (1, 2), (2, 3)], [4, 5, 5, 4]),
    (4, [(0, 1), (0, 2), (0, 3)], [7, 6, 6, 6]),
    (4, [(0, 1), (1, 2), (2, 3), (3, 0)], [8, 8, 8, 8]),
    (4, [(0, 1), (1, 2), (0, 2), (0, 3)], [11, 10, 10, 9]),
    (4, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)], [13, 12, 13, 12]),
    (4, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], [14, 14, 14, 14]),
]


def counted_one_by_one(graph: Graph) -> np.ndarray:
    whole = graph.to_networkx()
    counts = np.zeros((graph.num_nodes, 15), dtype=np.int64)
    for size, edges, orbits in GRAPHLETS:
        graphlet = nx.Graph(edges)
        for nodes in combinations(range(graph.num_nodes), size):
            matcher = nx.isomorphism.GraphMatcher(whole.subgraph(nodes), graphlet)
            for node, place in next(matcher.isomorphisms_iter(), {}).items():
                counts[node, orbits[place]] += 1
    return counts


def test_orbits_equal_brute_force(random_graphs):
    for graph in random_graphs:
        assert np.array_equal(orbit_counts(graph), counted_one_by_one(graph))


def counted_over_all_quadruples(graph: Graph) -> np.ndarray:
    """Counts 4-node orbits by looking at every choice of four nodes; the orbit follows from degrees in the subgraph."""
    A = graph.to_scipy().toarray().astype(np.int8)
    nodes = np.array(list(combinations(range(graph.num_nodes), 4))).reshape(-1, 4)
    inner = A[nodes[:, :, None], nodes[:, None, :]]
    degrees = inner.sum(axis=2)
    sequence = np.sort(degrees, axis=1)
    reach = np.linalg.matrix_power(inner.astype(np.int64) + np.eye(4, dtype=np.int64), 3)
    connected = (reach > 0).all(axis=(1, 2))
    # sorted degrees of the connected graphs of four nodes, with the orbit of a node of each degree
    shapes = {
        (1, 1, 2, 2): {1: 4, 2: 5},
        (1, 1, 1, 3): {1: 6, 3: 7},
        (2, 2, 2, 2): {2: 8},
        (1, 2, 2, 3): {1: 9, 2: 10, 3: 11},
        (2, 2, 3, 3): {2: 12, 3: 13},
        (3, 3, 3, 3): {3: 14},
    }
    counts = np.zeros((graph.num_nodes, 15), dtype=np.int64)
    for shape, orbits in shapes.items():
        found = connected & (sequence == shape).all(axis=1)
        for degree, orbit in orbits.items():
            counts[:, orbit] += np.bincount(nodes[found][degrees[found] == degree], minlength=graph.num_nodes)
    return counts


def test_all_atlas_graphs_up_to_six_nodes_equal_brute_force():
    graphs = [Graph.from_networkx(graph) for graph in nx.graph_atlas_g() if len(graph) <= 6]
    # the atlas counts the graph without nodes, and 208 others
    assert len(graphs) == 209
    for graph in graphs:
        assert np.array_equal(orbit_counts(graph), counted_one_by_one(graph))


@pytest.mark.slow
def test_all_atlas_graphs_of_seven_nodes_equal_brute_force():
    for graph in (Graph.from_networkx(graph) for graph in nx.graph_atlas_g() if len(graph) == 7):
        assert np.array_equal(orbit_counts(graph), counted_one_by_one(graph))


@pytest.mark.parametrize("density", [0.05, 0.2, 0.5, 0.9])
def test_large_random_graphs_equal_an_independent_count(density):
    graph = Graph.from_networkx(nx.gnp_random_graph(60, density, seed=1))
    found = orbit_counts(graph)
    assert np.array_equal(found[:, 4:], counted_over_all_quadruples(graph)[:, 4:])
    triangles = nx.triangles(graph.to_networkx())
    assert found[:, 3].tolist() == [triangles[node] for node in range(60)]
    assert np.array_equal(found[:, 2] + found[:, 3], graph.degrees * (graph.degrees - 1) // 2)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("triangle", {0: 2, 3: 1}),
        ("square", {0: 2, 1: 2, 2: 1, 8: 1}),
        ("star", {0: 1.5, 1: 1.5, 2: 0.75, 6: 0.75, 7: 0.25}),
        ("k4", {0: 3, 3: 3, 14: 1}),
        ("path", {0: 1.5, 1: 1, 2: 0.5, 4: 0.5, 5: 0.5}),
        ("point", {}),
        ("nothing", {}),
    ],
)
def test_mean_orbits_of_small_shapes(shapes, shape, expected):
    (vector,) = OrbitCounts()([shapes[shape]])
    assert {index: value for index, value in enumerate(vector.tolist()) if value} == expected


def test_a_batch_is_counted_as_its_graphs(random_graphs, shapes):
    graphs = [random_graphs[0], shapes["nothing"], *random_graphs[1:], shapes["two_points"]]
    one_by_one = np.concatenate([OrbitCounts()([graph]) for graph in graphs])
    assert np.array_equal(OrbitCounts()(graphs), one_by_one)


def test_orbits_are_equivariant(hub_graph):
    order = np.random.default_rng(2).permutation(hub_graph.num_nodes)
    moved = Graph.from_edges(order[hub_graph.edges], hub_graph.num_nodes)
    assert np.array_equal(orbit_counts(moved)[order], orbit_counts(hub_graph))


def test_a_large_clique_is_refused_before_it_is_counted():
    clique = Graph.from_edges(np.stack(np.triu_indices(600, 1), axis=1), 600)
    with pytest.raises(BudgetError, match="4-cliques"):
        OrbitCounts()([clique])


def test_a_block_sized_clique_is_counted():
    clique = Graph.from_edges(np.stack(np.triu_indices(65, 1), axis=1), 65)
    assert OrbitCounts()([clique])[0, 14] == 64 * 63 * 62 // 6


def test_a_large_star_is_counted_by_its_wedges_or_refused():
    star = Graph.from_edges([(0, leaf) for leaf in range(1, 1001)], 1001)
    assert orbit_counts(star)[0, 7] == 1000 * 999 * 998 // 6
    with pytest.raises(BudgetError, match="wedges"):
        orbit_counts(star, max_work=1_000_000)
