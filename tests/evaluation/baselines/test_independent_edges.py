import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.evaluation.baselines import (
    BlockCounts,
    ChungLu,
    DegreeCorrectedBlockModel,
    StochasticBlockModel,
    sample_sizes,
)
from sbgd.evaluation.baselines.communities import louvain_communities
from sbgd.evaluation.baselines.expected_degrees import IndependentEdges
from sbgd.graph import Graph


def blocks_of(graph, size=20):
    return np.arange(graph.num_nodes) // size


def mean_degrees(baseline, num_nodes, count=400):
    """Returns mean and standard error of every degree over graphs of one size, two arrays (N,)."""
    degrees = np.array([graph.degrees for graph in sample_sizes(baseline, [num_nodes] * count, seed=0)])
    return degrees.mean(axis=0), degrees.std(axis=0) / np.sqrt(count)


@pytest.mark.parametrize("fit", [ChungLu, lambda graphs: DegreeCorrectedBlockModel(graphs, [blocks_of(graphs[0])])])
def test_every_degree_is_kept_in_the_mean_also_of_hubs(hub_graph, fit):
    """With the degrees as weights the hub of degree 125 would lose 35 edges."""
    mean, error = mean_degrees(fit([hub_graph]), 400)
    slack = 1e-3 * np.maximum(hub_graph.degrees, 1)
    assert np.all(abs(mean - hub_graph.degrees) <= 5 * error + slack)


@pytest.mark.parametrize("fit", [ChungLu, DegreeCorrectedBlockModel])
def test_a_hub_that_is_joined_to_everybody_nearly_stays_so(fit):
    star = Graph.from_edges([(0, leaf) for leaf in range(1, 21)], 21)
    mean, error = mean_degrees(fit([star]), 21)
    assert abs(mean[0] - 20) <= 5 * error[0] + 0.1
    assert abs(mean[1:].mean() - 1) <= 5 * error[1:].mean() + 0.01


def test_chung_lu_of_equal_degrees_is_erdos_renyi_with_independent_edges():
    """K33 has 9 of 15 pairs, all degrees 3: every pair is an edge with probability 3 / 5."""
    bipartite = Graph.from_edges([(u, v) for u in range(3) for v in range(3, 6)], 6)
    graphs = sample_sizes(ChungLu([bipartite]), [6] * 3000, seed=0)
    adjacency = np.array([graph.to_scipy().toarray()[np.triu_indices(6, 1)] for graph in graphs])
    assert np.all(abs(adjacency.mean(axis=0) - 0.6) < 5 * np.sqrt(0.24 / 3000))
    edges = adjacency.sum(axis=1)
    assert abs(edges.var() - 15 * 0.24) < 5 * 15 * 0.24 * np.sqrt(2 / 3000)


@pytest.mark.parametrize("fit", [ChungLu, StochasticBlockModel, DegreeCorrectedBlockModel])
def test_complete_and_edgeless_graphs_stay_what_they_are(shapes, fit):
    (complete,) = sample_sizes(fit([shapes["k4"]]), [4], seed=0)
    assert complete == shapes["k4"]
    for size in (1, 2, 5):
        (edgeless,) = sample_sizes(fit([shapes["two_points"]]), [size], seed=0)
        assert edgeless == Graph.from_edges([], size)


@pytest.mark.parametrize("fit", [StochasticBlockModel, DegreeCorrectedBlockModel])
def test_block_models_keep_every_count_in_the_mean(hub_graph, fit):
    blocks = blocks_of(hub_graph, 100)
    wanted = BlockCounts.from_assignment(hub_graph, blocks)
    drawn = [
        BlockCounts.from_assignment(graph, blocks)
        for graph in sample_sizes(fit([hub_graph], [blocks]), [400] * 200, seed=0)
    ]
    for attribute in ("inner", "between"):
        counts = np.array([getattr(found, attribute) for found in drawn])
        error = counts.std(axis=0) / np.sqrt(len(drawn))
        target = getattr(wanted, attribute)
        assert np.all(abs(counts.mean(axis=0) - target) <= 5 * error + 1e-3 * target)


def test_one_block_is_erdos_renyi_with_independent_edges(hub_graph):
    one_block = StochasticBlockModel([hub_graph], [np.zeros(400, dtype=int)])
    edges = np.array([graph.num_edges for graph in sample_sizes(one_block, [400] * 400, seed=0)])
    capacity, density = 400 * 399 / 2, hub_graph.num_edges / (400 * 399 / 2)
    variance = capacity * density * (1 - density)
    assert abs(edges.mean() - hub_graph.num_edges) < 5 * np.sqrt(variance / 400)
    assert abs(edges.var() - variance) < 5 * variance * np.sqrt(2 / 400)


def test_one_block_with_degrees_is_chung_lu(hub_graph):
    one_block = DegreeCorrectedBlockModel([hub_graph], [np.zeros(400, dtype=int)])
    assert sample_sizes(one_block, [400], seed=0) == sample_sizes(ChungLu([hub_graph]), [400], seed=0)


@pytest.mark.parametrize("fit", [StochasticBlockModel, DegreeCorrectedBlockModel])
def test_without_assignments_blocks_are_communities(fit):
    """Two cliques and one bridge are two communities; both are drawn whole."""
    clique = np.stack(np.triu_indices(6, 1), axis=1)
    graph = Graph.from_edges([*clique.tolist(), *(clique + 6).tolist(), (5, 6)], 12)
    (drawn,) = sample_sizes(fit([graph]), [12], seed=0)
    within = (drawn.edges // 6 == drawn.edges[:, :1] // 6).all(axis=1)
    assert within.sum() >= 28


@pytest.mark.parametrize("fit", [ChungLu, StochasticBlockModel, DegreeCorrectedBlockModel])
@pytest.mark.parametrize("size", [200, 401, 1200])
def test_other_sizes_keep_the_mean_degree(hub_graph, fit, size):
    means = [graph.degrees.mean() for graph in sample_sizes(fit([hub_graph]), [size] * 30, seed=0)]
    spread = np.std(hub_graph.degrees) / np.sqrt(size)
    assert abs(np.mean(means) - hub_graph.degrees.mean()) < 5 * (np.std(means) + spread) / np.sqrt(30) + 0.02


def test_degrees_are_those_of_the_block_copied():
    """Nodes of the first block have degree 1 among themselves, those of the second 3."""
    matching = [(2 * i, 2 * i + 1) for i in range(20)]
    cliques = [(40 + 4 * i + u, 40 + 4 * i + v) for i in range(10) for v in range(4) for u in range(v)]
    graph, blocks = Graph.from_edges(matching + cliques, 80), np.repeat([0, 1], 40)
    drawn = sample_sizes(DegreeCorrectedBlockModel([graph], [blocks]), [160] * 100, seed=0)
    means = np.mean([graph.degrees.reshape(4, 40).mean(axis=1) for graph in drawn], axis=0)
    assert np.all(abs(means - [1, 3, 1, 3]) < 5 * np.sqrt(2 * 3 / 40 / 100))


def test_a_block_whose_drawn_degrees_are_all_zero_still_gets_its_edges():
    counts = BlockCounts(np.array([3]), np.array([3]), np.zeros((0, 2), dtype=int), np.zeros(0, dtype=int))
    nothing = np.zeros(3, dtype=int)
    edges = IndependentEdges.fitted(nothing, nothing, counts).sample(np.random.default_rng(0))
    assert len(edges) == 3


def test_counts_that_do_not_fit_give_as_many_edges_as_do():
    counts = BlockCounts(np.array([3]), np.array([30]), np.zeros((0, 2), dtype=int), np.zeros(0, dtype=int))
    degrees, block = np.array([5, 1, 0]), np.zeros(3, dtype=int)
    edges = IndependentEdges.fitted(degrees, block, counts).sample(np.random.default_rng(0))
    assert np.sort(edges).tolist() == [[0, 1]]


def test_communities_of_too_large_a_graph_are_refused_with_the_remedy():
    with pytest.raises(InputError, match="expected at most 50000 nodes to find communities in, got 50001; pass"):
        StochasticBlockModel([Graph.from_edges([], 50_001)])


def test_communities_are_the_same_every_time_and_leave_isolated_nodes_alone(hub_graph):
    first, again = louvain_communities(hub_graph), louvain_communities(hub_graph)
    assert np.array_equal(first, again)
    isolated = first[hub_graph.degrees == 0]
    assert len(isolated) == len(set(isolated)) > 0
    assert louvain_communities(Graph.from_edges([], 0)).shape == (0,)
