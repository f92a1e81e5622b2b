"""The command in processes of its own: killed at any time, launched by torchrun and as srun launches."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
SAMPLE = ["sample", "--checkpoint", "cora", "--num-nodes", "x2", "--steps", "4", "--format", "parquet"]
SHARDS = ["--shard-edges", "1000"]
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM", "TORCHELASTIC"))}
LIMIT_S = 300


def _command(out: Path, *launcher: str) -> list[str]:
    return [sys.executable, *launcher, "-m", "sbgd.cli", *SAMPLE, *SHARDS, "--out", str(out)]


def _torchrun(out: Path, *options: str) -> list[str]:
    return _command(out, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", *options)


def _run(command: list[str], **environment: str) -> None:
    subprocess.run(command, env={**CLEAN, **environment}, check=True, timeout=LIMIT_S)


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("whole")
    _run(_command(out), OMP_NUM_THREADS="1")
    return _contents(out)


def test_kill_9_at_any_time_and_the_same_command_again(whole: dict[str, bytes], tmp_path: Path) -> None:
    rng, kills = random.Random(0), 0
    while True:
        process = subprocess.Popen(_command(tmp_path), env={**CLEAN, "OMP_NUM_THREADS": "1"})
        began = time.monotonic()
        while not (tmp_path / ".work" / "job.json").exists() and process.poll() is None:
            time.sleep(0.01)
        starting_s = time.monotonic() - began
        try:
            process.wait(rng.uniform(0.05, 2) if kills < 4 else LIMIT_S)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
            continue
        break
    assert process.returncode == 0
    assert kills > 0, f"the run ended within {starting_s} s and a moment"
    assert _contents(tmp_path) == whole


@pytest.mark.parametrize("threads", ["1", "2"])
def test_two_processes_under_torchrun_write_the_same_bytes(
    threads: str, whole: dict[str, bytes], tmp_path: Path
) -> None:
    _run(_torchrun(tmp_path), OMP_NUM_THREADS=threads)
    assert _contents(tmp_path) == whole


def test_torchrun_is_killed_and_one_process_goes_on(whole: dict[str, bytes], tmp_path: Path) -> None:
    process = subprocess.Popen(_torchrun(tmp_path), env=CLEAN)
    _kill(process, tmp_path, ranks=(0, 1))
    assert process.wait(LIMIT_S) != 0
    _run(_command(tmp_path))
    assert _contents(tmp_path) == whole


def test_torchrun_restarts_its_processes_when_one_is_killed(whole: dict[str, bytes], tmp_path: Path) -> None:
    process = subprocess.Popen(_torchrun(tmp_path, "--max-restarts", "1"), env=CLEAN)
    _kill(process, tmp_path, ranks=(1,))
    assert process.wait(LIMIT_S) == 0
    assert _contents(tmp_path) == whole


def _kill(launcher: "subprocess.Popen[bytes]", out: Path, ranks: tuple[int, ...]) -> None:
    """Kills processes of a launch as soon as pairs are drawn."""
    while not list((out / ".work").glob("pairs-*")) and launcher.poll() is None:
        time.sleep(0.01)
    for rank in ranks:
        owner = json.loads((out / ".work" / f"rank-{rank:05d}.lock").read_text())
        os.kill(owner["pid"], signal.SIGKILL)


def test_two_tasks_of_srun_write_the_same_bytes(whole: dict[str, bytes], tmp_path: Path) -> None:
    shared = {
        "SLURM_JOB_ID": "4711",
        "SLURM_JOB_NAME": "sample",
        "SLURM_NTASKS": "2",
        "SLURM_NTASKS_PER_NODE": "2",
        "SLURM_NODELIST": "localhost",
        "SLURM_STEP_NUM_TASKS": "2",
        "SLURM_STEP_NUM_NODES": "1",
        "SLURM_NODEID": "0",
        "MASTER_ADDR": "127.0.0.1",
    }
    tasks = [
        subprocess.Popen(
            _command(tmp_path), env={**CLEAN, **shared, "SLURM_PROCID": str(rank), "SLURM_LOCALID": str(rank)}
        )
        for rank in range(2)
    ]
    assert [task.wait(LIMIT_S) for task in tasks] == [0, 0]
    assert _contents(tmp_path) == whole
