import argparse
import json
import subprocess
import sys

import pytest

from sbgd.commands import evaluate
from sbgd.errors import InputError


@pytest.fixture
def sbgd():
    def call(*words):
        parser = argparse.ArgumentParser(prog="sbgd")
        evaluate.add_parser(parser.add_subparsers())
        args = parser.parse_args(["evaluate", *map(str, words)])
        return args.run(args)

    return call


@pytest.fixture
def edge_file(tmp_path, hub_graph):
    path = tmp_path / "graph.txt"
    used = hub_graph.edges[(hub_graph.edges < 100).all(axis=1)]
    path.write_text("".join(f"{u} {v}\n" for u, v in used.tolist()))
    return path


def test_every_baseline_is_measured_and_the_json_written(sbgd, edge_file, tmp_path, capsys):
    assert sbgd(edge_file, "--reference", edge_file, "--train", edge_file, "--json", tmp_path / "metrics.json") == 0
    document = json.loads((tmp_path / "metrics.json").read_text())
    assert tuple(document["baselines"]) == evaluate.BASELINES
    assert document["mmd"]["degree"]["train_test"] == 0
    blocks = document["baselines"]["density_blocks"]["statistics"]["mean_degree"]
    assert blocks["generated"] == blocks["reference"]
    printed = capsys.readouterr()
    assert "largest_component_share" in printed.out
    assert printed.err == ""


def test_baselines_are_chosen_by_name(sbgd, edge_file, tmp_path):
    for names, expected in [("none", []), ("bter, erdos_renyi", ["bter", "erdos_renyi"])]:
        sbgd(edge_file, "--reference", edge_file, "--baselines", names, "--json", tmp_path / "metrics.json")
        assert list(json.loads((tmp_path / "metrics.json").read_text()).get("baselines", {})) == expected


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--baselines", "magic"], "expected baselines among .*, got 'magic'"),
        (["--json", "no/such/folder/metrics.json"], "expected a file in an existing folder"),
        (["--seed", "-1"], "expected a seed of at least 0, got -1"),
    ],
)
def test_wrong_usage_is_an_input_error(sbgd, edge_file, words, message):
    with pytest.raises(InputError, match=message):
        sbgd(edge_file, "--reference", edge_file, *words)


def test_evaluation_imports_no_torch():
    code = "import sys, sbgd.evaluation, sbgd.evaluation.report; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
