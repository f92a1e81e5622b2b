from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest

from sbgd.evaluation.descriptors import BudgetError, orbit_counts
from sbgd.evaluation.descriptors.graphlets import GRAPHLETS, surjections
from sbgd.evaluation.descriptors.orbits5 import OrbitCounts5, orbit_counts_5
from sbgd.evaluation.graph_set import GraphSet
from sbgd.graph import Graph

# Sum over nodes v of v * (times v is in each orbit) in the first graph of `sbm:ref`, as ORCA counts them; the weights
# tell orbits apart that have equally many nodes in a graphlet.
WEIGHTED_COUNTS = [
    12180, 67849, 34474, 13813, 269798, 270028, 133398, 45728, 49799, 51542, 106414, 53734, 20723, 21142, 1978,
    838244, 842346, 414978, 395055, 786317, 390211, 394332, 122598, 31802, 273317, 140007, 285356, 146162, 144422,
    305088, 150529, 139110, 145582, 73698, 107334, 127203, 131922, 258258, 131075, 56109, 114625, 59047, 59092,
    58012, 14998, 54481, 56352, 55679, 113349, 26463, 17883, 103485, 52634, 105029, 10482, 7301, 4729, 15333, 5257,
    42362, 42841, 21592, 11384, 23050, 22928, 2993, 6121, 6052, 9683, 2426, 348, 578, 0,
]  # fmt: skip


def code(adjacency: np.ndarray) -> tuple[int, bytes]:
    return len(adjacency), adjacency.tobytes()


@pytest.fixture(scope="module")
def orbits_by_adjacency() -> dict[tuple[int, bytes], list[int]]:
    """The orbit of every node for each of the adjacencies of each graphlet."""
    return {
        code(graphlet.adjacency[np.ix_(order, order)]): [graphlet.orbits[node] for node in order]
        for graphlet in GRAPHLETS
        for order in permutations(range(graphlet.num_nodes))
    }


def counted_one_by_one(graph: Graph, orbits_by_adjacency: dict[tuple[int, bytes], list[int]]) -> np.ndarray:
    A = graph.to_scipy().toarray() > 0
    counts = np.zeros((graph.num_nodes, 73), dtype=np.int64)
    for size in range(2, 6):
        for nodes in map(list, combinations(range(graph.num_nodes), size)):
            orbits = orbits_by_adjacency.get(code(A[np.ix_(nodes, nodes)]))
            if orbits is not None:
                counts[nodes, orbits] += 1
    return counts


def connected_graphs(*sizes: int) -> list[nx.Graph]:
    return [graph for graph in nx.graph_atlas_g() if len(graph) in sizes and nx.is_connected(graph)]


def as_networkx(graphlet) -> nx.Graph:
    return nx.Graph(graphlet.edges)


def test_graphlets_are_the_connected_graphs_of_2_to_5_nodes():
    for graph in connected_graphs(2, 3, 4, 5):
        assert sum(nx.is_isomorphic(graph, as_networkx(graphlet)) for graphlet in GRAPHLETS) == 1
    assert len(GRAPHLETS) == len(connected_graphs(2, 3, 4, 5)) == 30


def test_nodes_share_an_orbit_if_an_automorphism_takes_one_to_the_other():
    for graphlet in GRAPHLETS:
        graph = as_networkx(graphlet)
        moves = list(nx.isomorphism.GraphMatcher(graph, graph).isomorphisms_iter())
        for node, orbit in enumerate(graphlet.orbits):
            images = {move[node] for move in moves}
            assert images == {other for other in range(graphlet.num_nodes) if graphlet.orbits[other] == orbit}


def test_orbits_are_numbered_without_gaps_by_graphlet():
    assert [orbit for graphlet in GRAPHLETS for orbit in sorted(set(graphlet.orbits))] == list(range(73))


def test_surjections_between_paths_and_cliques():
    surj = surjections()
    assert surj[0, 0] == 1
    assert surj[1, 0] == 1  # the path a - b - a
    assert surj[1, 1] == 1
    assert surj[2, 2] == 2  # the ends may swap
    assert surj[1, 3] == 2
    assert surj[23, 23] == 24
    assert surj[72, 72] == 24
    assert surj[22, 72] == 24
    assert surj[34, 3] == 10  # closed walks of 5 steps in a triangle
    assert surj[72, 15] == 0


def test_small_graphs_equal_brute_force(orbits_by_adjacency):
    for graph in map(Graph.from_networkx, connected_graphs(1, 2, 3, 4, 5, 6)):
        assert np.array_equal(orbit_counts_5(graph), counted_one_by_one(graph, orbits_by_adjacency))


@pytest.mark.slow
def test_all_graphs_of_7_nodes_equal_brute_force(orbits_by_adjacency):
    graphs = [Graph.from_networkx(graph) for graph in nx.graph_atlas_g()]
    expected = [counted_one_by_one(graph, orbits_by_adjacency) for graph in graphs]
    assert np.array_equal(orbit_counts_5(GraphSet(graphs)), np.concatenate(expected))


def test_random_graphs_equal_brute_force(random_graphs, orbits_by_adjacency):
    for graph in random_graphs:
        assert np.array_equal(orbit_counts_5(graph), counted_one_by_one(graph, orbits_by_adjacency))


@pytest.mark.parametrize("name", ["rgg_er", "sbm", "planar"])
def test_sums_over_nodes_are_those_of_orca(name, fixture_sets, reference_values):
    expected = reference_values["per_graph_descriptors"]["graphs"][f"{name}.ref[0]"]["orbit5_sum_over_nodes"]
    assert orbit_counts_5(fixture_sets[f"{name}:ref"][0]).sum(axis=0).tolist() == expected


def test_weighted_sums_over_nodes_are_those_of_orca(fixture_sets):
    counts = orbit_counts_5(fixture_sets["sbm:ref"][0])
    assert (np.arange(len(counts)) @ counts).tolist() == WEIGHTED_COUNTS


def test_first_orbits_are_those_of_4_nodes(hub_graph):
    assert np.array_equal(orbit_counts_5(hub_graph)[:, :15], orbit_counts(hub_graph))


def test_induced_subgraphs_of_5_nodes_add_up(hub_graph):
    """Every connected 5-node set is counted once in each of its nodes' orbits, in proportion to the orbits' sizes."""
    sums = orbit_counts_5(hub_graph).sum(axis=0)
    for graphlet in GRAPHLETS:
        found = {sums[orbit] / graphlet.orbits.count(orbit) for orbit in graphlet.orbits}
        assert len(found) == 1
        assert found.pop() % 1 == 0


def test_orbits_are_equivariant(hub_graph):
    order = np.random.default_rng(2).permutation(hub_graph.num_nodes)
    moved = Graph.from_edges(order[hub_graph.edges], hub_graph.num_nodes)
    assert np.array_equal(orbit_counts_5(moved)[order], orbit_counts_5(hub_graph))


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (nx.path_graph(5), {0: 8, 1: 6, 2: 3, 4: 4, 5: 4, 15: 2, 16: 2, 17: 1}),
        (nx.cycle_graph(5), {0: 10, 1: 10, 2: 5, 4: 10, 5: 10, 34: 5}),
        (nx.star_graph(4), {0: 8, 1: 12, 2: 6, 6: 12, 7: 4, 22: 4, 23: 1}),
        (nx.complete_graph(5), {0: 20, 3: 30, 14: 20, 72: 5}),
        (nx.complete_bipartite_graph(2, 3), {0: 12, 1: 18, 2: 9, 6: 6, 7: 2, 8: 12, 49: 3, 50: 2}),
        (nx.empty_graph(5), {}),
        (nx.empty_graph(0), {}),
    ],
    ids=["path", "cycle", "star", "clique", "bipartite", "points", "nothing"],
)
def test_sums_over_nodes_of_shapes(graph, expected):
    sums = orbit_counts_5(Graph.from_edges(list(graph.edges), len(graph))).sum(axis=0)
    assert {orbit: count for orbit, count in enumerate(sums.tolist()) if count} == expected


def test_cliques_have_one_orbit_of_each_size():
    (row,) = np.unique(orbit_counts_5(Graph.from_networkx(nx.complete_graph(40))), axis=0)
    assert {orbit: count for orbit, count in enumerate(row.tolist()) if count} == {
        0: 39,
        3: 39 * 38 // 2,
        14: 39 * 38 * 37 // 6,
        72: 39 * 38 * 37 * 36 // 24,
    }


def test_counts_of_a_large_star_are_exact():
    star = Graph.from_edges([(0, leaf) for leaf in range(1, 2001)], 2001)
    counts = orbit_counts_5(star)
    assert counts[0, 23] == 2000 * 1999 * 1998 * 1997 // 24
    assert counts[1, 22] == 1999 * 1998 * 1997 // 6
    assert counts[:, 24:].sum() == 0


def test_the_descriptor_is_the_mean_over_nodes(random_graphs, shapes):
    graphs = [random_graphs[0], shapes["nothing"], *random_graphs[1:], shapes["two_points"]]
    expected = [orbit_counts_5(graph).sum(axis=0) / max(graph.num_nodes, 1) for graph in graphs]
    assert np.array_equal(OrbitCounts5()(GraphSet(graphs)), np.stack(expected))


def test_no_graphs_have_no_vectors():
    assert OrbitCounts5()(GraphSet([])).shape == (0, 73)


def test_graphs_too_large_and_dense_are_refused_before_they_are_counted():
    clique = Graph.from_networkx(nx.complete_graph(50))
    for max_work, what in [
        (100_000, "wedges"),
        (300_000, "walks"),
        (1_000_000, "triangles"),
        (10_000_000, "neighbours"),
    ]:
        with pytest.raises(BudgetError, match=what):
            orbit_counts_5(clique, max_work=max_work)


def test_a_hub_that_would_fill_the_memory_is_refused():
    star = Graph.from_edges([(0, leaf) for leaf in range(1, 7101)], 7101)
    with pytest.raises(BudgetError, match="common neighbour"):
        OrbitCounts5()(GraphSet([star]))


def test_a_degree_whose_counts_are_no_int64_is_refused():
    star = Graph.from_edges([(0, leaf) for leaf in range(1, 56001)], 56001)
    with pytest.raises(BudgetError, match="int64"):
        OrbitCounts5(max_work=10**12)(GraphSet([star]))
