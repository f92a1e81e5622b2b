"""The study runs, and what it writes agrees with itself."""

import csv
import importlib.util
import math
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "convergence_study.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("convergence_study", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def read(folder: Path) -> tuple[list[dict[str, str]], str]:
    with (folder / "curves.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file)), (folder / "conclusions.md").read_text(encoding="utf-8")


def check(folder: Path) -> None:
    rows, text = read(folder)
    names = {row["study"] for row in rows}
    assert text.count("\n## ") == len(names)
    for name in names:
        assert (folder / f"{name}.png").stat().st_size > 10_000
        assert (folder / f"{name}.svg").read_text(encoding="utf-8").startswith("<?xml")
    for row in rows:
        if row.get("kl"):
            assert math.isclose(
                float(row["kl"]), float(row["kl_per_dimension"]) * float(row["dimension"]), rel_tol=1e-9
            )
    heun = next(row for row in rows if (row["study"], row["series"], float(row["value"])) == ("steps", "heun", 20.0))
    assert f"heun: {float(heun['relative_w2']):.2e} at 20 steps" in text


def test_figures_and_conclusions_follow_from_the_table(script: ModuleType, tmp_path: Path) -> None:
    settings = script.Settings(sizes=(30, 60), size=60, num_graphs=2)
    script.write(tmp_path, [script.eigenvalues(settings), script.steps(settings), script.length(settings)])
    check(tmp_path)


def test_equal_studies_write_equal_files(script: ModuleType, tmp_path: Path) -> None:
    settings = script.Settings(sizes=(30, 60), size=60, num_graphs=2)
    for name in ("first", "second"):
        script.write(tmp_path / name, [script.eigenvalues(settings)])
    for file in sorted((tmp_path / "first").iterdir()):
        assert file.read_bytes() == (tmp_path / "second" / file.name).read_bytes(), file.name


@pytest.mark.slow
def test_the_quick_study_runs_from_the_command_line(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(SCRIPT), "--quick", "--out", str(tmp_path)], check=True)
    check(tmp_path)
