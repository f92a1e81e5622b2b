"""How this process was launched: alone, by torchrun or by srun."""

from __future__ import annotations

import os
from dataclasses import dataclass

from sbgd.errors import InputError


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
        """Reads what torchrun or a step of SLURM says; one process without them.

        Raises:
            InputError: Machines have different numbers of processes.
        """
        launch = cls(0, 1, 1)
        if "TORCHELASTIC_RUN_ID" in os.environ:
            size = int(os.environ["WORLD_SIZE"])
            launch = cls(int(os.environ["RANK"]), size, size // int(os.environ["LOCAL_WORLD_SIZE"]))
        elif "SLURM_STEP_NUM_TASKS" in os.environ:
            size = int(os.environ["SLURM_STEP_NUM_TASKS"])
            launch = cls(int(os.environ["SLURM_PROCID"]), size, int(os.environ.get("SLURM_STEP_NUM_NODES", "1")))
        if launch.world_size % launch.num_machines:
            raise InputError(
                f"expected as many processes on every machine, got {launch.world_size} on {launch.num_machines}"
            )
        return launch
