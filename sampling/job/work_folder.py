"""The folder of an unfinished sample: what it will be, who works on it, and every finished unit as a file.

    job.json                 what is being made; units of another job are never read
    rank-00000.lock          held by every process at work, so that the others see when it dies
    rank-00000.failed        why a process gave up
    blocks-00000, ...        finished units

Processes share nothing but this folder, so it has to be one that all machines see.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sbgd.errors import InputError
from sbgd.formats.durable import write_durably, write_error
from sbgd.formats.sharded import JOB
from sbgd.sampling.job.lock import ProcessLock, is_held
from sbgd.sampling.job.units import Arrays, read_unit, write_unit

STOPPED = "stopped because"
SHORTEST_WAIT_S, LONGEST_WAIT_S = 0.005, 0.5


class WorkFolder:
    """Units of one job, for one of the processes that work on it.

    Args:
        path: The folder, made by `claim`.
        rank: Number of this process.
        world_size: Number of processes.
    """

    def __init__(self, path: Path, rank: int = 0, world_size: int = 1) -> None:
        self.path = path
        self.rank = rank
        self.world_size = world_size
        self._lock = ProcessLock(self._rank_file(rank, "lock"))

    def claim(self) -> None:
        """Makes the folder and takes this process's place in it.

        Raises:
            InputError: Another process has that place, or processes of a job of another size are at work.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise write_error(self.path, error) from error
        mine = {"pid": os.getpid(), "host": socket.gethostname(), "world_size": self.world_size}
        free = self._lock.acquire(json.dumps(mine))
        others = [_owner(file) for file in sorted(self.path.glob("rank-*.lock")) if file != self._lock.path]
        strangers = [owner for owner in others if owner and owner.get("world_size") != self.world_size]
        if not free or strangers:
            owner = _owner(self._lock.path) if not free else strangers[0]
            self._lock.release()
            raise InputError(
                f"expected a folder that no other process works on, got {self.path}, in use by process "
                f"{owner.get('pid', '?')} on {owner.get('host', '?')}; wait for it, or choose another --out"
            )
        self._rank_file(self.rank, "failed").unlink(missing_ok=True)

    def job(self) -> Mapping[str, Any] | None:
        """Returns what is being made here, or None in a new folder."""
        try:
            return json.loads((self.path / JOB).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None

    def begin(self, job: Mapping[str, Any]) -> None:
        """Throws away the units of any other job and writes down this one; only the first process may."""
        (self.path / JOB).unlink(missing_ok=True)
        for file in self.path.iterdir():
            if not file.name.startswith("rank-"):
                file.unlink()
        write_durably(self.path / JOB, json.dumps(job).encode())

    def remove(self) -> None:
        """Removes the folder with all that is in it; this process's place goes last."""
        for name in (JOB, *(file.name for file in self.path.iterdir() if not file.name.startswith("rank-"))):
            (self.path / name).unlink(missing_ok=True)
        shutil.rmtree(self.path, ignore_errors=True)
        self.release()

    def release(self) -> None:
        """Gives up this process's place; what is finished stays, and a folder with nothing in it goes."""
        if self._lock.is_mine and self.job() is None:
            with contextlib.suppress(OSError):
                self._lock.path.unlink()
                self.path.rmdir()
        self._lock.release()

    def read(self, name: str) -> Arrays | None:
        """Returns a finished unit; None where it is missing or damaged."""
        return read_unit(self.path / name)

    def write(self, name: str, arrays: Arrays) -> None:
        """Keeps a finished unit."""
        write_unit(self.path / name, arrays)

    def ensure(self, name: str, make: Callable[[], Arrays]) -> None:
        """Makes a unit unless it is there and whole."""
        if self.read(name) is None:
            self.write(name, make())

    def wait(self, name: str) -> Arrays:
        """Returns a unit as soon as some process has finished it.

        Raises:
            InputError: Another process has stopped; the message says which and why.
        """
        pause = SHORTEST_WAIT_S
        while (unit := self.read(name)) is None:
            reason = self.stopped()
            if reason is not None and (unit := self.read(name)) is None:
                raise InputError(reason)
            if unit is not None:
                break
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_WAIT_S)
        return unit

    def stopped(self) -> str | None:
        """Returns why the work cannot be finished: a process that gave up or died. None while all are alive."""
        others = [rank for rank in range(self.world_size) if rank != self.rank]
        for rank in others:
            note = self._rank_file(rank, "failed")
            if note.exists():
                reason = note.read_text(encoding="utf-8")
                return reason if reason.startswith(STOPPED) else f"{STOPPED} process {rank} has stopped: {reason}"
        dead = [rank for rank in others if not is_held(self._rank_file(rank, "lock"))]
        if not dead:
            return None
        return (
            f"{STOPPED} process {dead[0]} has died; run the same command again, with any number of processes: "
            "what is finished is kept"
        )

    def give_up(self, reason: str) -> None:
        """Tells the other processes why this one stops, if it is one of them at all."""
        if not self._lock.is_mine:
            return
        try:
            write_durably(self._rank_file(self.rank, "failed"), reason.encode())
        except InputError:
            return  # they notice the lock

    def _rank_file(self, rank: int, ending: str) -> Path:
        return self.path / f"rank-{rank:05d}.{ending}"


def _owner(path: Path) -> Mapping[str, Any]:
    """Returns what the living holder of a lock wrote into it; empty where nobody holds it."""
    if not is_held(path):
        return {}
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
