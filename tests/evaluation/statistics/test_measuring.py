import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.evaluation.statistics import (
    DISTANCES,
    GRAPH_STATISTICS,
    STATISTICS,
    TABLE,
    VARIANTS,
    applicable_statistics,
    graph_statistics,
    set_distances,
    set_statistics,
    variants,
)
from sbgd.evaluation.statistics.entry import Statistic
from sbgd.graph import Graph

EVERY_STATISTIC = (*GRAPH_STATISTICS, *(name for name, entry in VARIANTS.items() if isinstance(entry, Statistic)))
EVERY_DISTANCE = (*DISTANCES, *(name for name, entry in VARIANTS.items() if not isinstance(entry, Statistic)))


def values(graph):
    return {name: measurement.value for name, measurement in graph_statistics(graph).items()}


def awkward_graphs():
    edges = {
        "nothing": (0, []),
        "point": (1, []),
        "two_points": (2, []),
        "edge": (2, [(0, 1)]),
        "edgeless": (7, []),
        "complete": (6, np.stack(np.triu_indices(6, 1), axis=1)),
        "star": (6, [(0, leaf) for leaf in range(1, 6)]),
        "path": (5, [(i, i + 1) for i in range(4)]),
        "disconnected": (8, [(0, 1), (1, 2), (0, 2), (4, 5)]),
    }
    for name, (num_nodes, pairs) in edges.items():
        bare = Graph.from_edges(pairs, num_nodes)
        ramp = np.arange(num_nodes, dtype=float)
        yield name, bare
        yield f"{name}, one constant feature", bare.replace(features=np.stack([ramp, np.full(num_nodes, 0.1)], axis=1))
        yield f"{name}, no feature columns", bare.replace(features=np.zeros((num_nodes, 0)))
        yield f"{name}, equal labels", bare.replace(labels=np.full(num_nodes, 3))
        yield f"{name}, two labels", bare.replace(labels=np.arange(num_nodes) % 2)


AWKWARD = dict(awkward_graphs())


def assert_defined_or_explained(measurements):
    for name, measurement in measurements.items():
        if measurement.value is None:
            assert measurement.reason, name
        else:
            assert np.isfinite(measurement.value), name
        assert measurement.spread is None or np.isfinite(measurement.spread), name


@pytest.mark.parametrize("graph", AWKWARD.values(), ids=AWKWARD.keys())
def test_nothing_crashes_or_is_nan(graph, fixture_sets):
    (other,) = fixture_sets["single:small_disconnected"]
    assert_defined_or_explained(graph_statistics(graph, names=EVERY_STATISTIC))
    for pair in [([graph], [other]), ([other], [graph]), ([graph], [graph]), ([graph, other], [graph]), ([], [graph])]:
        assert_defined_or_explained(set_distances(*pair, names=EVERY_DISTANCE))


@pytest.mark.parametrize("graph", AWKWARD.values(), ids=AWKWARD.keys())
def test_a_graph_is_at_distance_0_from_itself(graph):
    for name, measurement in set_distances([graph], [graph]).items():
        assert measurement.value in (None, 1 if name == "edge_overlap" else 0), name


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("triangle", {"mean_degree": 2, "triangles": 1, "clustering": 1, "transitivity": 1, "assortativity": None}),
        ("square", {"max_degree": 2, "triangles": 0, "transitivity": 0, "mean_path_length": 4 / 3, "squares": 1}),
        ("star", {"mean_degree": 1.5, "max_degree": 3, "assortativity": -1, "mean_path_length": 1.5, "claws": 1}),
        ("k4", {"triangles": 4, "clustering": 1, "largest_component_share": 1, "squares": 3, "gini": 0}),
        ("path", {"assortativity": -0.5, "clustering": 0, "mean_path_length": 5 / 3, "power_law_exponent": None}),
        ("two_points", {"isolated_share": 1, "largest_component_share": 0.5, "modularity": None, "num_components": 2}),
        ("edge", {"degree_entropy": 1, "effective_diameter": 0.9, "wedges": 0, "min_degree": 1}),
    ],
)
def test_statistics_of_small_shapes(shapes, shape, expected):
    measured = values(shapes[shape])
    for name, value in expected.items():
        assert measured[name] == (None if value is None else pytest.approx(value)), name


def test_default_statistics_of_a_graph_are_those_of_reports(shapes):
    assert list(graph_statistics(shapes["nothing"])) == [name for name in STATISTICS if name != "degree_tv"]


def test_only_what_is_asked_for_is_measured_in_the_order_asked(shapes):
    assert list(graph_statistics(shapes["star"], names=["squares", "mean_degree"])) == ["squares", "mean_degree"]
    assert list(set_distances([shapes["star"]], [shapes["k4"]], names=["degree_ks"])) == ["degree_ks"]


def test_an_unknown_name_is_refused(shapes):
    with pytest.raises(InputError, match="expected a statistic of single graphs, got 'degree_tv'; choose from mean_"):
        graph_statistics(shapes["star"], names=["degree_tv"])
    with pytest.raises(InputError, match="expected a distance between sets, got 'gini'; choose from degree_tv"):
        set_distances([shapes["star"]], [shapes["k4"]], names=["gini"])


def test_a_set_has_means_spreads_and_counts_what_it_leaves_out(shapes):
    measured = set_statistics([shapes["star"], shapes["k4"], shapes["nothing"]])
    assert measured["mean_degree"].value == pytest.approx(2.25)
    assert measured["mean_degree"].spread == pytest.approx(1.5 / np.sqrt(2))
    assert measured["mean_degree"].reason == "left out 1 of 3 graphs: the graph has no nodes"
    assert measured["squares"].value == 1.5


def test_graphs_of_a_set_are_measured_as_if_alone(random_graphs, shapes):
    graphs = [*random_graphs, *shapes.values()]
    measured = set_statistics(graphs, names=GRAPH_STATISTICS)
    alone = [graph_statistics(graph, names=GRAPH_STATISTICS) for graph in graphs]
    for name, measurement in measured.items():
        found = [statistics[name].value for statistics in alone if statistics[name].value is not None]
        assert measurement.value == (pytest.approx(np.mean(found)) if found else None), name


def test_statistics_do_not_depend_on_node_order_or_attributes(hub_graph):
    order = np.random.default_rng(3).permutation(400)
    moved = Graph.from_edges(order[hub_graph.edges], 400, labels=order, node_ids=order + 7)
    first, second = values(hub_graph), values(moved)
    for name in set(first) - {"modularity"}:
        assert first[name] == pytest.approx(second[name]), name


def test_statistics_that_need_an_attribute_apply_where_it_is(shapes):
    bare, labelled = shapes["star"], shapes["k4"].replace(labels=np.array([0, 0, 1, 1]))
    assert "class_homophily" in applicable_statistics([labelled, shapes["nothing"]])
    assert "class_homophily" not in applicable_statistics([labelled, bare])
    assert "feature_mean" not in applicable_statistics([labelled])
    assert set(STATISTICS) - {"degree_tv"} <= set(applicable_statistics([bare]))


def test_the_table_names_everything_once():
    assert set(TABLE) == {*GRAPH_STATISTICS, *DISTANCES}
    assert not set(TABLE) & set(VARIANTS)
    assert set(STATISTICS) <= set(TABLE)
    assert all(entry.name == name and entry.description for name, entry in {**TABLE, **VARIANTS}.items())


def test_variants_are_explained():
    assert all(source in variants.__doc__ for source in ("NetGAN", "CELL", "EDGE", "GraphMaker"))


def test_an_empty_set_has_no_means():
    assert set_statistics([], names=["gini"])["gini"].reason == "the set has no graphs"
