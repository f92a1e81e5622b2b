"""A stage of a job: units of one kind, each a file when it is finished.

What a unit holds does not depend on the number of processes: units are cut by constants, and processes take contiguous
ranges of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import torch

from sbgd.models.block_diffusion import BlockDiffusion
from sbgd.sampling.block_sampler import SolverOptions
from sbgd.sampling.job.work_folder import WorkFolder

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


def unit_name(kind: str, *numbers: int) -> str:
    """Returns the file name of a unit."""
    return "-".join([kind, *(f"{number:05d}" for number in numbers)])
