import json

import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.evaluation import GRAN, STATISTICS, MMDMetric, evaluate
from sbgd.evaluation.baselines import ConfigurationModel, ErdosRenyi
from sbgd.graph import Graph


@pytest.fixture(scope="module")
def planar(fixture_sets):
    reference = fixture_sets["planar:ref"]
    baselines = [ErdosRenyi(reference), ConfigurationModel(reference)]
    return evaluate(fixture_sets["planar:gen"], reference, train=fixture_sets["planar:train"], baselines=baselines)


def test_json_is_schema_1(planar, fixture_sets, tmp_path):
    planar.save(tmp_path / "metrics.json")
    document = json.loads((tmp_path / "metrics.json").read_text())
    assert list(document) == ["schema", "sets", "mmd", "statistics", "baselines"]
    assert document["schema"] == 1
    edges = sum(graph.num_edges for graph in fixture_sets["planar:ref"])
    assert document["sets"]["reference"] == {"num_graphs": 20, "num_nodes": 1280, "num_edges": edges}
    assert list(document["mmd"]) == ["degree", "clustering", "orbit", "spectral"]
    assert set(document["mmd"]["orbit"]) == {"biased", "unbiased", "floor", "interval", "train_test"}
    assert tuple(document["statistics"]) == STATISTICS
    assert set(document["statistics"]["triangles"]) == {"reference", "generated", "error"}
    assert list(document["baselines"]) == ["erdos_renyi", "configuration"]
    assert set(document["baselines"]["configuration"]) == {"mmd", "statistics"}


def test_values_are_those_of_the_metrics(planar, fixture_sets):
    metric = MMDMetric(fixture_sets["planar:ref"], *GRAN["orbit"])
    row = planar.metrics.mmd["orbit"]
    assert row.biased == metric.value(fixture_sets["planar:gen"])
    assert row.train_test == metric.value(fixture_sets["planar:train"])
    assert row.floor == 0.1


def test_the_configuration_model_has_no_degree_error_and_erdos_renyi_no_edge_error(planar):
    assert planar.baselines["erdos_renyi"].statistics["mean_degree"].error < 0.05
    assert planar.baselines["configuration"].statistics["degree_tv"].error < 0.02
    assert planar.baselines["configuration"].mmd["orbit"].biased > 10 * planar.metrics.mmd["orbit"].biased


def test_a_set_against_itself_has_no_error(fixture_sets):
    reference = fixture_sets["rgg_er:ref"]
    result = evaluate(reference, reference)
    assert all(row.error == 0 for row in result.metrics.statistics.values())
    assert all(abs(row.biased) < 1e-12 for row in result.metrics.mmd.values())
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
        entry = evaluate(generated, reference).to_dict()["mmd"]["spectral"]
        assert entry == {"biased": None, "reason": "the dense spectrum is limited to 1500 nodes, got 1600"}


def test_every_null_has_a_reason_on_degenerate_sets(fixture_sets, shapes):
    sets = [graphs for key, graphs in fixture_sets.items() if key.startswith("degenerate:") and graphs]
    sets.append([shapes["point"], shapes["edge"], shapes["two_points"], shapes["nothing"]])
    sets = [graphs for graphs in sets if any(graph.num_nodes for graph in graphs)]
    for reference in sets:
        for generated in sets:
            document = evaluate(generated, reference, baselines=[ErdosRenyi(reference)]).to_dict()
            json.dumps(document, allow_nan=False)
            for comparison in (document, document["baselines"]["erdos_renyi"]):
                for entry in [*comparison["mmd"].values(), *comparison["statistics"].values()]:
                    assert None not in entry.values() or entry["reason"]


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
