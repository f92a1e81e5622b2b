"""Every experiment is a command line that parses, and its folder is named after its file."""

from pathlib import Path

import pytest
import yaml

from sbgd.cli import main
from sbgd.commands.training import TrainingCLI
from sbgd.data.datamodule import BlockDataModule
from sbgd.data.sources import dataset_names
from sbgd.data.sources.spec import DatasetSpec
from sbgd.models import SBGD

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
    monkeypatch.chdir(tmp_path)
    built = TrainingCLI(
        SBGD,
        BlockDataModule,
        args=["--config", str(experiment), "--trainer.accelerator=cpu"],
        run=False,
        save_config_callback=None,
        subclass_mode_model=True,
        subclass_mode_data=True,
        auto_configure_optimizers=False,
    )
    assert isinstance(built.model, SBGD)
    assert isinstance(built.datamodule, BlockDataModule)
    for spec in (built.datamodule.train, built.datamodule.val):
        assert spec is None or DatasetSpec.parse(spec).name in dataset_names()


@pytest.mark.parametrize("path", sorted(CONFIGS.rglob("*.yaml")), ids=lambda path: path.stem)
def test_a_config_says_in_its_first_line_what_it_is(path: Path) -> None:
    first = path.read_text().splitlines()[0]
    assert first.startswith("# ")
    assert first.endswith(".")
