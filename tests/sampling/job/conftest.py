"""Small jobs of a model whose networks have not been trained, cut into many units, and processes to run them in."""

import multiprocessing
import os
import socket
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.models import TrainedModel
from sbgd.sampling import SolverOptions
from sbgd.sampling.job import SampleJob, UnitSizes, WorkFolder, open_output, run_alone
from sbgd.sampling.job.launch import Launch

MakeModel = Callable[..., TrainedModel]
MakeJob = Callable[..., SampleJob]
OPTIONS = SolverOptions(num_steps=2)
REFUSED, KILLED = 2, -9


@pytest.fixture(scope="session")
def trained(make_model: MakeModel) -> TrainedModel:
    return make_model(num_features=2, tiers="scorer")


@pytest.fixture(scope="session")
def make_job(trained: TrainedModel) -> MakeJob:
    """Returns a function that describes a job of two graphs, in some 30 units."""

    def make(out: Path, *, seed: int = 0, **changes: object) -> SampleJob:
        sizes = np.array([48, 28])
        manifest = {"schema": 1, "seed": seed, "num_nodes": sizes.tolist(), "checkpoint": {"sha256": "a"}}
        job = SampleJob(
            trained,
            sizes,
            open_output(str(out)),
            WorkFolder(out / ".work"),
            manifest,
            seed=seed,
            options=OPTIONS,
            edges_per_shard=60,
            unit_sizes=UnitSizes(blocks=4, pairs=4),
        )
        return replace(job, **changes)  # type: ignore[arg-type]

    return make


def contents(folder: Path) -> dict[str, bytes]:
    """Returns every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="session")
def whole_folder(make_job: MakeJob, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished sample, not to be written to."""
    folder = tmp_path_factory.mktemp("whole")
    run_alone(make_job(folder))
    return folder


@pytest.fixture(scope="session")
def whole(whole_folder: Path) -> dict[str, bytes]:
    """What an uninterrupted run in one process writes."""
    return contents(whole_folder)


def run_in_processes(work: Sequence[Callable[[], None]], limit_s: float = 60) -> list[tuple[int, str]]:
    """Runs functions in forked processes; returns how each ended and its one line of error.

    A process ends with 0, with 2 after an `InputError`, with 1 after any other error, or by its signal.
    """
    fork = multiprocessing.get_context("fork")
    queue = fork.SimpleQueue()
    processes = [fork.Process(target=_run, args=(number, each, queue)) for number, each in enumerate(work)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(limit_s)
        assert process.exitcode is not None, "a process does not end"
    lines = dict.fromkeys(range(len(work)), "")
    while not queue.empty():
        number, line = queue.get()
        lines[number] = line
    return [(process.exitcode or 0, lines[number]) for number, process in enumerate(processes)]


def _run(number: int, work: Callable[[], None], queue: "multiprocessing.SimpleQueue[tuple[int, str]]") -> None:
    try:
        work()
    except InputError as error:
        queue.put((number, str(error)))
        sys.exit(REFUSED)
    except BaseException as error:
        traceback.print_exc()
        queue.put((number, repr(error)))
        sys.exit(1)


def launched(make: Callable[[WorkFolder], SampleJob], out: Path, size: int) -> list[Callable[[], None]]:
    """Returns what the processes of a launch by torchrun do."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    def work(rank: int) -> Callable[[], None]:
        def run() -> None:
            from sbgd.sampling.job.processes import run_together

            os.environ |= {
                "TORCHELASTIC_RUN_ID": "test",
                "RANK": str(rank),
                "LOCAL_RANK": str(rank),
                "GROUP_RANK": "0",
                "WORLD_SIZE": str(size),
                "LOCAL_WORLD_SIZE": str(size),
                "MASTER_ADDR": "127.0.0.1",
                "MASTER_PORT": str(port),
            }
            launch = Launch.from_environment()
            run_together(make(WorkFolder(out / ".work", launch.rank, launch.world_size)), launch)

        return run

    return [work(rank) for rank in range(size)]
