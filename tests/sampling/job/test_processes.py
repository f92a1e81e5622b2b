"""Many processes write what one writes, and none goes on when another has stopped."""

import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sbgd.errors import InputError
from sbgd.sampling.job import SampleJob, WorkFolder, run_alone
from sbgd.sampling.job.launch import Launch
from sbgd.sampling.job.output import LocalOutput
from sbgd.sampling.job.stage import Stage
from tests.sampling.job.conftest import KILLED, REFUSED, MakeJob, contents, launched, run_in_processes

MakeWorkingJob = Callable[[WorkFolder], SampleJob]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def make(make_job: MakeJob, out: Path) -> MakeWorkingJob:
    """Returns a function that makes the job of a process from its place in the work folder."""
    return lambda work: make_job(out, work=work)


def test_two_processes_write_what_one_writes(make: MakeWorkingJob, out: Path, whole: dict[str, bytes]) -> None:
    assert run_in_processes(launched(make, out, 2)) == [(0, ""), (0, "")]
    assert contents(out) == whole


def test_both_processes_take_part(make: MakeWorkingJob, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every process leaves its number beside the units it makes."""
    write = WorkFolder.write

    def noted(self: WorkFolder, name: str, arrays: object) -> None:
        (out / f"made-{name}").write_text(str(self.rank))
        write(self, name, arrays)  # type: ignore[arg-type]

    monkeypatch.setattr(WorkFolder, "write", noted)
    assert run_in_processes(launched(make, out, 2)) == [(0, ""), (0, "")]
    for kind in ("blocks", "pairs", "shards"):
        makers = [path.read_text() for path in sorted(out.glob(f"made-{kind}-*"))]
        assert set(makers) == {"0", "1"}
        if kind != "pairs":
            assert makers == sorted(makers), "ranges are not contiguous"


def _killing(make: MakeWorkingJob, rank: int, moment: int) -> MakeWorkingJob:
    """Kills one process when it finishes its nth unit."""

    def make_killed(work: WorkFolder) -> SampleJob:
        if work.rank == rank:
            write, calls = work.write, 0

            def killed(name: str, arrays: object) -> None:
                nonlocal calls
                calls += 1
                if calls == moment:
                    os.kill(os.getpid(), signal.SIGKILL)
                write(name, arrays)  # type: ignore[arg-type]

            work.write = killed  # type: ignore[method-assign]
        return make(work)

    return make_killed


@pytest.mark.parametrize(("rank", "moment"), [(1, 1), (0, 3)])
def test_when_a_process_dies_the_others_stop_and_the_work_goes_on_with_another_number(
    rank: int, moment: int, make: MakeWorkingJob, out: Path, whole: dict[str, bytes]
) -> None:
    ends = run_in_processes(launched(_killing(make, rank, moment), out, 2))
    assert ends[rank] == (KILLED, "")
    code, line = ends[1 - rank]
    assert code == REFUSED
    assert line.startswith(f"stopped because process {rank} has died; run the same command again")
    run_alone(make(WorkFolder(out / ".work")))
    assert contents(out) == whole


def test_three_processes_go_on_where_one_was_killed(make: MakeWorkingJob, out: Path, whole: dict[str, bytes]) -> None:
    ((code, _),) = run_in_processes([lambda: run_alone(_killing(make, 0, 9)(WorkFolder(out / ".work")))])
    assert code == KILLED
    assert run_in_processes(launched(make, out, 3)) == [(0, "")] * 3
    assert contents(out) == whole


def test_the_reason_of_a_process_that_stops_reaches_the_others(make: MakeWorkingJob, out: Path) -> None:
    def full(work: WorkFolder) -> SampleJob:
        if work.rank == 1:

            def write(name: str, arrays: object) -> None:
                raise InputError("expected room for it, got a full disk")

            work.write = write  # type: ignore[method-assign]
        return make(work)

    ends = run_in_processes(launched(full, out, 3))
    assert ends[1] == (REFUSED, "expected room for it, got a full disk")
    for rank in (0, 2):
        assert ends[rank] == (
            REFUSED,
            "stopped because process 1 has stopped: expected room for it, got a full disk",
        )


def test_a_refusal_of_the_first_process_reaches_the_others(make: MakeWorkingJob, make_job: MakeJob, out: Path) -> None:
    run_alone(make_job(out, seed=1))
    before = contents(out)
    ends = run_in_processes(launched(make, out, 2))
    assert [code for code, _ in ends] == [REFUSED, REFUSED]
    assert "got a finished one of --seed 1" in ends[0][1]
    assert ends[1][1].startswith("stopped because process 0 has stopped: expected a folder for a sample of --seed 0")
    assert {name: data for name, data in contents(out).items() if not name.startswith(".work")} == before


def test_a_finished_sample_is_left_as_it_is_by_all(
    make: MakeWorkingJob, make_job: MakeJob, out: Path, whole: dict[str, bytes]
) -> None:
    run_alone(make_job(out))
    assert run_in_processes(launched(make, out, 2)) == [(0, ""), (0, "")]
    assert contents(out) == whole


def test_a_launch_beside_another_is_refused(make: MakeWorkingJob, make_job: MakeJob, out: Path) -> None:
    first = make_job(out)
    first.begin()
    ends = run_in_processes(launched(make, out, 2))
    assert [code for code, _ in ends] == [REFUSED, REFUSED]
    assert f"in use by process {os.getpid()} on " in ends[0][1]
    first.work.release()


def test_a_launch_that_is_refused_does_not_stop_the_one_at_work(make: MakeWorkingJob, out: Path) -> None:
    at_work = [WorkFolder(out / ".work", rank, 2) for rank in range(2)]
    for work in at_work:
        make(work).begin()
    ends = run_in_processes(launched(make, out, 2))
    assert [code for code, _ in ends] == [REFUSED, REFUSED]
    assert all(f"in use by process {os.getpid()} on " in line for _, line in ends)
    assert [work.stopped() for work in at_work] == [None, None]
    for work in at_work:
        work.release()


@pytest.mark.parametrize(
    ("environment", "launch"),
    [
        ({}, Launch(0, 1, 1)),
        (
            {"TORCHELASTIC_RUN_ID": "none", "RANK": "5", "WORLD_SIZE": "8", "LOCAL_WORLD_SIZE": "4"},
            Launch(5, 8, 2),
        ),
        ({"SLURM_STEP_NUM_TASKS": "6", "SLURM_PROCID": "4", "SLURM_STEP_NUM_NODES": "3"}, Launch(4, 6, 3)),
        ({"SLURM_NTASKS": "6", "SLURM_PROCID": "0"}, Launch(0, 1, 1)),
    ],
    ids=["alone", "torchrun", "srun", "a batch script without srun"],
)
def test_launches_are_read_from_the_environment(
    environment: dict[str, str], launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith(("SLURM", "TORCHELASTIC", "RANK", "WORLD"))]:
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert Launch.from_environment() == launch


def test_machines_with_different_numbers_of_processes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"TASKS": "5", "NODES": "2"}.items():
        monkeypatch.setenv(f"SLURM_STEP_NUM_{name}", value)
    monkeypatch.setenv("SLURM_PROCID", "0")
    with pytest.raises(InputError, match="as many processes on every machine, got 5 on 2"):
        Launch.from_environment()


class _Counted(Stage):
    def counts(self) -> list[int]:
        return [7, 1, 0, 3]

    def finish(self, unit: tuple[int, int]) -> None:
        raise NotImplementedError

    def collect(self) -> None:
        raise NotImplementedError


@pytest.mark.parametrize("size", [1, 2, 3, 9])
def test_every_unit_belongs_to_one_process_and_ranges_are_contiguous(size: int, tmp_path: Path) -> None:
    shares = [_Counted(WorkFolder(tmp_path, rank, size), None, 0).share() for rank in range(size)]
    units = [(number, unit) for number, count in enumerate([7, 1, 0, 3]) for unit in range(count)]
    assert sorted(unit for share in shares for unit in share) == units
    for number, count in enumerate([7, 1, 0, 3]):
        assert [unit for share in shares for start, unit in share if start == number] == list(range(count))
        lengths = [sum(start == number for start, _ in share) for share in shares]
        assert max(lengths) - min(lengths) <= 1


def test_a_shard_that_is_being_written_again_is_waited_for(
    make: MakeWorkingJob, make_job: MakeJob, out: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record of a damaged shard is there before the shard is whole again: the manifest has to wait."""
    with monkeypatch.context() as patch:
        patch.setattr(SampleJob, "end", lambda self, manifest: None)
        run_alone(make_job(out))
    names = sorted(name for name in contents(out) if name.startswith("edges-"))
    (out / names[-1]).write_bytes(b"PAR1")
    assert run_in_processes(launched(make, out, 2)) == [(0, ""), (0, "")]
    assert contents(out) == whole


def test_an_output_elsewhere_is_the_same(make_job: MakeJob, whole: dict[str, bytes], tmp_path: Path) -> None:
    job = make_job(tmp_path / "out")
    run_alone(replace(job, output=LocalOutput(tmp_path / "elsewhere")))
    assert contents(tmp_path / "elsewhere") == whole
    assert not (tmp_path / "out").exists() or not contents(tmp_path / "out")
