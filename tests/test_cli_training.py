"""Training through the command line, on a graph of fifty nodes."""

import csv
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import pytest
import torch
import wandb
import yaml
from safetensors.torch import load_file

from sbgd.cli import main
from sbgd.diffusion import GaussianProcess, VPSchedule
from sbgd.models import load_model

CONFIG = """\
seed_everything: 0
model:
  class_path: sbgd.models.SBGD
  init_args:
    block_denoiser:
      class_path: sbgd.networks.PPGN
      init_args: {width: 8, num_layers: 1}
    edge_scorer:
      class_path: sbgd.networks.EdgeScorer
      init_args: {degree_lists: false, width: 8}
data:
  class_path: sbgd.data.datamodule.BlockDataModule
  init_args:
    train: graph.txt
    partitioner:
      class_path: sbgd.partition.MetisPartitioner
      init_args: {block_size: 8, merge_below: 4}
    num_partitions: 2
    batch_size: 4
    pair_batch_size: 4
    steps_per_epoch: 4
    val_batches: 1
trainer:
  accelerator: cpu
  max_steps: 10
  log_every_n_steps: 1
"""


def _workplace(folder: Path) -> Path:
    """Writes the configuration and a graph of five communities."""
    law = [[0.4 if i == j else 0.04 for j in range(5)] for i in range(5)]
    edges = nx.stochastic_block_model([10] * 5, law, seed=0).edges()
    (folder / "graph.txt").write_text("".join(f"{u} {v}\n" for u, v in edges))
    (folder / "tiny.yaml").write_text(CONFIG)
    return folder


def _fit(folder: Path, *arguments: str) -> int:
    """Runs `sbgd fit` inside a folder, where nothing can be logged in to."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.delenv("WANDB_MODE", raising=False)
        patch.delenv("WANDB_API_KEY", raising=False)
        patch.setenv("HOME", str(folder))
        return main(["fit", "--config", "tiny.yaml", *arguments])


def _raw_weights(run: Path) -> dict[str, torch.Tensor]:
    """Returns the weights that were being trained, not averaged, from the last checkpoint."""
    weights: dict[str, torch.Tensor] = torch.load(run / "checkpoints" / "last.ckpt", weights_only=True)[
        "current_model_state"
    ]
    return {name.removeprefix("diffusion."): value for name, value in weights.items()}


def _exported(run: Path) -> dict[str, torch.Tensor]:
    tensors = load_file(run / "model.safetensors")
    return {name.removeprefix("weights."): value for name, value in tensors.items() if name.startswith("weights.")}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run of ten steps in `run`."""
    folder = _workplace(tmp_path_factory.mktemp("training"))
    assert _fit(folder, "--run_dir", "run") == 0
    return folder


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    return _workplace(tmp_path)


def test_a_run_folder_holds_everything(place: Path) -> None:
    run = place / "run"
    for name in ("config.yaml", "model.safetensors", "model.json", "checkpoints/last.ckpt"):
        assert (run / name).is_file()
    rows = list(csv.DictReader((run / "metrics" / "version_0" / "metrics.csv").open()))
    steps = {int(row["step"]) for row in rows if row["train/block"]}
    assert steps == set(range(10))
    assert any(row["val/loss"] for row in rows)
    assert load_model(run).metadata["steps"] == 10


def test_the_saved_config_repeats_the_run(place: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        assert main(["fit", "--config", "run/config.yaml", "--run_dir", "again"]) == 0
    assert (place / "again" / "model.safetensors").read_bytes() == (place / "run" / "model.safetensors").read_bytes()
    saved, repeated = (yaml.safe_load((place / name / "config.yaml").read_text()) for name in ("run", "again"))
    assert saved.pop("run_dir") == "run"
    assert repeated.pop("run_dir") == "again"
    assert saved == repeated


def test_another_seed_gives_another_model(place: Path) -> None:
    assert _fit(place, "--run_dir", "other", "--seed_everything", "1") == 0
    assert (place / "other" / "model.safetensors").read_bytes() != (place / "run" / "model.safetensors").read_bytes()


@pytest.mark.parametrize("stop", [4, 5, 6])
def test_a_resumed_run_equals_an_uninterrupted_one(place: Path, stop: int) -> None:
    # Warm-up is longer than the run, so the shorter run has the same learning rates up to where it stops.
    part, whole = f"part{stop}", f"whole{stop}"
    assert _fit(place, "--run_dir", part, "--trainer.max_steps", str(stop)) == 0
    checkpoint = f"{part}/checkpoints/last.ckpt"
    assert _fit(place, "--run_dir", whole, "--ckpt_path", checkpoint) == 0
    expected, resumed = _raw_weights(place / "run"), _raw_weights(place / whole)
    assert expected.keys() == resumed.keys()
    for name, value in expected.items():
        assert torch.equal(value, resumed[name]), name
    assert (place / whole / "model.safetensors").read_bytes() == (place / "run" / "model.safetensors").read_bytes()


def test_a_run_can_be_continued_in_its_own_folder(fresh: Path) -> None:
    assert _fit(fresh, "--run_dir", "run", "--trainer.max_steps", "5") == 0
    assert _fit(fresh, "--run_dir", "run", "--ckpt_path", "run/checkpoints/last.ckpt") == 0
    assert load_model(fresh / "run").metadata["steps"] == 10
    # The metrics of both starts are kept.
    assert (fresh / "run" / "metrics" / "version_0" / "metrics.csv").is_file()
    assert (fresh / "run" / "metrics" / "version_1" / "metrics.csv").is_file()


def test_checkpoints_load_without_unpickling_code(place: Path) -> None:
    checkpoint = torch.load(place / "run" / "checkpoints" / "last.ckpt", weights_only=True)
    assert checkpoint["global_step"] == 10


def test_averaged_weights_are_exported(place: Path) -> None:
    # Two steps with decay 0.9: the average starts at the weights after step one.
    for name, steps, decay in (("one", "1", "0"), ("two", "2", "0"), ("averaged", "2", "0.9")):
        assert _fit(place, "--run_dir", name, "--trainer.max_steps", steps, "--ema_decay", decay) == 0
    one, two, averaged = (_exported(place / name) for name in ("one", "two", "averaged"))
    raw = _raw_weights(place / "averaged")
    changed = 0
    for name, value in averaged.items():
        assert torch.allclose(value, 0.9 * one[name] + 0.1 * two[name], atol=1e-6), name
        assert torch.equal(raw[name], two[name]), name
        changed += int(not torch.equal(value, raw[name]))
    assert changed > 5


def test_validate_and_test_read_a_checkpoint(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        for verb in ("validate", "test"):
            before = (place / "run" / "model.safetensors").read_bytes()
            arguments = ["--config", "tiny.yaml", "--run_dir", "run", "--ckpt_path", "run/checkpoints/last.ckpt"]
            assert main([verb, *arguments]) == 0
            assert (place / "run" / "model.safetensors").read_bytes() == before


def test_an_existing_run_is_not_touched(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in (place / "run").rglob("*") if path.is_file()}
    assert _fit(place, "--run_dir", "run") == 2
    assert "expected a new run folder, got run" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in (place / "run").rglob("*") if path.is_file()} == before


def test_overwrite_replaces_a_run(fresh: Path) -> None:
    assert _fit(fresh, "--run_dir", "run", "--trainer.max_steps", "2") == 0
    assert _fit(fresh, "--run_dir", "run", "--trainer.max_steps", "3", "--overwrite", "true") == 0
    assert load_model(fresh / "run").metadata["steps"] == 3
    assert [path.name for path in (fresh / "run" / "metrics").iterdir()] == ["version_0"]
    assert "step=2.ckpt" not in {path.name for path in (fresh / "run" / "checkpoints").iterdir()}


def test_a_failed_start_does_not_clear_the_run_it_was_to_replace(fresh: Path) -> None:
    assert _fit(fresh, "--run_dir", "run", "--trainer.max_steps", "2") == 0
    broken = ("--run_dir", "run", "--overwrite", "true", "--data.init_args.train", "missing.csv")
    assert _fit(fresh, *broken) == 2
    assert load_model(fresh / "run").metadata["steps"] == 2


def test_the_paper_mode_trains(fresh: Path) -> None:
    (fresh / "paper.yaml").write_text(
        """\
model:
  class_path: sbgd.models.SBGD
  init_args:
    block_denoiser: {class_path: sbgd.networks.GIN, init_args: {width: 8, pair_width: 8, num_layers: 1}}
    pair_denoiser: {class_path: sbgd.networks.PairDenoiser, init_args: {width: 8, pair_width: 8, num_layers: 1}}
    edge_scorer: null
    process:
      class_path: sbgd.diffusion.GaussianProcess
      init_args: {schedule: {class_path: sbgd.diffusion.VPSchedule, init_args: {beta_min: 0.2, beta_max: 15.0}}}
    factorisation: independent
data: {init_args: {empty_pair_share: 0.5}}
"""
    )
    assert _fit(fresh, "--run_dir", "run", "--trainer.max_steps", "2", "--config", "paper.yaml") == 0
    diffusion = load_model(fresh / "run").diffusion
    assert diffusion.independent
    assert isinstance(diffusion.process, GaussianProcess)
    assert diffusion.process.schedule == VPSchedule(0.2, 15.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--nope", "1"], "unrecognized arguments: --nope"),
        (["--model.init_args.nope", "3"], "'nope'"),
        (["--data.init_args.nope", "3"], "'nope'"),
        (["--trainer.nope", "3"], "--trainer.nope"),
        (["--config", "missing.yaml"], "missing.yaml"),
        (["--data.init_args.partitioner.init_args.block_size", "0"], "block_size of at least 1, got 0"),
        (["--data.init_args.batch_size", "0"], "data.batch_size of at least 1, got 0"),
        (["--data.init_args.num_partitions", "0"], "data.num_partitions of at least 1, got 0"),
        (["--data.init_args.steps_per_epoch", "-1"], "data.steps_per_epoch of at least 1, got -1"),
        (["--data.init_args.empty_pair_share", "1"], "data.empty_pair_share in [0, 1)"),
        (["--trainer.max_steps", "0"], "trainer.max_steps of at least 1, got 0"),
        (["--trainer.max_steps", "many"], "trainer.max_steps"),
        (["--model.init_args.factorisation", "joint"], "factorisation"),
        (["--wandb", "perhaps"], "--wandb"),
        (["--data.init_args.train", "missing.txt"], "'missing.txt'"),
        (["--data.init_args.train", "words.txt"], "words.txt"),
        (["--data.init_args.train", "empty.txt"], "empty.txt"),
        (["--data.init_args.train", "loops.txt"], "self-loop"),
        (["--data.init_args.features", "true"], "node features in graph.txt since data.features is true, got none"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_input_is_one_line_and_leaves_no_run(
    fresh: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    (fresh / "words.txt").write_text("lonely\nwords\n")
    (fresh / "empty.txt").write_text("")
    (fresh / "loops.txt").write_text("0 1\n1 1\n")
    assert _fit(fresh, "--run_dir", "run", *arguments) == 2
    error = capfd.readouterr().err
    assert error.startswith("sbgd: error: ")
    assert error.count("\n") == 1
    assert message in error
    assert not [path for path in (fresh / "run").rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["--ema_decay", "2"], id="decay"),
        pytest.param(["--model.init_args.learning_rate", "-1"], id="rate"),
        pytest.param(["--ckpt_path", "missing.ckpt"], id="checkpoint"),
        pytest.param(["--ckpt_path", "graph.txt"], id="no checkpoint"),
    ],
)
def test_wrong_values_that_others_check_are_one_line_as_well(
    fresh: Path, capfd: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert _fit(fresh, "--run_dir", "run", *arguments) == 2
    error = capfd.readouterr().err
    assert error.startswith("sbgd: error: ")
    assert error.count("\n") == 1
    assert not [path for path in (fresh / "run").rglob("*") if path.is_file()]


@pytest.fixture
def tracker() -> Iterator[None]:
    """Ends what a run has started, or the next run of this process would join it."""
    yield
    wandb.finish(exit_code=0)


@pytest.mark.usefixtures("tracker")
@pytest.mark.parametrize("mode", ["offline", "online"])
def test_tracking_never_stops_a_run_and_csv_goes_on(fresh: Path, monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    # `online` without a login or a network warns and goes on.
    monkeypatch.setenv("WANDB_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("WANDB_SILENT", "true")
    assert _fit(fresh, "--run_dir", "run", "--wandb", mode, "--trainer.max_steps", "4") == 0
    assert (fresh / "run" / "metrics" / "version_0" / "metrics.csv").is_file()
    assert (fresh / "run" / "model.safetensors").is_file()
    if mode == "offline":
        assert list((fresh / "run").glob("wandb/offline-run-*"))
