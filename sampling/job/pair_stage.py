"""The second stage: edges between blocks, round by round."""

from __future__ import annotations

import numpy as np

from sbgd.data.blocks import BlockTable, Ints
from sbgd.sampling.job.stage import Progress, Solving, Stage, Unit, UnitSizes, unit_name
from sbgd.sampling.job.units import Arrays
from sbgd.sampling.job.work_folder import WorkFolder
from sbgd.sampling.pair_sampler import PairSampler
from sbgd.sampling.plan import GenerationPlan


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
        self.work.ensure(unit_name("pairs", *unit), lambda: self._make(unit))

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
                unit = self.work.wait(unit_name("pairs", number, part))
                self.sampler.add(members, unit["edges"], unit["offsets"])
                self.see((number, part), len(members))
            self._collected += 1

    def _members(self, unit: Unit) -> Ints:
        return self.sampler.members(unit[0])[unit[1] * self.size : (unit[1] + 1) * self.size]
