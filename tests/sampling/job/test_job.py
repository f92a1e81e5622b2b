"""A job writes what is generated in memory, goes on after being killed anywhere, and touches nothing of others."""

import errno
import os
import shutil
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.formats.sharded import ShardedGraphs
from sbgd.models import TrainedModel
from sbgd.sampling import generate
from sbgd.sampling.job import SampleJob, UnitSizes, WorkFolder, run_alone
from tests.sampling.job.conftest import KILLED, OPTIONS, REFUSED, MakeJob, contents, run_in_processes


def test_shards_are_the_graphs_generated_in_memory(make_job: MakeJob, trained: TrainedModel, tmp_path: Path) -> None:
    manifest = run_alone(make_job(tmp_path))
    expected = generate(trained, np.array([48, 28]), options=OPTIONS)
    sample = ShardedGraphs.open(tmp_path)
    for graph, other in zip(sample.graphs, expected.graphs, strict=True):
        assert np.array_equal(graph.edges, other.edges)
        assert np.allclose(graph.features, other.features, rtol=1e-12)
    assert manifest["num_edges"] == [graph.num_edges for graph in expected.graphs]
    assert [sum(sizes) for sizes in manifest["block_sizes"]] == [48, 28]
    assert len(sample.edge_shards) > 3
    assert max(manifest["rows"][name] for name in sample.edge_shards) <= 60
    assert sorted(contents(tmp_path)) == sorted([*manifest["files"], "manifest.json"])


def test_how_the_work_is_cut_does_not_show(make_job: MakeJob, whole: dict[str, bytes], tmp_path: Path) -> None:
    run_alone(make_job(tmp_path / "other", unit_sizes=UnitSizes(blocks=100, pairs=100)))
    assert contents(tmp_path / "other") == whole


def _killed_at(moment: int, before: bool, job: SampleJob) -> Callable[[], None]:
    """Returns a run that is killed just before or after its nth file gets its name; the 27th is the manifest."""
    replaced, calls = os.replace, 0

    def rename(source: Path, target: Path) -> None:
        nonlocal calls
        calls += 1
        if calls == moment and before:
            os.kill(os.getpid(), signal.SIGKILL)
        replaced(source, target)
        if calls == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    def run() -> None:
        os.replace = rename  # type: ignore[assignment]
        run_alone(job)

    return run


@pytest.mark.parametrize(
    ("moment", "before"),
    [(1, True), (1, False), (3, True), (5, False), (9, True), (12, True), (13, False), (27, True), (27, False)],
)
def test_a_killed_job_goes_on_and_writes_the_same_bytes(
    moment: int,
    before: bool,
    make_job: MakeJob,
    whole: dict[str, bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = tmp_path / "out"
    ((code, _),) = run_in_processes([_killed_at(moment, before, make_job(out))])
    assert code == KILLED
    finished = {name for name in contents(out) if not Path(name).name.startswith((".", "rank-"))}
    made: list[str] = []
    write = WorkFolder.write
    monkeypatch.setattr(WorkFolder, "write", lambda self, name, arrays: (made.append(name), write(self, name, arrays)))
    run_alone(make_job(out))
    assert contents(out) == whole
    assert not {f".work/{name}" for name in made} & finished, "finished units are made again"


def test_a_run_that_is_killed_while_it_cleans_up_is_finished_by_the_next(
    make_job: MakeJob, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(WorkFolder, "remove", lambda self: None)
        run_alone(make_job(tmp_path / "out"))
    assert (tmp_path / "out" / ".work" / "job.json").exists()
    for overwrite in (True, False):
        run_alone(make_job(tmp_path / "out", overwrite=overwrite))
        assert contents(tmp_path / "out") == whole


@pytest.mark.parametrize(
    ("unit", "damage"), [("blocks-00001", "truncated"), ("pairs-00000-00000", "changed"), ("shards-00001", "empty")]
)
def test_a_damaged_unit_is_never_read(
    unit: str, damage: str, make_job: MakeJob, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = make_job(tmp_path / "out")
    with monkeypatch.context() as patch:
        patch.setattr(SampleJob, "end", lambda self, manifest: None)
        run_alone(job)
    path = tmp_path / "out" / ".work" / unit
    stored = bytearray(path.read_bytes())
    stored[-1] ^= 1
    path.write_bytes({"truncated": stored[:-7], "empty": b"", "changed": stored}[damage])
    run_alone(make_job(tmp_path / "out"))
    assert contents(tmp_path / "out") == whole


def test_a_damaged_shard_is_written_again(
    make_job: MakeJob, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(SampleJob, "end", lambda self, manifest: None)
        run_alone(make_job(tmp_path / "out"))
    (tmp_path / "out" / "edges-00001.parquet").write_bytes(b"PAR1")
    (tmp_path / "out" / "nodes-00002.parquet").unlink()
    run_alone(make_job(tmp_path / "out"))
    assert contents(tmp_path / "out") == whole


def _interrupted(make_job: MakeJob, out: Path) -> dict[str, bytes]:
    run_in_processes([_killed_at(20, True, make_job(out))])
    return contents(out)


@pytest.mark.parametrize(
    ("is_finished", "change", "message"),
    [
        (True, {"seed": 1}, "one of --seed 0 in"),
        (False, {"seed": 1}, "one of --seed 0 in"),
        (True, {"checkpoint": {"sha256": "b"}}, "a sample of checkpoint b, got"),
        (False, {"checkpoint": {"sha256": "b"}}, "a sample of checkpoint b, got"),
        (True, {"request": {"steps": 9}}, "a sample of --steps 9, got"),
        (True, {"version": "9.9"}, "a sample of sbgd 9.9, got"),
        (True, {"num_nodes": [48, 29]}, "a sample of sizes of graphs"),
    ],
)
def test_another_sample_is_refused_and_left_alone(
    is_finished: bool,
    change: dict[str, object],
    message: str,
    make_job: MakeJob,
    whole_folder: Path,
    tmp_path: Path,
) -> None:
    if is_finished:
        shutil.copytree(whole_folder, tmp_path, dirs_exist_ok=True)
    else:
        _interrupted(make_job, tmp_path)
    before = {".work/rank-00000.lock": b"", **contents(tmp_path)}
    other = make_job(tmp_path)
    other = replace(other, manifest={**other.manifest, **change})
    kind = "a finished" if is_finished else "an interrupted"
    with pytest.raises(InputError, match=f"got {kind} one") as caught:
        run_alone(other)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    after = contents(tmp_path)
    if not is_finished:
        assert after.pop(".work/rank-00000.lock")
    del before[".work/rank-00000.lock"]
    assert after == before


def test_overwriting_replaces_finished_and_interrupted_samples(make_job: MakeJob, tmp_path: Path) -> None:
    run_alone(make_job(tmp_path / "alone", seed=1, edges_per_shard=1000))
    run_alone(make_job(tmp_path / "finished"))
    _interrupted(make_job, tmp_path / "interrupted")
    (tmp_path / "finished" / "mine.txt").write_text("mine")
    for name in ("finished", "interrupted"):
        run_alone(make_job(tmp_path / name, seed=1, edges_per_shard=1000, overwrite=True))
    assert (tmp_path / "finished" / "mine.txt").read_text() == "mine"
    (tmp_path / "finished" / "mine.txt").unlink()
    assert contents(tmp_path / "finished") == contents(tmp_path / "interrupted") == contents(tmp_path / "alone")


def test_a_finished_sample_is_not_made_again(
    make_job: MakeJob, whole_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SampleJob, "generate", lambda self, run: pytest.fail("made again"))
    shutil.copytree(whole_folder, tmp_path / "out")
    run_alone(make_job(tmp_path / "out"))
    assert contents(tmp_path / "out") == contents(whole_folder)


@pytest.mark.parametrize("overwrite", [True, False])
def test_shards_of_the_user_stay(overwrite: bool, make_job: MakeJob, tmp_path: Path) -> None:
    (tmp_path / "edges-00000.parquet").write_bytes(b"mine")
    with pytest.raises(InputError, match="no shards of another origin"):
        run_alone(make_job(tmp_path, overwrite=overwrite))
    assert (tmp_path / "edges-00000.parquet").read_bytes() == b"mine"


def test_two_processes_in_one_folder_are_refused(make_job: MakeJob, whole: dict[str, bytes], tmp_path: Path) -> None:
    first = make_job(tmp_path / "out")
    first.begin()
    ((code, line),) = run_in_processes([lambda: run_alone(make_job(tmp_path / "out"))])
    assert code == REFUSED
    assert f"in use by process {os.getpid()} on " in line
    first.work.release()
    run_alone(make_job(tmp_path / "out"))  # the lock file of the first is still there
    assert contents(tmp_path / "out") == whole


@pytest.mark.parametrize("number", [1, 8, 20])
def test_a_full_disk_is_one_line_and_loses_nothing(
    number: int, make_job: MakeJob, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, calls, fsync = tmp_path / "out", 0, os.fsync

    def full(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls > 2 * number - 2:  # a file, then its folder
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(InputError, match="No space left on device; make room and run the same command again"):
            run_alone(make_job(out))
    kept = [name for name in contents(out) if "rank-" not in name]
    assert len(kept) == number - 1
    assert not [name for name in kept if name.endswith(".tmp")]
    run_alone(make_job(out))
    assert contents(out) == whole


def test_a_folder_that_cannot_be_written_is_one_line(
    make_job: MakeJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, *arguments: object, **options: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system", str(self))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(InputError, match=r"expected to write .*out, got: Read-only file system"):
        run_alone(make_job(tmp_path / "out"))


def test_the_independent_factorisation_is_refused(
    make_job: MakeJob, make_model: Callable[..., TrainedModel], tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="of the quotient factorisation for shards, got an independent one"):
        run_alone(make_job(tmp_path / "out", trained=make_model(factorisation="independent")))
    assert not (tmp_path / "out").exists()


def test_progress_reaches_the_end_of_every_stage(make_job: MakeJob, tmp_path: Path) -> None:
    seen: dict[str, tuple[int, int]] = {}
    run_alone(make_job(tmp_path, progress=lambda stage, done, total: seen.update({stage: (done, total)})))
    assert list(seen) == ["blocks", "pairs", "shards"]
    assert all(done == total for done, total in seen.values())


def test_beside_a_damaged_manifest_nothing_is_touched(make_job: MakeJob, whole_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(whole_folder, tmp_path / "out")
    (tmp_path / "out" / "manifest.json").write_text("{")
    before = contents(tmp_path / "out")
    for overwrite in (True, False):
        with pytest.raises(InputError, match="choose another --out"):
            run_alone(make_job(tmp_path / "out", overwrite=overwrite))
    assert contents(tmp_path / "out") == before
