"""Where the numbers and pictures of a report come from: versions, seeds, digests, configuration."""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sbgd.evaluation.report import RunRecord, graphs_digest
from sbgd.version import __version__

if TYPE_CHECKING:
    from sbgd.commands.evaluate import Measured
    from sbgd.graph import Graph

_PACKAGES = ("numpy", "scipy", "networkx", "scikit-learn", "pymetis", "torch")
_OPTIONS = ("preset", "metrics", "defects", "validity", "baselines", "seed", "seeds")


def run_record(
    args: argparse.Namespace,
    measured: Measured,
    manifest: Mapping[str, Any],
    checkpoint: str | None,
    *,
    blocks: Mapping[str, str],
) -> RunRecord:
    """Gathers the record of a report.

    Args:
        args: The command line.
        measured: Graphs and numbers.
        manifest: What `sbgd sample` wrote beside the graphs, empty where they came from elsewhere.
        checkpoint: The model that was named.
        blocks: How the graphs of both sets were cut for the drawings.
    """
    data = {"generated": (args.generated, measured.generated), "reference": (args.reference, measured.reference)}
    if measured.train is not None:
        data["train"] = (args.train, measured.train)
    groups = {
        "Data": {which: _data_line(name, graphs) for which, (name, graphs) in data.items()},
        "Generation": _generation(manifest),
        "Training": _rows(manifest.get("training")),
        "Model shown": _model(checkpoint),
        "Blocks in drawings": blocks,
        "Evaluation": {name: str(getattr(args, name)) for name in _OPTIONS if getattr(args, name) not in (None, "")},
        "Versions": _versions(),
    }
    return RunRecord({name: rows for name, rows in groups.items() if rows}, _files(checkpoint))


def model_digest(folder: Path) -> str:
    """Returns the SHA-256 of the weights in a model folder."""
    from sbgd.models.model_folder import WEIGHTS

    return hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest()


def _data_line(name: str, graphs: Sequence[Graph]) -> str:
    return f"{name} (graphs, SHA-256 {graphs_digest(graphs)})"


def _generation(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Returns what the manifest says of the run, without what is known of every graph."""
    kept = ("version", "torch", "checkpoint", "request", "seed", "files")
    return _rows({name: manifest[name] for name in kept if name in manifest})


def _rows(found: Any) -> dict[str, str]:
    """Returns names and values as text, nested ones joined; nothing for what is no mapping."""
    if not isinstance(found, Mapping):
        return {}
    return {str(name): _text(value) for name, value in found.items() if value is not None}


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_text(inner)}" for name, inner in value.items() if inner is not None)
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return str(value)


def _model(checkpoint: str | None) -> dict[str, str]:
    if checkpoint is None:
        return {}
    from sbgd.models.bundled import find_model

    return {"name": checkpoint, "weights, SHA-256": model_digest(find_model(checkpoint))}


def _files(checkpoint: str | None) -> dict[str, str]:
    """Returns the configuration of the run and the description of the model."""
    if checkpoint is None:
        return {}
    from sbgd.models.bundled import find_model
    from sbgd.models.model_folder import DESCRIPTION

    folder = find_model(checkpoint)
    names = [name for name in ("config.yaml", DESCRIPTION) if (folder / name).is_file()]
    texts = {name: (folder / name).read_text(encoding="utf-8") for name in names}
    if DESCRIPTION in texts:
        texts[DESCRIPTION] = json.dumps(json.loads(texts[DESCRIPTION]), indent=1, sort_keys=True)
    return texts


def _versions() -> dict[str, str]:
    found = {"sbgd": __version__, "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return {**found, "system": f"{platform.system()} {platform.machine()}"}
