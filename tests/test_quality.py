"""The main job at its real size: what `make quickstart` trains must generate graphs like Cora, at 1x and 4x."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sbgd.cli import main

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def quickstart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("quickstart") / "run"
    config = ROOT / "configs" / "experiment" / "quickstart.yaml"
    assert main(["fit", "--config", str(config), "--run_dir", str(run)]) == 0
    for size in ("1x", "4x"):
        samples = str(run / size)
        assert main(["sample", "--checkpoint", str(run), "--num-nodes", f"x{size[0]}", "--out", samples]) == 0
        target = str(run / f"{size}.json")
        arguments = ["--reference", "cora", "--train", "cora", "--baselines", "bter", "--json", target]
        assert main(["evaluate", samples, *arguments]) == 0
    return run


def _metrics(run: Path, size: str) -> dict[str, Any]:
    return json.loads((run / f"{size}.json").read_text())


def test_a_sample_of_coras_size_resembles_cora(quickstart: Path) -> None:
    values = {name: row["generated"] for name, row in _metrics(quickstart, "1x")["statistics"].items()}
    assert values["clustering"] >= 0.14
    assert values["isolated_share"] <= 0.01
    assert values["largest_component_share"] >= 0.985
    assert values["degree_tv"] <= 0.06
    assert abs(values["modularity"] - 0.81) <= 0.05


def test_a_sample_four_times_as_large_keeps_clustering_and_path_length(quickstart: Path) -> None:
    values = {name: row["generated"] for name, row in _metrics(quickstart, "4x")["statistics"].items()}
    assert values["clustering"] >= 0.13
    assert 6 <= values["mean_path_length"] <= 8.5


def test_the_sample_beats_bter_where_bter_is_weak(quickstart: Path) -> None:
    metrics = _metrics(quickstart, "1x")
    ours, baseline = metrics["statistics"], metrics["baselines"]["bter"]["statistics"]
    for name in ("triangles", "assortativity", "isolated_share", "largest_component_share", "degree_tv", "modularity"):
        assert ours[name]["error"] < baseline[name]["error"], name


def test_few_blocks_are_copies_of_training_blocks(quickstart: Path) -> None:
    found = _metrics(quickstart, "1x")["memorisation"]
    assert found["undecided"] == 0
    assert found["share"] <= 0.05


def test_peak_memory_does_not_grow_with_the_graph(tmp_path: Path) -> None:
    # The bundled model at 1x and 10x; steps do not change memory, so few will do.
    code = "import resource, sys; from sbgd.cli import main; code = main(sys.argv[1:]); "
    code += "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss); sys.exit(code)"
    peaks = []
    for size in ("x1", "x10"):
        arguments = ["sample", "--checkpoint", "cora", "--num-nodes", size, "--steps", "3"]
        command = [sys.executable, "-c", code, *arguments, "--out", str(tmp_path / size)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout.split()[-1]))
    assert peaks[1] <= 1.1 * peaks[0]
