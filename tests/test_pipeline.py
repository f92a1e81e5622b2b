"""From a graph file to a table of metrics, through the command line alone."""

import json
from pathlib import Path

import pytest

from sbgd.cli import main
from sbgd.formats import load

CONFIG = """\
run_dir: run
seed_everything: 0
model:
  class_path: sbgd.models.SBGD
  init_args:
    block_denoiser: {class_path: sbgd.networks.PPGN, init_args: {width: 8, num_layers: 1}}
    edge_scorer: {class_path: sbgd.networks.EdgeScorer, init_args: {degree_lists: true, width: 8}}
    degree_lists: true
data:
  class_path: sbgd.data.datamodule.BlockDataModule
  init_args:
    train: sbm?num_graphs=4&max_communities=2:all
    num_partitions: 1
    batch_size: 4
    pair_batch_size: 2
    steps_per_epoch: 5
    val_batches: 1
trainer: {accelerator: cpu, max_steps: 10}
"""


def test_fit_sample_and_evaluate_run_from_end_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("config.yaml").write_text(CONFIG)
    data = "sbm?num_graphs=4&max_communities=2:all"
    assert main(["fit", "--config", "config.yaml"]) == 0
    assert {"config.yaml", "model.json", "model.safetensors"} <= {path.name for path in Path("run").iterdir()}

    for factor in (1, 3):
        out = f"samples_{factor}x"
        arguments = ["--num-nodes", f"x{factor}", "--num-graphs", "4", "--steps", "3"]
        assert main(["sample", "--checkpoint", "run", "--out", out, *arguments]) == 0
        assert {path.name for path in Path(out).iterdir()} == {"graphs.npz", "manifest.json"}
    once, thrice = (sorted(g.num_nodes for g in load(Path(f"samples_{f}x/graphs.npz")).graphs) for f in (1, 3))
    assert [3 * size for size in once] == thrice

    for factor in (1, 3):
        file = f"metrics_{factor}x.json"
        arguments = [f"samples_{factor}x", "--reference", data, "--baselines", "erdos_renyi", "--json", file]
        assert main(["evaluate", *arguments]) == 0
        metrics = json.loads(Path(file).read_text())
        assert metrics["schema"] == 1
        assert metrics["sets"]["generated"]["num_graphs"] == 4
        assert set(metrics["baselines"]) == {"erdos_renyi"}
    # Blocks are drawn with their training counts, so the mean degree holds even without training.
    statistics = json.loads(Path("metrics_1x.json").read_text())["statistics"]["mean_degree"]
    assert statistics["generated"] == pytest.approx(statistics["reference"], rel=0.2)
