"""One job in many processes: launched by torchrun or srun, run by Lightning, meeting in the work folder.

Every process takes a contiguous range of the units of every stage as the batches of `trainer.predict`. No tensor is
exchanged: processes wait for each other's files, and see by locks and notes in the work folder when one has stopped.
"""

from __future__ import annotations

import logging
import signal
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.strategies import DDPStrategy

from sbgd.errors import InputError
from sbgd.sampling.job.job import SampleJob
from sbgd.sampling.job.launch import Launch
from sbgd.sampling.job.stage import Stage, Unit

MEETING_TIMEOUT = timedelta(minutes=10)


class UnitRunner(pl.LightningModule):
    """Finishes units as if they were batches.

    Args:
        stage: The stage that the units belong to.
    """

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self.stage = stage

    def on_predict_start(self) -> None:
        """Lets a process be ended: Lightning's own handler waits for processes that may be gone."""
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def transfer_batch_to_device(self, batch: Unit, device: torch.device, dataloader_idx: int) -> Unit:
        """Leaves the numbers of a unit as they are."""
        return batch

    def predict_step(self, batch: Unit) -> bool:
        """Finishes a unit, unless another process has stopped: then nobody will finish the rest."""
        reason = self.stage.work.stopped()
        if reason is not None:
            raise InputError(reason)
        self.stage.finish(batch)
        return True


class _Units:
    """Units without a length, so that a process may have none."""

    def __init__(self, units: list[Unit]) -> None:
        self._units = units

    def __iter__(self) -> Iterator[Unit]:
        return iter(self._units)


def run_together(job: SampleJob, launch: Launch) -> Mapping[str, Any]:
    """Runs a job in this process as one of many and returns its manifest.

    Raises:
        InputError: As in `run_alone`, or another process has stopped; the message says which and why.
    """
    job.check()
    _quieten()
    trainer = _trainer(job.device, launch)
    try:
        trainer.strategy.setup_environment()
    except RuntimeError as error:
        reason = " ".join(str(error).split())
        raise InputError(f"expected {launch.world_size} processes that reach each other, got: {reason}") from error
    job = replace(job, device=trainer.strategy.root_device)
    try:
        return _run(job, trainer)
    except InputError as error:
        job.work.give_up(str(error))
        raise
    except RuntimeError as error:
        # Most often a meeting that another process did not come to, and why is in the work folder.
        stopped = job.work.stopped()
        job.work.give_up(stopped or f"{type(error).__name__}: {error}")
        if stopped is None:
            raise
        raise InputError(stopped) from error
    finally:
        job.work.release()


def _run(job: SampleJob, trainer: pl.Trainer) -> Mapping[str, Any]:
    def run(stage: Stage) -> None:
        units = _Units(stage.share())
        trainer.predict(UnitRunner(stage), dataloaders=units, return_predictions=False)
        stage.collect()
        trainer.strategy.barrier()

    job.begin()
    trainer.strategy.barrier()
    manifest = job.finished() or job.generate(run)
    trainer.strategy.barrier()
    job.end(manifest)
    return manifest


def _trainer(device: torch.device, launch: Launch) -> pl.Trainer:
    return pl.Trainer(
        accelerator="cpu" if device.type == "cpu" else "gpu",
        devices=launch.world_size // launch.num_machines,
        num_nodes=launch.num_machines,
        strategy=DDPStrategy(process_group_backend="gloo", timeout=MEETING_TIMEOUT),
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        use_distributed_sampler=False,
    )


def _quieten() -> None:
    """Silences what Lightning says of itself; our own progress and errors are enough."""
    for name in ("pytorch_lightning", "lightning_fabric"):
        logging.getLogger(name).setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", module="pytorch_lightning")
    warnings.filterwarnings("ignore", module="lightning_fabric")
