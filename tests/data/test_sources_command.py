import argparse
import json
from pathlib import Path

import numpy as np
import pytest

from sbgd.commands import data
from sbgd.commands.read_options import read_options
from sbgd.errors import InputError
from sbgd.formats import ReadOptions, load, save
from sbgd.graph import Graph


def parse(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    data.add_parser(parser.add_subparsers())
    return parser.parse_args(["data", *words])


def run(*words: str) -> int:
    args = parse(*words)
    return int(args.run(args))


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    graphs = [
        Graph.from_edges([(0, 1)], 4, labels=[0, 1, 1, 1]),
        Graph.from_edges([(0, 1), (1, 2)], 3, labels=[0, 0, 1]),
    ]
    save(graphs, tmp_path / "two.npz", splits={"mine": np.array([0, 2], np.int8)})
    return tmp_path / "two.npz"


def test_a_description_holds_every_figure(collection: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(str(collection)) == 0
    lines = capsys.readouterr().out.splitlines()
    for line in (
        "graphs: 2",
        "nodes: 3 / 3.5 / 4",
        "edges: 1 / 1.5 / 2",
        "components: 1 / 2 / 3",
        "isolated nodes: 2",
        "features: 0",
        "node classes: 2",
        "splits: mine 1/0/1",
        "reading: 3 edges kept",
    ):
        assert line in lines


def test_figures_are_written_as_json(collection: Path, tmp_path: Path) -> None:
    run(str(collection), "--json", str(tmp_path / "out.json"))
    figures = json.loads((tmp_path / "out.json").read_text())
    assert figures["schema"] == 1
    assert figures["edges"] == [1, 1.5, 2]


def test_conversion_to_npz_keeps_the_splits(collection: Path, tmp_path: Path) -> None:
    run(str(collection), "--convert", str(tmp_path / "out.npz"))
    assert load(tmp_path / "out.npz").splits["mine"].tolist() == [0, 2]


def test_conversion_says_what_a_format_cannot_hold(
    collection: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(str(collection), "--convert", str(tmp_path / "out"), "--format", "graphml")
    assert "not written, npz holds it: split mine" in capsys.readouterr().out
    assert load(tmp_path / "out").graphs == load(collection).graphs


def test_known_names_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    run("--list")
    assert "cora: bundled" in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("words", "fragment"),
    [
        ((), "expected a data set name or path, got none"),
        (("cora", "--format", "npz"), "expected --convert OUT with --format"),
        (("cora", "--convert", "out.dot"), "expected a format to write among"),
    ],
)
def test_wrong_usage_is_one_line(words: tuple[str, ...], fragment: str) -> None:
    with pytest.raises(InputError, match=fragment):
        run(*words)


def test_policies_come_from_the_command_line() -> None:
    assert read_options(parse("x")) == ReadOptions()
    policies = ["--self-loops", "drop", "--directed", "symmetrise", "--non-finite", "mean"]
    words = [*policies, "--weights", "ignore", "--weight-threshold", "0.5"]
    assert read_options(parse("x", *words)) == ReadOptions("drop", "symmetrise", "ignore", 0.5, "mean")
