"""Where results go: refused before a long computation, not after it, and never written in part."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sbgd.errors import InputError
from sbgd.formats.files import write_file


def check_file(path: Path) -> None:
    """Makes sure that a file can be written there.

    Raises:
        InputError: The folder does not exist or is not writable, or the path is a folder.
    """
    if not path.parent.is_dir():
        raise InputError(f"expected a file in an existing folder, got {path}; create {path.parent} first")
    if path.is_dir():
        raise InputError(f"expected the name of a file, got the folder {path}; add a name")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InputError(f"expected a folder to write to, got the read-only {path.parent}; choose another")


def check_folder(path: Path) -> None:
    """Makes sure that a folder exists or can be made, and that files can be written there.

    Raises:
        InputError: The path or one above it is a file, or the folder is not writable.
    """
    nearest = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
    if not nearest.is_dir():
        raise InputError(f"expected a folder to write to, got the file {nearest}; choose another")
    if not os.access(nearest, os.W_OK):
        raise InputError(f"expected a folder to write to, got the read-only {nearest}; choose another")


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    """Writes a JSON file at once or not at all."""
    write_file(path, (json.dumps(document, indent=2, allow_nan=False) + "\n").encode())


def write_text(path: Path, text: str) -> None:
    """Writes a text file at once or not at all."""
    write_file(path, text.encode())
