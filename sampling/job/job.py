"""Generates graphs of any size into a folder, so that the work survives its process.

Plan, blocks, pairs round by round, shards: every finished unit is a file in the work folder, and a job that is run
again goes on with what is missing. All noise has its own stream, and units are cut by constants, so that the bytes
written do not depend on interruptions or on the number of processes. Held in memory are the plan and the edges so far,
int32.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from sbgd.data.blocks import Ints
from sbgd.errors import InputError
from sbgd.formats.sharded import MANIFEST, SHARD_NAME
from sbgd.models.model_folder import TrainedModel
from sbgd.sampling.block_sampler import SolverOptions
from sbgd.sampling.job.block_stage import BlockStage
from sbgd.sampling.job.identity import difference
from sbgd.sampling.job.output import Output
from sbgd.sampling.job.pair_stage import PairStage
from sbgd.sampling.job.shard_stage import ShardStage
from sbgd.sampling.job.shards import GeneratedEdges
from sbgd.sampling.job.stage import Progress, Solving, Stage, UnitSizes
from sbgd.sampling.job.work_folder import WorkFolder
from sbgd.sampling.limits import check_limits
from sbgd.sampling.plan import GenerationPlan
from sbgd.sampling.quotient_prior import QuotientPrior

EDGES_PER_SHARD = 1 << 20
RunStage = Callable[[Stage], None]


@dataclass(frozen=True)
class SampleJob:
    """One sample in shards.

    Attributes:
        trained: The model, in the quotient factorisation.
        sizes: int64 (g,) nodes of each graph.
        output: Where the shards and the manifest go.
        work: Where unfinished work is kept, for this process.
        manifest: What is known beforehand: seed, request, digests; what the job is compared by.
        seed: Seed of the run.
        options: Steps and batch size.
        device: Where the networks run.
        edges_per_shard: Edges of a shard, about.
        unit_sizes: How the work is cut.
        overwrite: Whether a finished or interrupted sample of another kind is thrown away instead of refused.
        progress: Called with (stage, done, total).
    """

    trained: TrainedModel
    sizes: Ints
    output: Output
    work: WorkFolder
    manifest: Mapping[str, Any]
    seed: int = 0
    options: SolverOptions = field(default_factory=SolverOptions)
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    edges_per_shard: int = EDGES_PER_SHARD
    unit_sizes: UnitSizes = field(default_factory=UnitSizes)
    overwrite: bool = False
    progress: Progress | None = None

    def check(self) -> None:
        """Refuses what cannot be generated, before anything is written.

        Raises:
            InputError: The model is of the independent factorisation, or the graphs cannot fit.
        """
        if self.trained.diffusion.independent:
            raise InputError("expected a model of the quotient factorisation for shards, got an independent one")
        check_limits(self.sizes, self.trained.quotients, self.trained.scaler.num_features)

    def begin(self) -> None:
        """Takes this process's place; the first process makes sure that the folder is free for this very sample.

        Raises:
            InputError: The folder is in use, or holds another sample or files of another origin.
        """
        self.output.create()
        self.work.claim()
        if not self.work.rank:
            self._begin()

    def finished(self) -> Mapping[str, Any] | None:
        """Returns the manifest of this very sample if it is complete."""
        manifest = read_manifest(self.output)
        return manifest if manifest is not None and difference(manifest, self.manifest) is None else None

    def generate(self, run: RunStage) -> Mapping[str, Any]:
        """Generates what is missing and returns the complete manifest.

        Args:
            run: Makes this process finish its units of a stage, then lets the stage collect those of all.
        """
        plan = GenerationPlan.of(QuotientPrior(self.trained.quotients).sample_all(self.sizes, self.seed))
        solving = Solving(self.trained.diffusion.to(self.device).eval(), self.seed, self.options, self.device)
        blocks = BlockStage(self.work, self.progress, plan, solving, self.unit_sizes)
        run(blocks)
        pairs = PairStage(self.work, self.progress, plan, blocks.blocks, solving, self.unit_sizes)
        run(pairs)
        edges = GeneratedEdges(plan, blocks.blocks, *pairs.sampler.result())
        del pairs  # and with it the neighbour lists
        shards = ShardStage(
            self.work, self.progress, edges, blocks, self.trained.scaler, self.output, self.edges_per_shard
        )
        run(shards)
        cuts = zip(plan.graph_blocks[:-1], plan.graph_blocks[1:], strict=True)
        return {
            **self.manifest,
            "num_edges": edges.num_edges(),
            "block_sizes": [plan.blocks.sizes[first:last].tolist() for first, last in cuts],
            "files": shards.files,
            "rows": shards.rows,
        }

    def end(self, manifest: Mapping[str, Any]) -> None:
        """Writes the manifest, which makes the sample a finished one, and removes the work folder."""
        if not self.work.rank:
            self.output.write(MANIFEST, (json.dumps(manifest, indent=2, allow_nan=False) + "\n").encode())
            self.work.remove()
        self.work.release()

    def _begin(self) -> None:
        begun, done = self.work.job(), read_manifest(self.output)
        is_mine = begun is not None and difference(begun, self.manifest) is None
        is_done = done is not None and difference(done, self.manifest) is None
        if is_done and (is_mine or not self.overwrite):
            return
        if not is_mine:
            self._make_room(begun, done)
            self.work.begin(self.manifest)
        if done is not None:
            for name in done.get("files", {}):
                self.output.delete(Path(name).name)
            self.output.delete(MANIFEST)  # last: until then, a run that is killed here does it again

    def _make_room(self, begun: Mapping[str, Any] | None, done: Mapping[str, Any] | None) -> None:
        """Refuses to touch another sample unless told to; throws away the shards of an interrupted one."""
        found = begun if done is None else done
        if done is not None and "rows" not in done and not self.overwrite:
            raise InputError(
                f"expected an empty folder, got samples in {self.output.name}; choose another --out or pass --overwrite"
            )
        if found is not None and not self.overwrite:
            old, new = difference(found, self.manifest) or ("", "")
            kind = "an interrupted" if done is None else "a finished"
            raise InputError(
                f"expected a folder for a sample of {new}, got {kind} one of {old} in {self.output.name}; repeat its "
                "command, choose another --out, or pass --overwrite"
            )
        listed = {} if done is None else done.get("files", {})
        shards = [name for name in self.output.names() if SHARD_NAME.fullmatch(name) and name not in listed]
        if shards and begun is None:
            raise InputError(
                f"expected no shards of another origin, got {self.output.name}/{shards[0]}; move it or choose another "
                "--out"
            )
        for name in shards:
            self.output.delete(name)


def read_manifest(output: Output) -> Mapping[str, Any] | None:
    """Returns the manifest of a folder, whatever wrote it; empty for one that is damaged."""
    data = output.read(MANIFEST)
    if data is None:
        return None
    try:
        manifest = json.loads(data)
    except ValueError:
        return {}
    return manifest if isinstance(manifest, dict) else {}


def run_alone(job: SampleJob) -> Mapping[str, Any]:
    """Runs a job in this process alone and returns its manifest.

    Raises:
        InputError: The request or the folder is refused, or files cannot be written; what is finished is kept.
    """

    def run(stage: Stage) -> None:
        for unit in stage.share():
            stage.finish(unit)
        stage.collect()

    job.check()
    try:
        job.begin()
        manifest = job.finished() or job.generate(run)
        job.end(manifest)
    finally:
        job.work.release()
    return manifest
