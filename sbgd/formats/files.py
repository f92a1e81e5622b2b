"""Bytes in and out: whole files, gzip by its magic number, writes that appear complete or not at all."""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sbgd.errors import InputError


@dataclass(frozen=True)
class Source:
    """A file that was read.

    Attributes:
        path: Where it lies.
        data: Its content, decompressed where it was gzipped.
        digest: SHA-256 of the file as stored.
    """

    path: Path
    data: bytes
    digest: str

    @property
    def name(self) -> str:
        """The file's name, without `.gz`."""
        return self.path.name.removesuffix(".gz")


def read_source(path: Path) -> Source:
    """Reads a whole file.

    Raises:
        InputError: The file is missing, empty, not readable or a truncated gzip.
    """
    try:
        stored = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"expected a graph file, got no such file: {path}") from None
    except OSError as error:
        raise InputError(f"expected a readable file, got {error.strerror}: {path}") from None
    if not stored:
        raise InputError(f"expected a graph file, got an empty one: {path}")
    return Source(path, _decompressed(stored, path), hashlib.sha256(stored).hexdigest())


def _decompressed(stored: bytes, path: Path) -> bytes:
    if not stored.startswith(b"\x1f\x8b"):
        return stored
    try:
        data = gzip.decompress(stored)
    except (EOFError, OSError, zlib.error) as error:
        raise InputError(f"expected a complete gzip file, got {error}: {path}; fetch or copy it again") from None
    if not data:
        raise InputError(f"expected a graph file, got an empty one: {path}")
    return data


def text_of(source: Source) -> str:
    """Decodes UTF-8, with or without a byte order mark.

    Raises:
        InputError: The bytes are not UTF-8.
    """
    try:
        return source.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"expected UTF-8 text, got byte 0x{source.data[error.start]:02x} at offset {error.start}: {source.path}"
        ) from None


def write_file(path: Path, data: bytes) -> None:
    """Writes a file by renaming a complete temporary one; a name ending in `.gz` is gzipped without a date."""
    content = gzip.compress(data, mtime=0) if path.suffix == ".gz" else data
    if path.is_symlink() or (path.exists() and not path.is_file()):
        _write_through(path, content)
        return
    with _beside(path) as temporary:
        temporary.write_bytes(content)
        os.replace(temporary, path)


def write_folder(path: Path, files: Mapping[str, bytes]) -> None:
    """Writes a folder of files by renaming a complete temporary one.

    Raises:
        InputError: The folder exists and holds files.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise InputError(f"expected a new or empty folder for {len(files)} files, got {path}; remove it first")
    with _beside(path) as temporary:
        temporary.mkdir()
        for name, data in files.items():
            write_file(temporary / name, data)
        os.replace(temporary, path)


def _write_through(path: Path, content: bytes) -> None:
    """Writes to a device, a pipe or the target of a link: a rename would replace /dev/stdout itself."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise InputError(f"expected to write {path}, got {error.strerror}") from None


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    except OSError as error:
        raise InputError(f"expected a folder to write to, got {error.strerror}: {path.parent}") from None
    try:
        yield scratch / path.name
    except OSError as error:
        raise InputError(f"expected to write {path}, got {error.strerror}") from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
