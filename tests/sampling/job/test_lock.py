"""A place belongs to one living process at a time."""

import multiprocessing
import os
import time
from pathlib import Path

from sbgd.sampling.job.lock import ProcessLock, is_held


def test_a_lock_is_held_until_it_is_released(tmp_path: Path) -> None:
    first, second = ProcessLock(tmp_path / "lock"), ProcessLock(tmp_path / "lock")
    assert not is_held(tmp_path / "lock")
    assert first.acquire("me")
    assert is_held(tmp_path / "lock")
    assert not second.acquire("you")
    assert (tmp_path / "lock").read_text() == "me"
    first.release()
    assert not is_held(tmp_path / "lock")
    assert second.acquire("you")
    assert (tmp_path / "lock").read_text() == "you"
    second.release()


def _hold(path: Path) -> None:
    ProcessLock(path).acquire("a process that will die")
    time.sleep(60)


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    process = multiprocessing.get_context("fork").Process(target=_hold, args=(path,))
    process.start()
    while not (is_held(path) and path.read_text()):
        time.sleep(0.01)
    process.kill()
    process.join()
    assert path.read_text() == "a process that will die"
    assert not is_held(path)
    lock = ProcessLock(path)
    assert lock.acquire("me")
    lock.release()


def test_a_lock_on_a_file_that_was_removed_is_taken_anew(tmp_path: Path) -> None:
    """Otherwise two processes could hold one name: the old file and the new."""
    path = tmp_path / "lock"
    lock = ProcessLock(path)
    opened, count = lock._open, 0

    def open_then_remove() -> int:
        nonlocal count
        count += 1
        descriptor = opened()
        if count == 1:
            path.unlink()
        return descriptor

    lock._open = open_then_remove  # type: ignore[method-assign]
    assert lock.acquire("me")
    assert count == 2
    assert lock._descriptor is not None
    assert os.fstat(lock._descriptor).st_ino == path.stat().st_ino
    lock.release()
