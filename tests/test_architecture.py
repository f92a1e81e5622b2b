"""Dependencies point one way, and what is declared about the packages is true of the tree."""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# The folders of the top level are imported as sbgd.sampling, sbgd.evaluation and sbgd.checkpoints.
FOLDERS = ("sbgd", "sampling", "evaluation", "checkpoints")

# What each part may import; a part may always import itself.
ALLOWED = {
    "sbgd": {"version", "graph", "formats", "evaluation", "data", "models", "sampling"},
    "version": set(),
    "errors": set(),
    "graph_checks": {"errors"},
    "graph": {"errors", "graph_checks"},
    "formats": {"errors", "graph"},
    "partition": {"errors", "graph"},
    "evaluation": {"errors", "graph", "formats"},
    "data": {"errors", "graph", "formats", "partition"},
    "diffusion": {"errors"},
    "networks": {"errors", "data"},
    "models": {"version", "errors", "graph", "partition", "data", "diffusion", "networks"},
    "sampling": {"errors", "graph", "formats", "partition", "data", "diffusion", "models"},
    "theory": {"errors", "graph"},
    "tracking": {"errors", "graph", "data", "models", "evaluation", "sampling"},
    "commands": {
        "version",
        "errors",
        "graph",
        "formats",
        "partition",
        "evaluation",
        "data",
        "diffusion",
        "models",
        "sampling",
        "theory",
    },
    "cli": {"version", "errors", "commands"},
    "checkpoints": set(),
}

WITHOUT_TORCH = {"errors", "partition", "evaluation", "theory"}
TORCH = {"torch", "torch_geometric", "pytorch_lightning", "safetensors"}

# Planetoid files are pickles, read by an unpickler that imports nothing; torch.load raises pickle's exception.
MAY_IMPORT_PICKLE = {"sbgd/formats/planetoid.py", "sbgd/formats/tensors.py"}


def _sources() -> dict[str, Path]:
    """Maps module names to files, links not followed."""
    sources = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            inside = path.relative_to(ROOT).with_suffix("").parts
            parts = inside if folder == "sbgd" else ("sbgd", *inside)
            if not any((ROOT / Path(*inside[: i + 1])).is_symlink() for i in range(len(inside))):
                sources[".".join(part for part in parts if part != "__init__")] = path
    return sources


SOURCES = _sources()
TREES = {name: ast.parse(path.read_text()) for name, path in SOURCES.items()}


def part(module: str) -> str:
    return module.split(".")[1] if "." in module else module


def imported(module: str) -> Iterator[str]:
    """All modules that a module imports, in functions too; `from sbgd import x` counts as `sbgd.x` if that exists."""
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in SOURCES else node.module for name in names)


@pytest.mark.parametrize("module", SOURCES)
def test_imports_point_one_way(module: str) -> None:
    wanted = {part(name) for name in imported(module) if name.split(".")[0] == "sbgd"}
    assert wanted - {part(module)} <= ALLOWED[part(module)]


def test_the_rules_allow_no_cycle() -> None:
    placed: set[str] = set()
    while len(placed) < len(ALLOWED):
        free = {name for name, below in ALLOWED.items() if below <= placed} - placed
        assert free, f"a cycle among {set(ALLOWED) - placed}"
        placed |= free


def test_networks_know_batches_and_nothing_else_of_the_data() -> None:
    for module in SOURCES:
        if part(module) == "networks":
            assert {name for name in imported(module) if name.startswith("sbgd.data")} <= {"sbgd.data.batch"}


def test_evaluation_and_partition_never_mention_torch() -> None:
    for module in SOURCES:
        if part(module) in WITHOUT_TORCH:
            assert not {name.split(".")[0] for name in imported(module)} & TORCH, module


@pytest.mark.parametrize(
    "module",
    ["sbgd", "sbgd.cli", "sbgd.graph", "sbgd.formats", "sbgd.partition", "sbgd.evaluation", "sbgd.data.sources"],
)
def test_import_leaves_torch_out(module: str) -> None:
    code = f"import sys, {module}; print(*sorted({TORCH} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")


def test_no_import_is_relative() -> None:
    for module, tree in TREES.items():
        assert not [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level], module


def test_only_the_guarded_readers_import_pickle() -> None:
    unsafe = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
    found = {
        str(SOURCES[module].relative_to(ROOT))
        for module in SOURCES
        if {name.split(".")[0] for name in imported(module)} & unsafe
    }
    assert found <= MAY_IMPORT_PICKLE


def test_declared_packages_are_those_of_the_tree() -> None:
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    found = {name for name, path in SOURCES.items() if path.name == "__init__.py"}
    assert set(setuptools["packages"]) == found
    assert len(setuptools["packages"]) == len(found)


def test_package_links_point_at_the_folders_of_the_top_level() -> None:
    for name in ("sampling", "evaluation", "checkpoints"):
        assert (ROOT / "sbgd" / name).resolve() == ROOT / name
