"""How this process was launched: alone, by torchrun or by srun."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Launch:
    """How this process was launched.

    Attributes:
        rank: Number of this process among all.
        world_size: Number of processes.
        num_machines: Number of machines, each with as many processes.
    """

    rank: int
    world_size: int
    num_machines: int

    @classmethod
    def from_environment(cls) -> Launch:
        """Reads what torchrun or a step of SLURM says; one process without them."""
        if "TORCHELASTIC_RUN_ID" in os.environ:
            size = int(os.environ["WORLD_SIZE"])
            return cls(int(os.environ["RANK"]), size, size // int(os.environ["LOCAL_WORLD_SIZE"]))
        if "SLURM_STEP_NUM_TASKS" in os.environ:
            size = int(os.environ["SLURM_STEP_NUM_TASKS"])
            return cls(int(os.environ["SLURM_PROCID"]), size, int(os.environ.get("SLURM_STEP_NUM_NODES", "1")))
        return cls(0, 1, 1)
