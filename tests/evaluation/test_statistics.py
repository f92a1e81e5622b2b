import networkx as nx
import numpy as np
import pytest

from sbgd.evaluation.statistics import (
    STATISTICS,
    degree_tv,
    graph_statistics,
    modularity,
    power_law_exponent,
    set_statistics,
)
from sbgd.graph import Graph


def values(graph):
    return {name: measurement.value for name, measurement in graph_statistics(graph).items()}


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("triangle", {"mean_degree": 2, "triangles": 1, "clustering": 1, "transitivity": 1, "assortativity": None}),
        ("square", {"max_degree": 2, "triangles": 0, "transitivity": 0, "mean_path_length": 4 / 3}),
        ("star", {"mean_degree": 1.5, "max_degree": 3, "assortativity": -1, "mean_path_length": 1.5}),
        ("k4", {"triangles": 4, "clustering": 1, "largest_component_share": 1, "mean_path_length": 1}),
        ("path", {"assortativity": -0.5, "clustering": 0, "mean_path_length": 5 / 3, "power_law_exponent": None}),
        ("two_points", {"isolated_share": 1, "largest_component_share": 0.5, "modularity": None, "mean_degree": 0}),
    ],
)
def test_statistics_of_small_shapes(shapes, shape, expected):
    measured = values(shapes[shape])
    for name, value in expected.items():
        assert measured[name] == (None if value is None else pytest.approx(value)), name


def test_every_missing_value_has_a_reason_and_nothing_is_nan(shapes):
    for graph in shapes.values():
        measured = graph_statistics(graph)
        assert [*measured, "degree_tv"] == list(STATISTICS)
        for measurement in measured.values():
            assert (measurement.value is None) == (measurement.reason is not None)
            assert measurement.value is None or np.isfinite(measurement.value)


@pytest.mark.parametrize("key", ["ref", "gen", "small_disconnected"])
def test_statistics_equal_cell(key, fixture_sets, reference_values):
    (graph,) = fixture_sets[f"single:{key}"]
    expected = reference_values["single_graph"][key]
    measured = values(graph)
    assert measured["max_degree"] == expected["max_degree"]
    assert measured["mean_degree"] == pytest.approx(expected["average_degree"], rel=1e-10)
    assert measured["largest_component_share"] == pytest.approx(expected["LCC"] / graph.num_nodes)
    assert measured["triangles"] == expected["triangle_count"]
    assert measured["assortativity"] == pytest.approx(expected["assortativity"], abs=1e-10)
    assert measured["transitivity"] == pytest.approx(expected["clustering_coefficient"], rel=1e-10)
    assert measured["mean_path_length"] == pytest.approx(expected["cpl"], rel=1e-10)


def test_statistics_equal_networkx(hub_graph):
    other = hub_graph.to_networkx()
    measured = values(hub_graph)
    assert measured["clustering"] == pytest.approx(nx.average_clustering(other))
    assert measured["transitivity"] == pytest.approx(nx.transitivity(other))
    assert measured["assortativity"] == pytest.approx(nx.degree_assortativity_coefficient(other))
    assert measured["isolated_share"] == nx.number_of_isolates(other) / 400


def test_the_exponent_of_a_power_law_is_recovered():
    degrees = np.arange(3, 200_000)
    law = degrees**-2.5
    drawn = np.random.default_rng(0).choice(degrees, size=20_000, p=law / law.sum())
    fitted = power_law_exponent(np.concatenate([drawn, [0, 1, 2, 2]])).value
    # standard error (alpha - 1) / sqrt(n) of Clauset et al., eq. 3.6, is .011
    assert fitted == pytest.approx(2.5, abs=5 * 0.011)


def test_two_cliques_have_the_modularity_of_two_communities():
    clique = np.stack(np.triu_indices(5, 1), axis=1)
    graph = Graph.from_edges(np.concatenate([clique, clique + 5]), 10)
    assert modularity(graph).value == pytest.approx(0.5)


def test_modularity_of_a_large_graph_is_skipped_with_a_reason(hub_graph):
    assert modularity(hub_graph, max_nodes=100).reason == "Louvain is limited to 100 nodes, got 400"


def test_degree_tv_by_hand(shapes):
    assert degree_tv([shapes["star"]], [shapes["square"]]).value == 1
    assert degree_tv([shapes["path"]], [shapes["square"]]).value == 0.5
    assert degree_tv([shapes["path"]], [shapes["path"], shapes["path"]]).value == 0
    assert degree_tv([shapes["nothing"]], [shapes["path"]]).reason == "a set has no nodes"


def test_a_set_has_means_spreads_and_counts_what_it_leaves_out(shapes):
    measured = set_statistics([shapes["star"], shapes["k4"], shapes["nothing"]])
    assert measured["mean_degree"].value == pytest.approx(2.25)
    assert measured["mean_degree"].spread == pytest.approx(1.5 / np.sqrt(2))
    assert measured["mean_degree"].reason == "left out 1 of 3 graphs: the graph has no nodes"


def test_statistics_do_not_depend_on_node_order_or_attributes(hub_graph):
    order = np.random.default_rng(3).permutation(400)
    moved = Graph.from_edges(order[hub_graph.edges], 400, labels=order, node_ids=order + 7)
    first, second = values(hub_graph), values(moved)
    for name in set(first) - {"modularity"}:
        assert first[name] == pytest.approx(second[name]), name
