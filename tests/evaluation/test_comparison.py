import json
import math

import jsonschema
import networkx as nx
import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.evaluation import PRESETS, STATISTICS, MMDMetric, evaluate, json_schema
from sbgd.evaluation.baselines import ConfigurationModel, ErdosRenyi
from sbgd.evaluation.comparison import SET_DISTANCES, reported_statistics
from sbgd.graph import Graph


@pytest.fixture(scope="module")
def planar(fixture_sets):
    reference = fixture_sets["planar:ref"]
    baselines = [ErdosRenyi(reference), ConfigurationModel(reference)]
    return evaluate(
        fixture_sets["planar:gen"],
        reference,
        train=fixture_sets["planar:train"],
        preset="gran",
        validity="planar",
        baselines=baselines,
    )


def checked(document):
    """The JSON form of a result, as a machine reads it, valid by the schema."""
    read = json.loads(json.dumps(document, allow_nan=False))
    jsonschema.Draft202012Validator(json_schema()).validate(read)
    return read


def test_json_is_schema_1(planar, fixture_sets, tmp_path):
    planar.save(tmp_path / "metrics.json")
    document = checked(json.loads((tmp_path / "metrics.json").read_text()))
    assert list(document) == ["schema", "preset", "sets", "mmd", "statistics", "validity", "baselines"]
    assert (document["schema"], document["preset"]) == (1, "gran")
    edges = sum(graph.num_edges for graph in fixture_sets["planar:ref"])
    reference = document["sets"]["reference"]
    assert [reference[key] for key in ("num_graphs", "num_nodes", "num_edges")] == [20, 1280, edges]
    assert list(document["mmd"]) == ["degree", "clustering", "orbit", "spectral"]
    orbit = {"value", "biased", "unbiased", "floor", "interval", "p_value", "train_test"}
    assert set(document["mmd"]["orbit"]) == orbit
    assert set(document["statistics"]) == {*STATISTICS, *SET_DISTANCES[:3]}
    assert set(document["statistics"]["triangles"]) == {
        "reference",
        "generated",
        "error",
        "reference_spread",
        "generated_spread",
    }
    assert list(document["baselines"]) == ["erdos_renyi", "configuration"]
    assert set(document["baselines"]["configuration"]) == {"mmd", "statistics"}


def test_the_schema_refuses_what_it_should(planar):
    for path, wrong in [
        (("schema",), 2),
        (("mmd", "degree", "p_value"), 1.5),
        (("mmd", "degree", "unbiased"), None),
        (("mmd", "degree", "unknown"), 1),
        (("statistics", "triangles", "error"), None),
        (("sets", "reference", "num_nodes"), -1),
    ]:
        document = checked(planar.to_dict())
        place = document
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = wrong
        with pytest.raises(jsonschema.ValidationError):
            checked(document)


def test_values_are_those_of_the_metrics(planar, fixture_sets):
    metric = MMDMetric(fixture_sets["planar:ref"], PRESETS["gran"].mmds["orbit"])
    row = planar.metrics.mmd["orbit"]
    assert row.value == row.biased == metric.value(fixture_sets["planar:gen"])
    assert row.train_test == metric.value(fixture_sets["planar:train"])
    assert row.floor == 0.1


def test_validity_uniqueness_and_novelty_are_those_of_spectre(planar):
    found = planar.to_dict()["validity"]
    expected = {"valid": 0.85, "unique": 0.95, "novel": 0.9, "unique_novel": 0.85, "vun": 0.7}
    assert {key: found[key] for key in expected} == pytest.approx(expected)
    assert (found["rule"], found["num_graphs"]) == ("planar", 20)


def test_the_configuration_model_has_no_degree_error_and_erdos_renyi_no_edge_error(planar):
    assert planar.baselines["erdos_renyi"].statistics["mean_degree"].error < 0.05
    assert planar.baselines["configuration"].statistics["degree_tv"].error < 0.02
    assert planar.baselines["configuration"].mmd["orbit"].biased > 10 * planar.metrics.mmd["orbit"].biased


def test_a_set_against_itself_has_no_error(fixture_sets):
    reference = fixture_sets["rgg_er:ref"]
    result = evaluate(reference, reference)
    assert all(row.error == pytest.approx(0, abs=1e-12) for row in result.metrics.statistics.values())
    assert all(abs(row.biased) < 1e-12 for row in result.metrics.mmd.values())
    assert result.metrics.scores["gin_frechet"].value == pytest.approx(0, abs=1e-9)
    assert "baselines" not in result.to_dict()


def test_the_same_seed_gives_the_same_result(fixture_sets):
    reference, generated = fixture_sets["rgg_er:ref"], fixture_sets["rgg_er:gen"]
    first, second = (evaluate(generated, reference, baselines=[ErdosRenyi(reference)], seed=5) for _ in range(2))
    assert first == second


def test_one_graph_a_side_is_measured_with_its_floor_beside(hub_graph):
    document = evaluate([hub_graph], [hub_graph]).to_dict()
    entry = document["mmd"]["degree"]
    assert (entry["biased"], entry["unbiased"], entry["interval"], entry["floor"]) == (0, None, None, 2)
    assert "two graphs" in entry["reason"]


def test_what_is_too_large_is_null_with_a_reason():
    large = Graph.from_edges([(0, 1)], 1600)
    small = Graph.from_edges([(0, 1)], 2)
    for generated, reference in (([large], [large]), ([large], [small]), ([small], [large])):
        entry = checked(evaluate(generated, reference).to_dict())["mmd"]["spectral"]
        assert entry == {"biased": None, "reason": "the dense spectrum is limited to 1500 nodes, got 1600"}


def test_every_null_has_a_reason_on_degenerate_sets(fixture_sets, shapes):
    sets = [graphs for key, graphs in fixture_sets.items() if key.startswith("degenerate:") and graphs]
    sets.append([shapes["point"], shapes["edge"], shapes["two_points"], shapes["nothing"]])
    sets = [graphs for graphs in sets if any(graph.num_nodes for graph in graphs)]
    for reference in sets:
        for generated in sets:
            result = evaluate(generated, reference, train=sets[0], validity="tree", baselines=[ErdosRenyi(reference)])
            document = checked(result.to_dict())
            for comparison in (document, document["baselines"]["erdos_renyi"]):
                rows = [row for part in ("mmd", "scores", "statistics") for row in comparison[part].values()]
                assert all(None not in row.values() or row["reason"] for row in rows)


def test_all_isolated_and_all_complete_sets_have_large_errors(fixture_sets):
    reference = fixture_sets["planar:ref"]
    isolated = evaluate([Graph.from_edges([], 64)] * 20, reference)
    assert isolated.metrics.statistics["isolated_share"].generated == 1
    assert isolated.generated.duplicate_graphs == 19
    complete = [Graph.from_edges(np.stack(np.triu_indices(64, 1), axis=1), 64)] * 5
    assert evaluate(complete, reference).metrics.statistics["clustering"].generated == 1


def test_generating_nothing_is_an_error(shapes):
    with pytest.raises(InputError, match="generated graph, got an empty set"):
        evaluate([], [shapes["k4"]])
    with pytest.raises(InputError, match="generated graph with nodes, got 2 without any"):
        evaluate([shapes["nothing"]] * 2, [shapes["k4"]])
    with pytest.raises(InputError, match="reference graph, got an empty set"):
        evaluate([shapes["k4"]], [])
    with pytest.raises(InputError, match="train graph, got an empty set"):
        evaluate([shapes["k4"]], [shapes["k4"]], train=[])


def test_metrics_are_chosen_by_name(fixture_sets):
    sets = fixture_sets["planar:gen"], fixture_sets["planar:ref"]
    assert list(evaluate(*sets, metrics=["statistics"]).to_dict()) == ["schema", "preset", "sets", "statistics"]
    assert list(evaluate(*sets, metrics=["degree", "vun"]).to_dict()) == ["schema", "preset", "sets", "mmd", "validity"]
    assert list(evaluate(*sets, metrics=["gin"]).to_dict()) == ["schema", "preset", "sets", "scores"]
    with pytest.raises(InputError, match="expected metrics of the preset sbgd among degree"):
        evaluate(*sets, metrics=["magic"])


def test_defects_are_named_in_the_result(fixture_sets):
    sets = fixture_sets["planar:gen"], fixture_sets["planar:ref"][:12]
    result = evaluate(*sets, preset="digress", metrics=["spectral"], defects=["spectral_truncation"])
    assert checked(result.to_dict())["defects"] == ["spectral_truncation"]
    assert result.metrics.mmd["spectral"].value == pytest.approx(0.0256606293112, abs=1e-10)


def test_the_number_of_processes_changes_nothing(fixture_sets):
    sets = fixture_sets["sbm:gen"], fixture_sets["sbm:ref"]
    assert evaluate(*sets, metrics=["degree", "gin"], jobs=2) == evaluate(*sets, metrics=["degree", "gin"])


def test_graphs_of_other_libraries_are_welcome():
    pyg = pytest.importorskip("torch_geometric")
    reference = [nx.gnp_random_graph(12, 0.3, seed=seed) for seed in range(6)]
    batch = pyg.data.Batch.from_data_list([Graph.from_networkx(graph).to_pyg() for graph in reference])
    found = evaluate(batch, reference, metrics=["degree", "statistics"])
    assert found.metrics.mmd["degree"].value == 0
    assert found.generated == found.reference


def test_one_graph_is_measured_by_everything_it_allows(hub_graph):
    generator = np.random.default_rng(0)
    dressed = hub_graph.replace(
        features=generator.standard_normal((400, 3)), labels=generator.integers(0, 4, 400), node_ids=None
    )
    plain, full = reported_statistics([hub_graph], [hub_graph]), reported_statistics([dressed], [dressed])
    assert {"squares", "effective_diameter", "spectral_distance", "edge_overlap"} <= set(plain)
    assert set(full) - set(plain) == {
        "edge_homophily",
        "label_assortativity",
        "class_homophily",
        "class_homophily_2hop",
        "feature_mean",
        "feature_deviation",
        "feature_edge_correlation",
        "feature_mean_error",
        "feature_deviation_error",
        "feature_correlation_error",
    }
    document = checked(evaluate([dressed], [dressed]).to_dict())
    assert document["statistics"]["edge_overlap"]["generated"] == 1
    assert all(math.isfinite(row["reference"]) for row in document["statistics"].values())


def test_edges_in_common_are_counted_only_between_graphs_of_one_size(hub_graph, shapes):
    assert "edge_overlap" not in reported_statistics([hub_graph], [shapes["k4"]])
