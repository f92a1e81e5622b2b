"""Finished pieces of work as files: arrays behind their SHA-256, so that damage never passes for a finished unit."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from sbgd.formats.durable import write_durably

Arrays = Mapping[str, NDArray[Any]]
DIGEST_BYTES = 32


def write_unit(path: Path, arrays: Arrays) -> None:
    """Writes a unit; it appears whole or not at all."""
    payload = save({name: np.ascontiguousarray(array) for name, array in arrays.items()})
    write_durably(path, hashlib.sha256(payload).digest() + payload)


def read_unit(path: Path) -> Arrays | None:
    """Reads a unit; returns None where there is none or where the file is not what was written."""
    try:
        stored = path.read_bytes()
    except FileNotFoundError:
        return None
    payload = stored[DIGEST_BYTES:]
    if hashlib.sha256(payload).digest() != stored[:DIGEST_BYTES]:
        return None
    try:
        return load(payload)
    except SafetensorError:
        return None
