"""Advice on the command line."""

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from sbgd.cli import main
from sbgd.formats import save
from sbgd.graph import Graph


@pytest.fixture
def dressed(tmp_path: Path) -> Path:
    graph = Graph.from_networkx(nx.barabasi_albert_graph(60, 2, seed=0))
    noise = np.random.default_rng(0).standard_normal((60, 8))
    save([graph.replace(features=noise + 0.3 * graph.to_scipy() @ noise)], tmp_path / "dressed.npz")
    return tmp_path / "dressed.npz"


def test_the_advice_names_every_choice_with_a_reason_and_writes_the_curve(
    dressed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["advise", str(dressed), "--target-error", "0.05", "--json", str(tmp_path / "advice.json")]) == 0
    printed = capsys.readouterr().out
    document = json.loads((tmp_path / "advice.json").read_text())
    for recommendation in document["recommendations"]:
        assert recommendation["subject"] in printed
        assert recommendation["reason"]
    assert document["target_is_reached"]
    assert document["predicted_error"] <= 0.05
    errors = [row["relative_w2"] for row in document["steps_curve"]]
    assert errors[0] > errors[-1]


def test_the_advice_keeps_its_word(dressed: Path, tmp_path: Path) -> None:
    """A smaller error takes more steps."""
    steps = []
    for target in ("0.1", "0.01"):
        assert main(["advise", str(dressed), "--target-error", target, "--json", str(tmp_path / "advice.json")]) == 0
        steps.append(json.loads((tmp_path / "advice.json").read_text())["score_evaluations"])
    assert steps[0] < steps[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["cora"], "expected node features on every graph of cora"),
        (["cora", "--target-error", "0"], "expected --target-error above 0"),
        (["cora", "--json", "no/such/folder/a.json"], "expected a file in an existing folder"),
    ],
)
def test_wrong_input_is_one_line(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", *words]) == 2
    assert message in capsys.readouterr().err
