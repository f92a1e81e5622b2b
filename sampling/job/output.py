"""Where finished files go: a local folder, or any store that fsspec knows, such as `s3://bucket/name`."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import fsspec

from sbgd.errors import InputError
from sbgd.formats.durable import write_durably, write_error


class Output(ABC):
    """A folder of files that appear whole or not at all."""

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def create(self) -> None:
        """Makes the folder."""

    @abstractmethod
    def names(self) -> list[str]:
        """Lists the files."""

    @abstractmethod
    def read(self, name: str) -> bytes | None:
        """Returns the content of a file, or None where there is none."""

    @abstractmethod
    def write(self, name: str, data: bytes) -> None:
        """Writes a file."""

    @abstractmethod
    def delete(self, name: str) -> None:
        """Removes a file if it is there."""

    def holds(self, name: str, size: int, sha256: str) -> bool:
        """Returns whether a file has been written and is what was written."""
        data = self.read(name)
        return data is not None and len(data) == size and hashlib.sha256(data).hexdigest() == sha256


class LocalOutput(Output):
    """A folder of this machine or of a file system that is mounted here."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.path = path

    def create(self) -> None:
        """Makes the folder."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise write_error(self.path, error) from error

    def names(self) -> list[str]:
        """Lists the files."""
        return sorted(file.name for file in self.path.iterdir()) if self.path.is_dir() else []

    def read(self, name: str) -> bytes | None:
        """Returns the content of a file, or None where there is none."""
        try:
            return (self.path / name).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, name: str, data: bytes) -> None:
        """Writes a file and forces it to disk."""
        write_durably(self.path / name, data)

    def delete(self, name: str) -> None:
        """Removes a file if it is there."""
        (self.path / name).unlink(missing_ok=True)


class StoreOutput(Output):
    """A folder of a store, where a file is seen when it has been sent as a whole.

    Args:
        url: Such as `s3://bucket/name`; the store's package has to be installed (`s3fs`, `gcsfs`, ...).
    """

    def __init__(self, url: str) -> None:
        super().__init__(url.rstrip("/"))
        try:
            self.store, self.root = fsspec.core.url_to_fs(self.name)
        except (ImportError, ValueError) as error:
            raise InputError(
                f"expected --out as a folder or the address of a known store, got {url}: {error}"
            ) from error

    def create(self) -> None:
        """Makes the folder where the store has folders."""
        self._attempt("", self.store.makedirs, self.root, exist_ok=True)

    def names(self) -> list[str]:
        """Lists the files."""
        if not self._attempt("", self.store.exists, self.root):
            return []
        return sorted(Path(found).name for found in self._attempt("", self.store.ls, self.root, detail=False))

    def read(self, name: str) -> bytes | None:
        """Returns the content of a file, or None where there is none."""
        try:
            return self._attempt(name, self.store.cat_file, self._path(name))
        except FileNotFoundError:
            return None

    def write(self, name: str, data: bytes) -> None:
        """Sends a file."""
        self._attempt(name, self.store.pipe_file, self._path(name), data)

    def delete(self, name: str) -> None:
        """Removes a file if it is there."""
        if self._attempt(name, self.store.exists, self._path(name)):
            self._attempt(name, self.store.rm_file, self._path(name))

    def holds(self, name: str, size: int, sha256: str) -> bool:
        """Returns whether a file of that size is there: to fetch every file again would cost more than it proves."""
        try:
            return self._attempt(name, self.store.info, self._path(name))["size"] == size
        except FileNotFoundError:
            return False

    def _path(self, name: str) -> str:
        return f"{self.root}/{name}"

    def _attempt(self, name: str, call: Any, *arguments: Any, **options: Any) -> Any:
        """Calls the store; whatever it raises but a missing file becomes one line."""
        try:
            return call(*arguments, **options)
        except FileNotFoundError:
            raise
        except Exception as error:  # every store has exceptions of its own
            reason = " ".join(str(error).split()) or type(error).__name__
            raise InputError(
                f"expected a store that answers, got: {reason}: {self.name}/{name}; what is finished is kept, run the "
                "same command again"
            ) from error


def open_output(place: str) -> Output:
    """Returns the output of a path or of an address with `://`."""
    return StoreOutput(place) if "://" in place else LocalOutput(Path(place))
