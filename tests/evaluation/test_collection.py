import math

import networkx as nx
import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.evaluation.collection import MetricCollection
from sbgd.evaluation.metric import MMDMetric
from sbgd.evaluation.presets import PRESETS
from sbgd.graph import Graph


def with_features(graphs, *, correlated, seed=0):
    """Two features a node: noise that neighbours share, or the same shuffled over the graph, and noise of its own."""
    generator = np.random.default_rng(seed)
    dressed = []
    for graph in graphs:
        noise = generator.standard_normal((graph.num_nodes, 2))
        shared = noise[:, 0] + graph.to_scipy() @ noise[:, 0]
        column = shared if correlated else generator.permutation(shared)
        dressed.append(graph.replace(features=np.stack([column, noise[:, 1]], axis=1)))
    return dressed


def test_mmds_are_those_of_the_metrics(fixture_sets):
    reference, generated, train = (fixture_sets[f"planar:{part}"] for part in ("ref", "gen", "train"))
    found = MetricCollection(reference, preset="spectre", train=train)(generated)
    assert list(found.mmd) == ["degree", "clustering", "orbit", "spectral", "wavelet"]
    for name, result in found.mmd.items():
        metric = MMDMetric(reference, PRESETS["spectre"].mmds[name])
        assert result.value == result.biased == metric.value(generated)
        assert result.train_test == metric.value(train)
        assert result.floor == 0.1
        assert 0 < result.p_value <= 1
        assert (result.interval[0] > 0) == (result.p_value <= 0.05)


def test_values_for_a_logger_are_the_same_numbers(fixture_sets):
    reference, generated, train = (fixture_sets[f"sbm:{part}"] for part in ("ref", "gen", "train"))
    collection = MetricCollection(reference, train=train, num_seeds=2)
    found, values = collection(generated), collection.values(generated)
    rows = {**found.mmd, **found.scores}
    assert values == {
        **{name: row.value for name, row in rows.items()},
        **{f"{name}_train": row.train_test for name, row in rows.items()},
    }
    assert collection.floor(20) == 0.1


def test_a_smaller_set_is_beside_as_many_training_graphs(fixture_sets):
    reference, train = fixture_sets["planar:ref"], fixture_sets["planar:train"]
    collection = MetricCollection(reference, preset="gran", train=train)
    few = collection(fixture_sets["planar:gen"][:5]).mmd["clustering"].train_test
    many = collection(fixture_sets["planar:gen"]).mmd["clustering"].train_test
    assert few > many + 0.5 * (1 / 5 - 1 / 20)


@pytest.mark.parametrize("name", ["esgg", "defog", "autograph"])
def test_average_ratios_equal_their_source(name, fixture_sets, reference_values):
    reference, generated, train = (fixture_sets[f"planar:{part}"] for part in ("ref", "gen", "train"))
    row = reference_values["ratio"]["planar"]
    expected = {"esgg": row["ESGG.Ratio"], "defog": row["DeFoG.compute_ratios"]["average_ratio"]}
    ratio = MetricCollection(reference, preset=name, train=train)(generated).ratio
    if name in expected:
        assert ratio == pytest.approx(expected[name], rel=1e-6)
    else:
        pairs = [
            (row["gen_metrics"][key], row["train_metrics"][key]) for key in ("degree", "clustering", "orbit", "spectre")
        ]
        assert ratio == pytest.approx(np.mean([ours / theirs for ours, theirs in pairs]), rel=1e-6)
    assert MetricCollection(reference, preset=name)(generated).ratio is None


def test_embedding_scores_are_means_over_seeds_with_their_spread(fixture_sets):
    reference, generated = fixture_sets["planar:ref"], fixture_sets["planar:gen"]
    single = [MetricCollection(reference, metrics=["gin"], num_seeds=1, seed=seed)(generated) for seed in range(3)]
    several = MetricCollection(reference, metrics=["gin"], num_seeds=3)(generated).scores["gin_frechet"]
    values = [found.scores["gin_frechet"].value for found in single]
    assert several.value == pytest.approx(np.mean(values))
    assert several.spread == pytest.approx(np.std(values, ddof=1))
    assert single[0].scores["gin_frechet"].spread is None


def test_features_are_judged_where_there_are_some(fixture_sets):
    plain = fixture_sets["planar:ref"]
    assert "features" not in MetricCollection(plain)(plain).mmd
    reference = with_features(plain, correlated=True)
    collection = MetricCollection(reference)
    same = collection(with_features(fixture_sets["planar:train"], correlated=True, seed=1))
    shuffled = collection(with_features(fixture_sets["planar:train"], correlated=False, seed=1))
    assert same.mmd["features"].p_value > 0.01
    assert shuffled.mmd["features"].p_value <= 0.01
    # the marginal laws of structure and of features agree, only their joint law does not
    assert shuffled.mmd["degree"].value == same.mmd["degree"].value
    assert shuffled.scores["gin_frechet"].value == same.scores["gin_frechet"].value
    assert shuffled.scores["attributed_gin_frechet"].value > 1.5 * same.scores["attributed_gin_frechet"].value


def test_generated_graphs_without_the_features_of_the_reference_are_told(fixture_sets):
    reference = with_features(fixture_sets["planar:ref"], correlated=True)
    found = MetricCollection(reference)(fixture_sets["planar:gen"])
    assert found.mmd["features"].biased is None
    assert found.mmd["features"].reason == "the reference has 2 node features, graph 0 has 0"
    assert found.scores["attributed_gin_recall"].reason == found.mmd["features"].reason
    asked = MetricCollection(fixture_sets["planar:ref"], metrics=["features"])(fixture_sets["planar:gen"])
    assert asked.mmd["features"].reason == "not all reference graphs have the same node features"


def test_the_unit_of_features_does_not_matter(fixture_sets):
    def measured(factor):
        scaled = [
            [graph.replace(features=graph.features * [factor, 1]) for graph in with_features(graphs, correlated=True)]
            for graphs in (fixture_sets["planar:ref"], fixture_sets["planar:gen"])
        ]
        return MetricCollection(scaled[0], metrics=["features", "attributed_gin"]).values(scaled[1])

    assert measured(1000.0) == pytest.approx(measured(1.0), rel=1e-6)


def test_the_discrepancy_has_its_parts_and_leaves_out_what_is_too_much(fixture_sets):
    reference, generated = fixture_sets["rgg_er:ref"], fixture_sets["rgg_er:gen"]
    found = MetricCollection(reference, preset="polygraph", metrics=["pgd"])(generated).scores
    assert list(found) == ["pgd", "pgd_orbit4", "pgd_orbit5", "pgd_clustering", "pgd_degree", "pgd_spectral", "pgd_gin"]
    assert found["pgd"].value > 0.9
    fewer = MetricCollection(reference, preset="polygraph", metrics=["pgd"])(generated[:16]).scores["pgd"]
    assert fewer.reason == "4 graphs of the larger set are left out"
    none = MetricCollection(reference, preset="polygraph", metrics=["pgd"])(generated[:2]).scores["pgd"]
    assert none.value is None
    assert "at least" in none.reason


def test_networkx_graphs_are_welcome():
    reference = [nx.gnp_random_graph(12, 0.3, seed=seed) for seed in range(6)]
    generated = [nx.gnp_random_graph(12, 0.5, seed=seed) for seed in range(6)]
    assert MetricCollection(reference)(generated).mmd["degree"].value > 0


@pytest.mark.parametrize("preset", PRESETS)
def test_no_preset_fails_or_returns_nan_on_degenerate_sets(preset, fixture_sets, shapes):
    sets = [graphs for key, graphs in fixture_sets.items() if key.startswith("degenerate:") and graphs]
    sets = [graphs for graphs in sets if any(graph.num_nodes for graph in graphs)]
    sets += [[shapes["point"], shapes["edge"], shapes["two_points"], shapes["nothing"]], [shapes["k4"]] * 9]
    for reference in sets:
        collection = MetricCollection(reference, preset=preset, train=sets[0], num_seeds=1)
        for generated in sets:
            found = collection(generated)
            for row in (*found.mmd.values(), *found.scores.values()):
                assert row.value is None or math.isfinite(row.value)
                assert row.value is not None or row.reason
            assert all(math.isfinite(value) for value in collection.values(generated).values())


def test_empty_sets_are_refused(shapes):
    with pytest.raises(InputError, match="reference graph, got an empty set"):
        MetricCollection([])
    with pytest.raises(InputError, match="train graph, got an empty set"):
        MetricCollection([shapes["k4"]], train=[])
    with pytest.raises(InputError, match="generated graph with nodes, got 1 without any"):
        MetricCollection([shapes["k4"]])([Graph.from_edges([], 0)])
