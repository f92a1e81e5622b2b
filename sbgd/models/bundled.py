"""Finds the model that a user names: a run folder, a model folder, or one that comes with the package."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from sbgd.errors import InputError
from sbgd.models.model_folder import DESCRIPTION


def bundled_models() -> dict[str, Path]:
    """Returns the folders of the models that come with the package, by name."""
    root = Path(str(resources.files("sbgd.checkpoints")))
    return {folder.name: folder for folder in sorted(root.iterdir()) if (folder / DESCRIPTION).is_file()}


def find_model(name: str) -> Path:
    """Returns the model folder of a path or of a bundled name; a path wins.

    Raises:
        InputError: There is no such model, or the path is a training checkpoint.
    """
    path = Path(name)
    if path.is_file():
        raise InputError(
            f"expected a run or model folder, got the file {path}; give the folder that holds {DESCRIPTION}"
        )
    if path.is_dir():
        if not (path / DESCRIPTION).is_file():
            raise InputError(f"expected a model folder, got no {DESCRIPTION} in {path}; has its training finished?")
        return path
    bundled = bundled_models()
    if name in bundled:
        return bundled[name]
    raise InputError(f"expected a run folder or one of {', '.join(bundled) or 'no bundled models'}, got {name!r}")
