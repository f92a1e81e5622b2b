"""`sbgd sample --format parquet`: one sample in shards, by one process or by many."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sbgd.commands.outputs import check_folder
from sbgd.commands.progress import stage_progress
from sbgd.commands.sample_files import digest, manifest_start
from sbgd.errors import InputError
from sbgd.formats.durable import write_error
from sbgd.formats.sharded import WORK
from sbgd.models.model_folder import DESCRIPTION, TrainedModel
from sbgd.sampling import SolverOptions
from sbgd.sampling.job import EDGES_PER_SHARD, SampleJob, WorkFolder, open_output, run_alone
from sbgd.sampling.job.launch import Launch

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray


def sample_shards(
    trained: TrainedModel,
    sizes: NDArray[np.int64],
    folder: Path,
    arguments: argparse.Namespace,
    device: torch.device,
) -> int:
    """Generates graphs into a folder or store, going on with what an interrupted run has left."""
    steps = arguments.steps or SolverOptions().num_steps
    launch = Launch.from_environment()
    is_first = launch.rank == 0
    with stage_progress() if is_first else nullcontext() as progress:
        job = SampleJob(
            trained,
            sizes,
            open_output(arguments.out),
            WorkFolder(_work_path(arguments.out, arguments.work_dir), launch.rank, launch.world_size),
            _manifest(trained, sizes, folder, arguments, steps, device),
            seed=arguments.seed,
            options=SolverOptions(num_steps=steps, batch_size=arguments.batch_size),
            device=device,
            edges_per_shard=arguments.shard_edges or EDGES_PER_SHARD,
            overwrite=arguments.overwrite,
            progress=progress,
        )
        manifest = _run(job, launch)
    if is_first:
        nodes, edges = sum(manifest["num_nodes"]), sum(manifest["num_edges"])
        print(f"{len(sizes)} graph(s), {nodes} nodes, {edges} edges in {arguments.out}")
    return 0


def _run(job: SampleJob, launch: Launch) -> Mapping[str, Any]:
    try:
        if launch.world_size == 1:
            return run_alone(job)
        from sbgd.sampling.job.processes import run_together

        return run_together(job, launch)
    except OSError as error:
        raise write_error(error.filename or job.output.name, error) from error


def _manifest(
    trained: TrainedModel,
    sizes: NDArray[np.int64],
    folder: Path,
    arguments: argparse.Namespace,
    steps: int,
    device: torch.device,
) -> dict[str, Any]:
    """Returns what the sample is known by; where batches can change bytes, on a GPU, they are part of it."""
    manifest = manifest_start(folder, arguments, steps)
    manifest["checkpoint"]["description"] = digest(folder / DESCRIPTION)
    manifest["request"]["shard_edges"] = arguments.shard_edges or EDGES_PER_SHARD
    if device.type != "cpu":
        manifest["request"] |= {"device": device.type, "batch_size": arguments.batch_size}
    return {**manifest, "pyarrow": pa.__version__, "num_nodes": sizes.tolist(), "training": trained.metadata}


def _work_path(out: str, work_dir: Path | None) -> Path:
    """Returns the work folder: in a folder that the user names, one for every output."""
    is_store = "://" in out
    if work_dir is None and is_store:
        raise InputError(f"expected --work-dir, a folder for unfinished work, for the store {out}, got none")
    if not is_store:
        check_folder(Path(out))
    if work_dir is None:
        return Path(out) / WORK
    check_folder(work_dir)
    name = out.rstrip("/") if is_store else str(Path(out).resolve())
    return work_dir / f"sbgd-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
