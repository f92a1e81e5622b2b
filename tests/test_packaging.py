"""What a user installs: one package `sbgd` with all its modules and data, and nothing beside it."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MAPPED = ("sampling", "evaluation", "checkpoints")
SOURCES = ("sbgd", *MAPPED, "pyproject.toml", "README.md", "LICENSE")
OLDEST_SETUPTOOLS = 77

IMPORT_ALL = """
import importlib, pkgutil, sys
import sbgd
names = [module.name for module in pkgutil.walk_packages(sbgd.__path__, "sbgd.")]
for name in names:
    importlib.import_module(name)
print(sbgd.__file__, *names)
"""

READ_DATA = """
from importlib import resources
from sbgd.data.sources import load_dataset, published
bundled = resources.files("sbgd.data") / "bundled"
print(load_dataset("cora").graphs[0], len(published()) > 0, *sorted(file.name for file in bundled.iterdir()))
"""


def names_in(archive: Path) -> set[str]:
    with zipfile.ZipFile(archive) as file:
        return set(file.namelist())


def files_below(folder: Path, pattern: str = "*") -> set[str]:
    """Files below a folder of the checkout, caches left out, as paths in the package."""
    prefix = "" if (ROOT / "sbgd") in (folder, *folder.parents) else "sbgd/"
    found = (path for path in folder.rglob(pattern) if path.is_file() and "__pycache__" not in path.parts)
    return {f"{prefix}{path.relative_to(ROOT).as_posix()}" for path in found}


def build(kind: str, folder: Path, out: Path) -> Path:
    """Calls the build backend as pip and build do."""
    code = f"from setuptools import build_meta; build_meta.build_{kind}({str(out)!r})"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return next(out.iterdir())


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, links kept: building writes beside them, and an old build folder would leak in."""
    found = version("setuptools")
    if int(found.split(".")[0]) < OLDEST_SETUPTOOLS:
        pytest.skip(f"pyproject.toml asks for setuptools {OLDEST_SETUPTOOLS} or newer, got {found}")
    folder = tmp_path_factory.mktemp("source")
    ignore = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=ignore)
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="session")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", source, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked wheel."""
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder)
    return folder


def run_installed(code: str, site: Path, cwd: Path) -> str:
    """Runs code that sees the unpacked wheel first, and neither the checkout nor the working folder."""
    script = f"import sys; sys.path.insert(0, {str(site)!r})\n{code}"
    environment = {**os.environ, "SBGD_CACHE": str(cwd / "cache"), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-I", "-c", script]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", MAPPED)
def test_a_link_is_relative_so_that_a_checkout_can_be_moved(name: str) -> None:
    link = ROOT / "sbgd" / name
    assert link.is_symlink()
    assert link.readlink() == Path("..") / name


@pytest.mark.slow
def test_a_wheel_holds_every_module_once_under_its_imported_name(wheel: Path) -> None:
    modules = {name for folder in ("sbgd", *MAPPED) for name in files_below(ROOT / folder, "*.py")}
    assert {name for name in names_in(wheel) if name.endswith(".py")} == modules


@pytest.mark.slow
def test_a_wheel_installs_one_top_level_package(wheel: Path) -> None:
    roots = {name.split("/")[0] for name in names_in(wheel)}
    assert {root for root in roots if not root.endswith(".dist-info")} == {"sbgd"}


@pytest.mark.slow
def test_a_wheel_holds_the_data_and_models_of_the_checkout(wheel: Path) -> None:
    models = {name for name in files_below(ROOT / "checkpoints") if name.count("/") == 3}
    bundled = files_below(ROOT / "sbgd" / "data" / "bundled")
    assert {"sbgd/py.typed", "sbgd/data/bundled/cora.npz"} <= names_in(wheel)
    assert models | bundled <= names_in(wheel)


@pytest.mark.slow
def test_a_wheel_built_from_the_sdist_is_the_same(
    source: Path, wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    sdist = build("sdist", source, tmp_path_factory.mktemp("sdist"))
    unpacked = tmp_path_factory.mktemp("unpacked")
    shutil.unpack_archive(sdist, unpacked, filter="data")
    rebuilt = build("wheel", next(unpacked.iterdir()), tmp_path_factory.mktemp("rebuilt"))
    assert names_in(rebuilt) == names_in(wheel)


@pytest.mark.slow
def test_every_module_imports_from_the_wheel(site: Path, tmp_path: Path) -> None:
    origin, *modules = run_installed(IMPORT_ALL, site, tmp_path).split()
    assert Path(origin) == site / "sbgd" / "__init__.py"
    assert {"sbgd.sampling.generate", "sbgd.evaluation.baselines.bter", "sbgd.checkpoints"} <= set(modules)
    present = {path.relative_to(site).with_suffix("") for path in (site / "sbgd").rglob("*.py")}
    dotted = {".".join(path.parts).removesuffix(".__init__") for path in present}
    assert set(modules) == dotted - {"sbgd"}


@pytest.mark.slow
def test_bundled_data_loads_from_the_wheel(site: Path, tmp_path: Path) -> None:
    expected = "Graph(num_nodes=2485, num_edges=5069) True README.md cora.npz published.json"
    assert run_installed(READ_DATA, site, tmp_path).strip() == expected


@pytest.mark.slow
def test_the_command_starts_from_the_wheel(site: Path, tmp_path: Path) -> None:
    help_text = run_installed("from sbgd.cli import main; main(['--help'])", site, tmp_path)
    for verb in ("fit", "sample", "evaluate", "partition", "data"):
        assert re.search(rf"^    {verb}\b", help_text, re.MULTILINE)
    entry_points = next(site.glob("*.dist-info")) / "entry_points.txt"
    assert "sbgd = sbgd.cli:main" in entry_points.read_text()
