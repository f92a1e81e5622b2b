"""Outputs: files appear whole in folders and in stores, and a job writes the same into both."""

import errno
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import fsspec
import pytest

import sbgd
from sbgd.errors import InputError
from sbgd.sampling.job import open_output, run_alone
from sbgd.sampling.job.output import LocalOutput, Output, StoreOutput
from sbgd.sampling.job.units import read_unit
from tests.sampling.job.conftest import MakeJob, contents


@pytest.fixture(params=["folder", "store"])
def output(request: pytest.FixtureRequest, tmp_path: Path) -> Output:
    return open_output(str(tmp_path / "out") if request.param == "folder" else f"memory://{tmp_path.name}/out")


def test_what_is_written_can_be_listed_read_and_deleted(output: Output) -> None:
    assert output.names() == []
    output.create()
    assert output.names() == []
    assert output.read("a") is None
    assert not output.holds("a", 3, "")
    output.write("b", b"second")
    output.write("a", b"one")
    output.write("a", b"two")
    assert output.names() == ["a", "b"]
    assert output.read("a") == b"two"
    output.delete("a")
    output.delete("a")
    assert output.names() == ["b"]


def test_addresses_choose_the_kind(tmp_path: Path) -> None:
    assert isinstance(open_output("memory://x"), StoreOutput)
    assert isinstance(open_output(str(tmp_path)), LocalOutput)
    assert isinstance(open_output("edges:/x"), LocalOutput)


@pytest.mark.parametrize("address", ["nope://bucket/x", "nope+s3://x"])
def test_unknown_stores_are_one_line(address: str) -> None:
    with pytest.raises(InputError, match="the address of a known store") as caught:
        open_output(address)
    assert "\n" not in str(caught.value)


def test_a_job_writes_the_same_into_a_store(make_job: MakeJob, whole: dict[str, bytes], tmp_path: Path) -> None:
    address = f"memory://{tmp_path.name}/sample"
    job = replace(make_job(tmp_path / "work"), output=open_output(address))
    run_alone(job)
    store = fsspec.filesystem("memory")
    assert {name: store.cat_file(f"/{tmp_path.name}/sample/{name}") for name in whole} == whole
    assert job.output.names() == sorted(whole)
    sbgd.load(address).verify()


def test_a_store_that_fails_loses_nothing_that_was_finished(
    make_job: MakeJob, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = replace(make_job(tmp_path / "work"), output=open_output(f"memory://{tmp_path.name}/sample"))
    write, sent = StoreOutput.write, []

    def failing(self: StoreOutput, name: str, data: bytes) -> None:
        if len(sent) == 3:
            self._attempt(name, _raise)
        sent.append(name)
        write(self, name, data)

    with monkeypatch.context() as patch:
        patch.setattr(StoreOutput, "write", failing)
        with pytest.raises(InputError, match="expected a store that answers, got: no route"):
            run_alone(job)
    again: list[str] = []
    monkeypatch.setattr(StoreOutput, "write", _noting(again))
    run_alone(job)
    assert {name: job.output.read(name) for name in whole} == whole
    assert not set(sent[:2]) & set(again)  # the third is the first of two files of one unit


def _raise() -> None:
    raise ConnectionError("no route\nto host")


def _noting(names: list[str]) -> Callable[[StoreOutput, str, bytes], None]:
    write = StoreOutput.write

    def noting(self: StoreOutput, name: str, data: bytes) -> None:
        names.append(name)
        write(self, name, data)

    return noting


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (errno.ENOSPC, "expected room for .*; make room and run the same command again: what is finished is kept"),
        (errno.EROFS, "expected to write .*, got: Read-only file system; what is finished is kept"),
        (errno.EACCES, "expected to write .*, got: Permission denied"),
    ],
)
def test_failing_writes_are_one_line_and_leave_no_half_file(
    number: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = open_output(str(tmp_path))
    output.write("a", b"old")

    def fail(descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(InputError, match=message):
        output.write("a", b"new")
    assert contents(tmp_path) == {"a": b"old"}


def test_anything_that_is_no_unit_is_no_unit(tmp_path: Path) -> None:
    path = tmp_path / "unit"
    assert read_unit(path) is None
    for content in (b"", b"x", bytes(32), bytes(100)):
        path.write_bytes(content)
        assert read_unit(path) is None
