"""The three stages of a job: blocks, pairs round by round, shards. Each is a list of units that files stand for.

What a unit holds does not depend on the number of processes: units are cut by constants, and processes take contiguous
ranges of them.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sbgd.data.blocks import BlockTable, Ints
from sbgd.data.scaler import FeatureScaler
from sbgd.formats.sharded import encoded
from sbgd.models.block_diffusion import BlockDiffusion
from sbgd.sampling.block_sampler import SolverOptions, sample_blocks
from sbgd.sampling.job.output import Output
from sbgd.sampling.job.shards import GeneratedEdges, cut_shards
from sbgd.sampling.job.units import Arrays
from sbgd.sampling.job.work_folder import WorkFolder
from sbgd.sampling.pair_sampler import PairSampler
from sbgd.sampling.plan import GenerationPlan

Progress = Callable[[str, int, int], None]
Unit = tuple[int, int]
"""Number of the round and number within the round."""


@dataclass(frozen=True)
class UnitSizes:
    """How the work is cut: what is lost at most when a process dies, and what is held at a time.

    Attributes:
        blocks: Blocks of a unit.
        pairs: Pairs of blocks of a unit.
    """

    blocks: int = 1024
    pairs: int = 4096


@dataclass(frozen=True)
class Solving:
    """What runs the networks.

    Attributes:
        model: The trained networks.
        seed: Seed of the job.
        options: Steps and batch size.
        device: Where the networks run.
    """

    model: BlockDiffusion
    seed: int
    options: SolverOptions
    device: torch.device


class Stage(ABC):
    """Units of one kind; all of them are finished before the next stage begins.

    Args:
        work: Where finished units are kept.
        progress: Called with (stage, done, total).
        total: What `progress` counts, in all.
    """

    name: str

    def __init__(self, work: WorkFolder, progress: Progress | None, total: int) -> None:
        self.work = work
        self._progress = progress
        self._done = 0
        self._total = total
        self._seen: set[Unit] = set()

    @abstractmethod
    def counts(self) -> list[int]:
        """Returns the number of units of every round; a stage without rounds has one."""

    @abstractmethod
    def finish(self, unit: Unit) -> None:
        """Makes a unit unless it has been made."""

    @abstractmethod
    def collect(self) -> None:
        """Waits for the units of all processes and takes them in."""

    def share(self) -> list[Unit]:
        """Returns the units of this process: in every round a contiguous range."""
        rank, size = self.work.rank, self.work.world_size
        return [
            (number, unit)
            for number, count in enumerate(self.counts())
            for unit in range(rank * count // size, (rank + 1) * count // size)
        ]

    def advance(self, count: int) -> None:
        """Reports progress within a unit that is being made."""
        self._done += count
        if self._progress is not None:
            self._progress(self.name, min(self._done, self._total), self._total)

    def see(self, unit: Unit, count: int) -> None:
        """Reports a unit that was found finished, unless this process has made it."""
        if unit not in self._seen:
            self.advance(count)
        self._seen.discard(unit)


class BlockStage(Stage):
    """Blocks, in ranges."""

    name = "blocks"

    def __init__(
        self, work: WorkFolder, progress: Progress | None, plan: GenerationPlan, solving: Solving, sizes: UnitSizes
    ) -> None:
        super().__init__(work, progress, plan.blocks.num_blocks)
        self.plan = plan
        self.solving = solving
        self.starts = np.append(np.arange(0, plan.blocks.num_blocks, sizes.blocks), plan.blocks.num_blocks)
        self.blocks = plan.blocks

    def counts(self) -> list[int]:
        """Returns the number of units."""
        return [len(self.starts) - 1]

    def finish(self, unit: Unit) -> None:
        """Generates a range of blocks."""
        self.work.ensure(_unit_name("blocks", unit[1]), lambda: self._make(unit[1]))

    def collect(self) -> None:
        """Takes in the edges of all blocks; features stay on disk."""
        edges, counts = [np.zeros((0, 2), np.int32)], []
        for number in range(len(self.starts) - 1):
            unit = self.work.wait(_unit_name("blocks", number))
            edges.append(unit["edges"])
            counts.append(unit["counts"])
            self.see((0, number), len(unit["counts"]))
        offsets = np.concatenate([[0], np.cumsum(np.concatenate(counts), dtype=np.int64)])
        self.blocks = replace(self.plan.blocks, inner_edges=np.concatenate(edges), inner_offsets=offsets)

    def features(self, first: int, last: int) -> NDArray[np.float32]:
        """Returns the standardised features of the nodes of the blocks first .. last."""
        offsets, parts = self.plan.blocks.offsets, []
        units = np.searchsorted(self.starts, [first, last - 1], side="right") - 1
        for number in range(int(units[0]), int(units[1]) + 1):
            low = max(first, int(self.starts[number]))
            high = min(last, int(self.starts[number + 1]))
            rows = offsets[[low, high]] - offsets[self.starts[number]]
            parts.append(self.work.wait(_unit_name("blocks", number))["features"][rows[0] : rows[1]])
        return np.concatenate(parts)

    def _make(self, number: int) -> Arrays:
        self._seen.add((0, number))
        first, last = int(self.starts[number]), int(self.starts[number + 1])
        edges, offsets, features = sample_blocks(
            self.solving.model,
            _part(self.plan.blocks, first, last),
            self.plan.block_ids[first:last],
            seed=self.solving.seed,
            options=self.solving.options,
            device=self.solving.device,
            advance=self.advance,
        )
        return {"edges": edges.astype(np.int32), "counts": np.diff(offsets), "features": features}


class PairStage(Stage):
    """Edges between blocks: a round begins when all edges of the round before are known."""

    name = "pairs"

    def __init__(
        self,
        work: WorkFolder,
        progress: Progress | None,
        plan: GenerationPlan,
        blocks: BlockTable,
        solving: Solving,
        sizes: UnitSizes,
    ) -> None:
        super().__init__(work, progress, len(plan.pairs))
        self.size = sizes.pairs
        self.sampler = PairSampler(
            solving.model,
            blocks,
            plan.pairs,
            plan.counts,
            plan.pair_ids,
            seed=solving.seed,
            options=solving.options,
            device=solving.device,
        )
        rounds = range(self.sampler.num_rounds)
        self._counts = [-(-len(self.sampler.members(number)) // self.size) for number in rounds]
        self._collected = 0

    def counts(self) -> list[int]:
        """Returns the number of units of every round."""
        return self._counts

    def finish(self, unit: Unit) -> None:
        """Draws some pairs of a round, after all pairs of earlier rounds."""
        self._collect(unit[0])
        self.work.ensure(_unit_name("pairs", *unit), lambda: self._make(unit))

    def collect(self) -> None:
        """Takes in all pairs."""
        self._collect(self.sampler.num_rounds)

    def _make(self, unit: Unit) -> Arrays:
        self._seen.add(unit)
        edges, offsets = self.sampler.draw(self._members(unit), self.advance)
        return {"edges": edges.astype(np.int32), "offsets": offsets}

    def _collect(self, rounds: int) -> None:
        while self._collected < rounds:
            number = self._collected
            for part in range(self._counts[number]):
                members = self._members((number, part))
                unit = self.work.wait(_unit_name("pairs", number, part))
                self.sampler.add(members, unit["edges"], unit["offsets"])
                self.see((number, part), len(members))
            self._collected += 1

    def _members(self, unit: Unit) -> Ints:
        return self.sampler.members(unit[0])[unit[1] * self.size : (unit[1] + 1) * self.size]


class ShardStage(Stage):
    """Sorted edges and features, as files of the output."""

    name = "shards"

    def __init__(
        self,
        work: WorkFolder,
        progress: Progress | None,
        edges: GeneratedEdges,
        made: BlockStage,
        scaler: FeatureScaler,
        output: Output,
        edges_per_shard: int,
    ) -> None:
        self.starts = cut_shards(edges.plan, edges_per_shard)
        super().__init__(work, progress, len(self.starts) - 1)
        self.edges = edges
        self.made = made
        self.scaler = scaler
        self.output = output
        self.files: dict[str, str] = {}
        self.rows: dict[str, int] = {}

    def counts(self) -> list[int]:
        """Returns the number of shards."""
        return [len(self.starts) - 1]

    def finish(self, unit: Unit) -> None:
        """Writes a shard unless it lies there as it was written."""
        record = self.work.read(_unit_name("shards", unit[1]))
        if record is None or not all(
            self.output.holds(entry["name"], entry["size"], entry["sha256"]) for entry in _entries(record)
        ):
            self._make(unit[1])

    def collect(self) -> None:
        """Takes in what was written."""
        for number in range(len(self.starts) - 1):
            for entry in _entries(self.work.wait(_unit_name("shards", number))):
                self.files[entry["name"]] = entry["sha256"]
                self.rows[entry["name"]] = entry["rows"]
            self.see((0, number), 1)

    def _make(self, number: int) -> None:
        first, last = int(self.starts[number]), int(self.starts[number + 1])
        tables = {f"edges-{number:05d}.parquet": self.edges.table(first, last)}
        if self.scaler.num_features:
            features = self.scaler.restore(self.made.features(first, last))
            tables[f"nodes-{number:05d}.parquet"] = self.edges.node_table(first, last, features)
        entries = []
        for name, table in tables.items():
            data = encoded(table)
            self.output.write(name, data)
            digest = hashlib.sha256(data).hexdigest()
            entries.append({"name": name, "rows": table.num_rows, "size": len(data), "sha256": digest})
        text = json.dumps(entries).encode()
        self.work.write(_unit_name("shards", number), {"entries": np.frombuffer(text, np.uint8)})


def _entries(record: Arrays) -> list[dict[str, Any]]:
    return json.loads(record["entries"].tobytes())


def _unit_name(kind: str, *numbers: int) -> str:
    return "-".join([kind, *(f"{number:05d}" for number in numbers)])


def _part(blocks: BlockTable, first: int, last: int) -> BlockTable:
    """Returns a range of planned blocks, which have no edges yet, as a table of its own."""
    low, high = int(blocks.offsets[first]), int(blocks.offsets[last])
    return BlockTable(
        offsets=blocks.offsets[first : last + 1] - low,
        inner_edges=blocks.inner_edges[:0],
        inner_offsets=np.zeros(last - first + 1, np.int64),
        degrees=blocks.degrees[low:high],
        features=blocks.features[low:high],
    )
