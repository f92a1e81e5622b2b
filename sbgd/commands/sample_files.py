"""What `sbgd sample` writes besides shards: graph files, and what every manifest begins with."""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sbgd.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sbgd.graph import Graph


def check_place(out: Path, overwrite: bool) -> None:
    """Makes sure that graph files can be written into a folder and that nothing is lost by it.

    Raises:
        InputError: The folder cannot be written to, or holds samples, an unfinished sample or foreign graph files.
    """
    from sbgd.commands.outputs import check_folder
    from sbgd.formats.sharded import JOB, WORK

    check_folder(out)
    if (out / WORK / JOB).is_file():
        raise InputError(
            f"expected no unfinished sample, got one in {out}; run its command again, or remove {out / WORK}"
        )
    if (out / "manifest.json").exists() and not overwrite:
        raise InputError(f"expected an empty folder, got samples in {out}; choose another or pass --overwrite")
    foreign = set(out.glob("graph*")) - set(_listed(out))
    if foreign:
        raise InputError(
            f"expected no graph files of another origin, got {min(foreign)}; move it or choose another --out"
        )


def manifest_start(folder: Path, arguments: argparse.Namespace, steps: int) -> dict[str, Any]:
    """Returns what is known of a sample before it is generated: versions, model, request and seed."""
    import torch

    from sbgd.models.model_folder import WEIGHTS
    from sbgd.version import __version__

    return {
        "schema": 1,
        "version": __version__,
        "torch": torch.__version__,
        "checkpoint": {"name": arguments.checkpoint, "sha256": digest(folder / WEIGHTS)},
        "request": {"num_nodes": arguments.num_nodes, "num_graphs": arguments.num_graphs, "steps": steps},
        "seed": arguments.seed,
    }


def write_graphs(graphs: Sequence[Graph], folder: Path, name: str) -> list[Path]:
    """Writes one file for formats that hold many graphs, else one file a graph; files of an older run go."""
    from sbgd.formats import save

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in _listed(folder):
            old.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"expected a folder to write to, got {error.strerror}: {folder}") from error
    if name in ("npz", "parquet"):
        save(graphs, folder / f"graphs.{name}", name)
        return [path for path in (folder / f"graphs.{name}", folder / f"graphs.nodes.{name}") if path.exists()]
    width = len(str(len(graphs) - 1))
    written = [folder / f"graph_{number:0{width}d}.{name}" for number in range(len(graphs))]
    for graph, path in zip(graphs, written, strict=True):
        save([graph], path, name)
    return written


def _listed(folder: Path) -> list[Path]:
    """Returns what an older run wrote by its own account: other files of the user stay."""
    path = folder / "manifest.json"
    try:
        files = json.loads(path.read_text(encoding="utf-8"))["files"] if path.is_file() else {}
    except (ValueError, KeyError, TypeError):
        files = {}
    return [*(folder / Path(name).name for name in files), path]


def digest(path: Path) -> str:
    """Returns the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
