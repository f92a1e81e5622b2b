import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.evaluation.baselines import (
    BASELINES,
    BTER,
    BlockCounts,
    ConfigurationModel,
    DegreeCorrectedBlockModel,
    DensityBlocks,
    ErdosRenyi,
    StochasticBlockModel,
    sample_sizes,
)
from sbgd.evaluation.statistics import graph_statistics
from sbgd.evaluation.triangles import local_clustering
from sbgd.graph import Graph


def blocks_of(graph, size=20):
    return np.arange(graph.num_nodes) // size


def fitted(reference):
    blocks = [blocks_of(graph) for graph in reference]
    given = [fit(reference, blocks) for fit in (DensityBlocks, StochasticBlockModel, DegreeCorrectedBlockModel)]
    return [*(fit(reference) for fit in BASELINES.values()), *given]


def test_every_size_is_met_and_every_graph_is_simple(hub_graph, shapes):
    for baseline in fitted([shapes["nothing"], shapes["point"], hub_graph]):
        for size in (0, 1, 2, 7, 399, 400, 401, 1000):
            (graph,) = sample_sizes(baseline, [size], seed=0)
            assert graph.num_nodes == size
            assert graph == Graph.from_edges(graph.edges, size)


def test_the_same_seed_gives_the_same_graphs_and_another_seed_others(hub_graph):
    for baseline in fitted([hub_graph]):
        first = sample_sizes(baseline, [400, 400], seed=3)
        assert first == sample_sizes(baseline, [400, 400], seed=3)
        assert first[0] != first[1]
        assert first[0] != sample_sizes(baseline, [400], seed=4)[0]


def test_erdos_renyi_keeps_the_edge_count_and_scales_the_mean_degree(hub_graph):
    baseline = ErdosRenyi([hub_graph])
    same, double = sample_sizes(baseline, [400, 800], seed=0)
    assert same.num_edges == hub_graph.num_edges
    assert double.num_edges == 2 * hub_graph.num_edges


def test_erdos_renyi_draws_all_pairs_alike():
    triangle_and_point = Graph.from_edges([(0, 1), (1, 2), (0, 2)], 4)
    graphs = sample_sizes(ErdosRenyi([triangle_and_point]), [4] * 3000, seed=0)
    counts = np.zeros((4, 4))
    for graph in graphs:
        counts[graph.edges[:, 0], graph.edges[:, 1]] += 1
    drawn = counts[np.triu_indices(4, 1)]
    assert np.all(abs(drawn - 1500) < 5 * np.sqrt(3000) / 2)


@pytest.mark.parametrize("shape", ["k4", "star", "square", "path"])
def test_configuration_model_keeps_degrees_that_allow_few_graphs(shapes, shape):
    (graph,) = sample_sizes(ConfigurationModel([shapes[shape]]), [4], seed=0)
    assert graph.degrees.tolist() == shapes[shape].degrees.tolist()


def test_configuration_model_keeps_every_degree_and_forgets_the_rest(hub_graph):
    (graph,) = sample_sizes(ConfigurationModel([hub_graph]), [400], seed=0)
    assert graph.degrees.tolist() == hub_graph.degrees.tolist()
    shared = set(map(tuple, graph.edges.tolist())) & set(map(tuple, hub_graph.edges.tolist()))
    assert len(shared) < 0.5 * hub_graph.num_edges


def test_configuration_model_visits_all_graphs_alike():
    """Six nodes of degree 1 have 15 perfect matchings."""
    matching = Graph.from_edges([(0, 1), (2, 3), (4, 5)], 6)
    drawn = [graph.edges.tobytes() for graph in sample_sizes(ConfigurationModel([matching]), [6] * 1500, seed=0)]
    counts = np.unique(drawn, return_counts=True)[1]
    assert len(counts) == 15
    assert np.all(abs(counts - 100) < 5 * np.sqrt(100))


def test_configuration_model_of_another_size_keeps_the_mean_degree(hub_graph):
    (graph,) = sample_sizes(ConfigurationModel([hub_graph]), [4000], seed=0)
    degrees = hub_graph.degrees
    bound = 5 * degrees.std() / np.sqrt(4000)
    assert abs(graph.degrees.mean() - degrees.mean()) < bound


def test_bter_meets_the_clustering_and_the_mean_degree_of_disjoint_cliques():
    """Cliques have c_d = 1, so the affinity blocks are the cliques and nothing is left for the rest."""
    clique = np.stack(np.triu_indices(5, 1), axis=1)
    graph = Graph.from_edges(np.concatenate([clique + 5 * block for block in range(8)]), 40)
    (drawn,) = sample_sizes(BTER([graph]), [40], seed=0)
    assert drawn.degrees.tolist() == [4] * 40
    assert np.all(local_clustering(drawn) == 1)


def test_bter_keeps_degree_and_clustering_in_the_mean(fixture_sets):
    (graph,) = fixture_sets["single:ref"]
    drawn = sample_sizes(BTER([graph]), [600] * 8, seed=0)
    expected = graph_statistics(graph)
    for name, relative in (("mean_degree", 0.08), ("clustering", 0.25)):
        mean = np.mean([graph_statistics(g)[name].value for g in drawn])
        assert mean == pytest.approx(expected[name].value, rel=relative)


def test_density_blocks_keep_every_count(hub_graph):
    assignment = blocks_of(hub_graph)
    wanted = BlockCounts.from_assignment(hub_graph, assignment)
    (graph,) = sample_sizes(DensityBlocks([hub_graph], [assignment]), [400], seed=0)
    found = BlockCounts.from_assignment(graph, assignment)
    assert graph.num_edges == hub_graph.num_edges
    for attribute in ("sizes", "inner", "pairs", "between"):
        assert np.array_equal(getattr(found, attribute), getattr(wanted, attribute)), attribute


def test_density_blocks_of_another_size_keep_the_mean_degree(hub_graph):
    baseline = DensityBlocks([hub_graph], [blocks_of(hub_graph)])
    for size in (420, 1200, 3210):
        (graph,) = sample_sizes(baseline, [size], seed=0)
        assert graph.degrees.mean() == pytest.approx(hub_graph.degrees.mean(), rel=0.03)


def test_the_reference_of_the_nearest_size_is_imitated(shapes, hub_graph):
    small, large = sample_sizes(ErdosRenyi([hub_graph, shapes["k4"]]), [4, 400], seed=0)
    assert (small.num_edges, large.num_edges) == (6, hub_graph.num_edges)


@pytest.mark.parametrize("fit", [DensityBlocks, StochasticBlockModel, DegreeCorrectedBlockModel])
def test_assignments_that_do_not_fit_are_refused(hub_graph, fit):
    with pytest.raises(InputError, match="expected 400 block numbers"):
        fit([hub_graph], [np.zeros(3, dtype=int)])
    with pytest.raises(InputError, match="expected 1 block assignments, one a graph, got 2"):
        fit([hub_graph], [blocks_of(hub_graph)] * 2)


def test_a_reference_without_nodes_is_refused(shapes):
    with pytest.raises(InputError, match="reference graph with nodes"):
        ErdosRenyi([shapes["nothing"]])


def test_baselines_are_known_by_their_names(hub_graph):
    assert all(fit([hub_graph]).name == name for name, fit in BASELINES.items())
