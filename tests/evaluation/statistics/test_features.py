import networkx as nx
import numpy as np
import pytest

from sbgd.evaluation.statistics import features, graph_statistics, set_distances
from sbgd.evaluation.statistics.features import feature_moments, feature_statistics
from sbgd.graph import Graph


@pytest.fixture(scope="module")
def featured(hub_graph):
    x = np.random.default_rng(3).normal(size=(400, 3)) * [1, 10, 0.1] + [0, 1e3, 0]
    return hub_graph.replace(features=x)


def test_edge_correlation_is_pearson_over_both_directions_of_every_edge(featured):
    u, v = featured.edges.T
    moments = feature_moments(featured, featured.features)
    for column, found in zip(featured.features.T, moments.correlations, strict=True):
        expected = np.corrcoef(np.append(column[u], column[v]), np.append(column[v], column[u]))[0, 1]
        assert found == pytest.approx(expected, abs=1e-12)


def test_edge_correlation_equals_numeric_assortativity_of_networkx(random_graphs):
    for graph in random_graphs:
        x = np.random.default_rng(1).integers(0, 5, graph.num_nodes)
        other = nx.Graph(graph.edges.tolist())
        nx.set_node_attributes(other, dict(enumerate(x.tolist())), "x")
        found = feature_moments(graph, x[:, None].astype(float)).correlations[0]
        assert found == pytest.approx(nx.numeric_assortativity_coefficient(other, "x"), abs=1e-12)


def test_columns_are_the_same_in_blocks(featured, monkeypatch):
    whole = feature_moments(featured, featured.features)
    monkeypatch.setattr(features, "_COLUMNS", 2)
    np.testing.assert_allclose(feature_moments(featured, featured.features).correlations, whole.correlations)


def test_degrees_as_a_feature_correlate_by_the_assortativity(hub_graph):
    graph = hub_graph.replace(features=hub_graph.degrees[:, None].astype(float))
    measured = graph_statistics(
        graph, names=["assortativity", "feature_edge_correlation", "feature_mean", "mean_degree"]
    )
    assert measured["feature_edge_correlation"].value == pytest.approx(measured["assortativity"].value)
    assert measured["feature_mean"].value == pytest.approx(measured["mean_degree"].value)


def test_constant_features_are_left_out_of_the_correlation_and_counted():
    graph = Graph.from_edges([(0, 1), (1, 2)], 3, features=[[0, 0.1], [1, 0.1], [0, 0.1]])
    found = feature_statistics([graph])["feature_edge_correlation"]
    assert found.value == pytest.approx(-1)
    assert found.reason == "left out 1 of 2 features, constant over the ends of edges"


def test_statistics_of_a_set_are_means_over_its_graphs():
    graphs = [Graph.from_edges([(0, 1)], 2, features=x) for x in ([[0.0], [2.0]], [[1.0], [5.0]])]
    measured = feature_statistics(graphs)
    assert (measured["feature_mean"].value, measured["feature_mean"].spread) == (2, pytest.approx(np.sqrt(2)))
    assert measured["feature_deviation"].value == 1.5
    assert measured["feature_edge_correlation"].value == pytest.approx(-1)


def test_errors_are_in_deviations_of_the_reference(featured):
    names = ["feature_mean_error", "feature_deviation_error", "feature_correlation_error"]
    deviations = featured.features.std(axis=0)
    moved = featured.replace(features=featured.features + 2 * deviations)
    assert [m.value for m in set_distances([moved], [featured], names=names).values()] == pytest.approx([2, 0, 0])
    wider = featured.replace(features=3 * featured.features - 2 * featured.features.mean(axis=0))
    assert [m.value for m in set_distances([wider], [featured], names=names).values()] == pytest.approx([0, 2, 0])


def test_sets_without_common_features_say_so(featured, hub_graph):
    name = "feature_mean_error"
    narrow = featured.replace(features=featured.features[:, :2])
    assert set_distances([narrow], [featured], names=[name])[name].reason == "the sets have 2 and 3 features"
    assert set_distances([hub_graph], [featured], names=[name])[name].reason == "not every graph has the same features"
