"""The first stage: blocks, in ranges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sbgd.data.blocks import BlockTable
from sbgd.sampling.block_sampler import sample_blocks
from sbgd.sampling.job.stage import Progress, Solving, Stage, Unit, UnitSizes, unit_name
from sbgd.sampling.job.units import Arrays
from sbgd.sampling.job.work_folder import WorkFolder
from sbgd.sampling.plan import GenerationPlan


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
        self.work.ensure(unit_name("blocks", unit[1]), lambda: self._make(unit[1]))

    def collect(self) -> None:
        """Takes in the edges of all blocks; features stay on disk."""
        edges, counts = [np.zeros((0, 2), np.int32)], []
        for number in range(len(self.starts) - 1):
            unit = self.work.wait(unit_name("blocks", number))
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
            parts.append(self.work.wait(unit_name("blocks", number))["features"][rows[0] : rows[1]])
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
