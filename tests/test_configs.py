"""Every experiment is a command line that parses, and its folder is named after its file."""

import functools
from pathlib import Path
from typing import Any

import pytest
import pytorch_lightning as pl
import yaml

from sbgd.cli import main
from sbgd.data.collection_data import CollectionDataModule
from sbgd.data.datamodule import BlockDataModule
from sbgd.data.graph_data import GraphDataModule
from sbgd.data.sources import dataset_names
from sbgd.data.sources.spec import DatasetSpec
from sbgd.models import DiffusionModule

CONFIGS = Path(__file__).parents[1] / "configs"
EXPERIMENTS = sorted((CONFIGS / "experiment").glob("*.yaml"))


@pytest.fixture(params=EXPERIMENTS, ids=lambda path: path.stem)
def experiment(request: pytest.FixtureRequest) -> Path:
    return request.param


def test_there_are_experiments() -> None:
    assert EXPERIMENTS


def test_an_experiment_prints_its_resolved_config(experiment: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["fit", "--config", str(experiment), "--print_config"])
    assert stopped.value.code == 0
    resolved = yaml.safe_load(capsys.readouterr().out)
    assert resolved["run_dir"] == f"runs/{experiment.stem}"
    assert resolved["seed_everything"] is not None


def test_an_experiment_builds_its_model_and_data(
    experiment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: dict[str, Any] = {}

    @functools.wraps(pl.Trainer.fit)
    def record(self: pl.Trainer, model: object, datamodule: object = None, **options: object) -> None:
        built.update(model=model, data=datamodule)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pl.Trainer, "fit", record)
    # Not every data set comes with the package.
    for data in (BlockDataModule, GraphDataModule):
        monkeypatch.setattr(data, "setup", lambda self, stage=None: None)
    assert main(["fit", "--config", str(experiment), "--trainer.accelerator=cpu"]) == 0
    assert isinstance(built["model"], DiffusionModule)
    assert isinstance(built["data"], CollectionDataModule)
    for spec in (built["data"].train, built["data"].val):
        assert spec is None or DatasetSpec.parse(spec).name in dataset_names()


@pytest.mark.parametrize("path", sorted(CONFIGS.rglob("*.yaml")), ids=lambda path: path.stem)
def test_a_config_says_in_its_first_line_what_it_is(path: Path) -> None:
    first = path.read_text().splitlines()[0]
    assert first.startswith("# ")
    assert first.endswith(".")
