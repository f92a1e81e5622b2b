"""A lock that lives as long as its process: the kernel drops it when the process ends, however it ends.

Locks are those of `flock`, which Linux also passes on to NFS servers; Lustre has to be mounted with `-o flock`.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from pathlib import Path

from sbgd.errors import InputError

ATTEMPTS, PAUSE_S = 10, 0.05


class ProcessLock:
    """Holds a file for this process; the file says who holds it.

    Args:
        path: The lock file, made if need be and left behind.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    @property
    def is_mine(self) -> bool:
        """Whether this process holds the file."""
        return self._descriptor is not None

    def acquire(self, owner: str) -> bool:
        """Takes the lock and writes the owner into the file; returns whether it was free.

        A lock file that a dead process left behind is free. Whether another process asks `is_held` at the same moment
        makes no difference: that lasts no longer than the attempts here.

        Raises:
            InputError: The file cannot be made, or the file system has no locks.
        """
        for _ in range(ATTEMPTS):
            self._descriptor = self._open()
            if _try_lock(self._descriptor, fcntl.LOCK_EX, self.path) and self._is_current(self._descriptor):
                os.ftruncate(self._descriptor, 0)
                os.write(self._descriptor, owner.encode())
                return True
            self.release()
            time.sleep(PAUSE_S)
        return False

    def release(self) -> None:
        """Gives the lock back."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _open(self) -> int:
        try:
            return os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise InputError(f"expected a folder to write to, got {error.strerror}: {self.path.parent}") from None

    def _is_current(self, descriptor: int) -> bool:
        """Whether the locked file still has its name: another process may have removed it and made a new one."""
        with contextlib.suppress(FileNotFoundError):
            return os.fstat(descriptor).st_ino == self.path.stat().st_ino
        return False


def is_held(path: Path) -> bool:
    """Returns whether a living process holds the lock of this file."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        return not _try_lock(descriptor, fcntl.LOCK_SH, path)
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int, kind: int, path: Path) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise InputError(
            f"expected a file system with locks, got {error.strerror}: {path}; name a folder elsewhere by --work-dir"
        ) from error
    return True
