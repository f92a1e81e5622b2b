"""Metrics of samples in validation, through the command line on a collection of small graphs."""

import csv
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch

from sbgd.cli import main
from sbgd.errors import InputError
from sbgd.evaluation import MetricCollection
from sbgd.formats import load, save
from sbgd.graph import Graph
from sbgd.models import load_model
from sbgd.sampling import SolverOptions, generate
from sbgd.tracking import SampleMetrics

CONFIG = """\
seed_everything: 0
model:
  class_path: sbgd.models.SBGD
  init_args:
    block_denoiser:
      class_path: sbgd.networks.GIN
      init_args: {width: 8, pair_width: 8, num_layers: 1}
    edge_scorer:
      class_path: sbgd.networks.EdgeScorer
      init_args: {degree_lists: false, width: 8}
data:
  class_path: sbgd.data.datamodule.BlockDataModule
  init_args:
    train: graphs.npz:train
    val: graphs.npz:val
    partitioner:
      class_path: sbgd.partition.MetisPartitioner
      init_args: {block_size: 8, merge_below: 4}
    num_partitions: 1
    batch_size: 4
    pair_batch_size: 4
    steps_per_epoch: 3
    val_batches: 1
trainer:
  accelerator: cpu
  max_steps: 12
  log_every_n_steps: 1
"""

CALLBACK = """\
  callbacks:
    - class_path: sbgd.tracking.SampleMetrics
      init_args: {preset: gran, metrics: [degree, orbit], num_graphs: 4, every_n_epochs: 2, num_steps: 3}
    - class_path: sbgd.tracking.DrawSamples
      init_args: {num_graphs: 2, every_n_epochs: 2, num_steps: 3}
"""


def fit(folder: Path, run: str, config: str, *arguments: str) -> int:
    (folder / "tiny.yaml").write_text(config)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return main(["fit", "--config", "tiny.yaml", "--run_dir", run, *arguments])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tracking")
    graphs = [Graph.from_networkx(nx.planted_partition_graph(3, 8, 0.5, 0.05, seed=i)) for i in range(12)]
    save(graphs, folder / "graphs.npz", splits={"in_order": np.repeat(np.array([0, 1], np.int8), [8, 4])})
    assert fit(folder, "watched", CONFIG + CALLBACK) == 0
    assert fit(folder, "plain", CONFIG) == 0
    return folder


def logged(run: Path) -> list[dict[str, str]]:
    with next(run.glob("metrics/*/metrics.csv")).open() as file:
        return [row for row in csv.DictReader(file) if row.get("samples/degree")]


def test_values_are_logged_every_second_epoch_with_training_value_and_floor(place: Path) -> None:
    rows = logged(place / "watched")
    assert [int(row["epoch"]) for row in rows] == [1, 3]
    names = {name for name in rows[0] if name.startswith("samples/")}
    assert names == {f"samples/{name}" for name in ("degree", "orbit", "degree_train", "orbit_train", "floor")}
    assert float(rows[0]["samples/floor"]) == 0.5


def test_the_last_values_are_those_of_the_exported_model(place: Path) -> None:
    trained = load_model(place / "watched")
    reference = load(place / "graphs.npz").graphs[8:]
    sizes = np.array([graph.num_nodes for graph in reference])
    samples = generate(trained, sizes, seed=0, options=SolverOptions(num_steps=3)).graphs
    collection = MetricCollection(reference, preset="gran", metrics=["degree", "orbit"])
    last = logged(place / "watched")[-1]
    for name, value in collection.values(samples).items():
        assert float(last[f"samples/{name}"]) == pytest.approx(value, rel=1e-5)


def test_training_goes_on_as_it_would_without(place: Path) -> None:
    watched, plain = (load_model(place / run).diffusion.state_dict() for run in ("watched", "plain"))
    assert all(torch.equal(watched[name], plain[name]) for name in plain)


def test_samples_are_drawn_every_second_epoch(place: Path) -> None:
    pages = sorted((place / "watched" / "drawings").iterdir())
    assert [page.name for page in pages] == ["step-00000006.html", "step-00000012.html"]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "Reference graph 0 and generated graph 0" in text
        assert text.count("<svg") >= 7


def test_pages_that_cannot_be_written_do_not_end_a_training(tmp_path: Path, place: Path) -> None:
    (tmp_path / "graphs.npz").write_bytes((place / "graphs.npz").read_bytes())
    (tmp_path / "blocked").mkdir()
    (tmp_path / "blocked" / "drawings").write_text("a file where a folder should be")
    with pytest.warns(UserWarning, match="no drawings of step 6"):
        assert fit(tmp_path, "blocked", CONFIG + CALLBACK) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_graphs": 0}, "expected SampleMetrics.num_graphs of at least 1, got 0"),
        ({"every_n_epochs": 0}, "expected SampleMetrics.every_n_epochs of at least 1, got 0"),
    ],
)
def test_wrong_numbers_are_refused(arguments: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        SampleMetrics(**arguments)


def test_a_wrong_name_is_found_before_training(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = CONFIG + CALLBACK.replace("orbit", "orbits")
    assert fit(place, "wrong", wrong) == 2
    assert "expected metrics of the preset gran among degree" in capsys.readouterr().err
    assert not (place / "wrong" / "model.json").exists()
