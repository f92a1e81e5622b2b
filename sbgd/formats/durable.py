"""Files that are there whole or not at all, even after a kill or a loss of power."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from sbgd.errors import InputError


def write_durably(path: Path, data: bytes) -> None:
    """Writes a file under a temporary name beside it, forces it to disk and renames it.

    The temporary name is the same every time: what a killed process leaves is replaced by whoever writes the file next.

    Raises:
        InputError: The disk is full, or the folder cannot be written to.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        _sync_folder(path.parent)
    except OSError as error:
        _discard(temporary)
        raise write_error(path, error) from error


def write_error(path: Path | str, error: OSError) -> InputError:
    """Says in one line why a file could not be written and what to do."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return InputError(
            f"expected room for {path}, got: {error.strerror}; make room and run the same command again: what is "
            "finished is kept"
        )
    return InputError(f"expected to write {path}, got: {error.strerror or error}; what is finished is kept")


def _sync_folder(folder: Path) -> None:
    """Makes a rename last: the name belongs to the folder, not to the file."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _discard(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return
