import argparse
import json
import subprocess
import sys

import pytest

from sbgd.commands import evaluate
from sbgd.errors import InputError
from sbgd.evaluation.baselines import BASELINES, DensityBlocks
from sbgd.evaluation.defects import DEFECTS
from sbgd.evaluation.presets import PRESETS


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
        (["--seed", "-1"], "expected --seed of at least 0, got -1"),
        (["--seeds", "0"], "expected --seeds of at least 1, got 0"),
        (["--jobs", "0"], "expected --jobs of at least 1, got 0"),
        (["--preset", "grn"], r"expected a preset among sbgd, graphrnn, .*, got 'grn'"),
        (["--metrics", "degree,magic"], r"expected metrics of the preset sbgd among .*, got 'magic'"),
        (["--defects", "lost_eigenvalues"], r"expected defects of the preset sbgd \(none\), got 'lost_eigenvalues'"),
        (["--validity", "forest"], r"expected a rule among planar, .*, got 'forest'"),
        (["--baselines", ","], r"expected baselines among .*, or all or none, got none"),
        (["--report", "no/such/folder/report.html"], "expected a file in an existing folder"),
    ],
)
def test_wrong_usage_is_an_input_error(sbgd, edge_file, words, message):
    with pytest.raises(InputError, match=message):
        sbgd(edge_file, "--reference", edge_file, *words)


def test_named_baselines_are_those_of_the_package():
    assert {*evaluate.BASELINES} == {*BASELINES, DensityBlocks.name}


def test_every_file_is_written_and_opens(sbgd, edge_file, tmp_path):
    files = {name: tmp_path / f"report.{name}" for name in ("json", "report", "markdown", "latex")}
    flags = [word for name, path in files.items() for word in (f"--{name}", path)]
    assert sbgd(edge_file, "--reference", edge_file, "--train", edge_file, "--baselines", "erdos_renyi", *flags) == 0
    assert files["report"].read_text().startswith("<!doctype html>")
    assert "| MMD^2 | value |" in files["markdown"].read_text()
    assert files["latex"].read_text().count(r"\begin{table}") == files["latex"].read_text().count(r"\end{table}") > 2
    assert json.loads(files["json"].read_text())["preset"] == "sbgd"


def test_presets_metrics_validity_and_processes_reach_the_evaluation(sbgd, edge_file, tmp_path, capsys):
    words = ["--preset", "digress", "--metrics", "orbit,motif_4cycle,vun", "--defects", "dropped_empty_graphs"]
    more = ["--validity", "tree", "--jobs", "2", "--baselines", "none", "--json", tmp_path / "metrics.json"]
    assert sbgd(edge_file, "--reference", edge_file, *words, *more) == 0
    document = json.loads((tmp_path / "metrics.json").read_text())
    assert list(document["mmd"]) == ["orbit", "motif_4cycle"]
    assert (document["preset"], document["defects"]) == ("digress", ["dropped_empty_graphs"])
    assert document["validity"]["rule"] == "tree"
    assert "defect switched on: dropped_empty_graphs" in capsys.readouterr().out


def test_the_list_of_presets_needs_no_graphs(capsys):
    parser = argparse.ArgumentParser(prog="sbgd")
    evaluate.add_parser(parser.add_subparsers())
    with pytest.raises(SystemExit) as end:
        parser.parse_args(["evaluate", "--list-presets"])
    assert end.value.code == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in [*PRESETS, *DEFECTS])


def test_evaluation_imports_no_torch():
    code = "import sys, sbgd.evaluation, sbgd.evaluation.report; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
