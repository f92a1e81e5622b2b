import networkx as nx
import numpy as np
import pytest

from sbgd.evaluation.novelty import GraphIndex, IdenticalShare, identical_share, num_duplicates
from sbgd.graph import Graph


def moved(graph, seed):
    order = np.random.default_rng(seed).permutation(graph.num_nodes)
    return Graph.from_edges(order[graph.edges], graph.num_nodes)


def test_permuted_training_graphs_are_found(fixture_sets):
    training = fixture_sets["planar:train"]
    generated = [*[moved(graph, seed) for seed, graph in enumerate(training[:3])], Graph.from_edges([], 64)]
    found = identical_share(generated, training)
    assert found == IdenticalShare(num_identical=3, num_undecided=0, num_compared=4)
    assert found.share == 0.75


def test_small_graphs_do_not_count(shapes):
    found = identical_share([shapes["triangle"]], [shapes["triangle"]])
    assert (found.num_compared, found.share) == (0, None)
    assert identical_share([shapes["triangle"]], [shapes["triangle"]], min_nodes=3).share == 1


def test_what_the_bound_leaves_open_is_counted_apart():
    hexagons = Graph.from_networkx(nx.disjoint_union_all([nx.cycle_graph(6)] * 4))
    triangles = Graph.from_networkx(nx.disjoint_union_all([nx.cycle_graph(3)] * 8))
    found = identical_share([triangles], [hexagons], max_work=5000)
    assert found == IdenticalShare(num_identical=0, num_undecided=1, num_compared=1)


def test_reference_values_of_unique_and_novel(fixture_sets):
    """SPECTRE's code finds .95 unique and .10 not novel in both sets."""
    for name in ("planar", "sbm"):
        generated = fixture_sets[f"{name}:gen"]
        assert num_duplicates(generated) == 1
        assert identical_share(generated, fixture_sets[f"{name}:train"]).share == pytest.approx(0.1)


def test_duplicates_are_counted_beyond_the_first(shapes):
    assert num_duplicates([shapes["path"], shapes["star"], moved(shapes["path"], 3), shapes["path"]]) == 2
    assert num_duplicates([shapes["nothing"], shapes["nothing"]]) == 1


def test_a_copy_is_not_filed_again(shapes):
    index = GraphIndex()
    assert [index.admit(graph) for graph in (shapes["path"], moved(shapes["path"], 1), shapes["star"])] == [
        False,
        True,
        False,
    ]
    assert index.contains(moved(shapes["star"], 2))


def test_nodes_with_the_same_neighbours_need_no_search():
    """A search would mark the 400 leaves one after the other."""
    leaves = np.stack([np.arange(400) % 20, np.arange(20, 420)], axis=1)
    wheel = np.stack([np.arange(20), (np.arange(20) + 1) % 20], axis=1)
    legs = np.stack([np.arange(19), np.arange(420, 439)], axis=1)
    graph = Graph.from_edges(np.concatenate([leaves, wheel, legs, [[0, 19], [0, 5], [3, 9]]]), 439)
    assert num_duplicates([graph, moved(graph, 1)], max_work=20_000) == 1
