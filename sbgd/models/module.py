"""What the Lightning modules of all model families share: optimiser, schedule, logging, validation."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, ClassVar

import pytorch_lightning as pl
import torch
from pytorch_lightning.utilities.types import OptimizerLRScheduler
from torch import Tensor

from sbgd.data.batch import BlockBatch, GraphBatch, PairBatch
from sbgd.data.collection_data import CollectionDataModule
from sbgd.diffusion import GeneratorNoise, NoiseSource
from sbgd.errors import InputError

Batch = dict[str, BlockBatch | PairBatch] | dict[str, GraphBatch]


class DiffusionModule(pl.LightningModule):
    """A module whose losses are means over a batch, one a part of the model.

    Attributes:
        data_class: The class of its data.

    Args:
        learning_rate: Peak rate of AdamW.
        weight_decay: Weight decay of AdamW.
        warmup_steps: Steps of linear warm-up; a cosine to 2 % follows over the steps of the trainer.
        seed: Seed of the training noise.
    """

    data_class: ClassVar[type[CollectionDataModule]]

    def __init__(self, learning_rate: float, weight_decay: float, warmup_steps: int, seed: int) -> None:
        super().__init__()
        check_numbers(learning_rate=learning_rate, weight_decay=weight_decay, warmup_steps=warmup_steps, seed=seed)
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.warmup_steps = warmup_steps
        self.seed = seed

    @abstractmethod
    def losses(self, batch: Batch, noise: NoiseSource) -> dict[str, Tensor]:
        """Returns the mean loss of every part."""

    @abstractmethod
    def trained(self, metadata: dict[str, Any]) -> Any:
        """Returns the model as sampling needs it.

        Raises:
            InputError: It has not been built yet.
        """

    @property
    def data(self) -> CollectionDataModule:
        """The data of the trainer.

        Raises:
            InputError: It is of another kind.
        """
        data = self.trainer.datamodule  # type: ignore[attr-defined]
        if not isinstance(data, self.data_class):
            raise InputError(
                f"expected data of class {self.data_class.__name__} for {type(self).__name__}, got "
                f"{type(data).__name__}; set data.class_path"
            )
        data.setup("fit")
        return data

    def training_step(self, batch: Batch, batch_idx: int) -> Tensor:
        """Returns the sum of the losses."""
        losses = self._drawn_losses(batch, self.global_step)
        values = {f"train/{name}": value.detach() for name, value in losses.items()}
        self.log_dict(values, batch_size=len(next(iter(batch.values()))), prog_bar=True)
        return torch.stack(list(losses.values())).sum()

    def validation_step(self, batch: Batch, batch_idx: int) -> None:
        """Logs the same losses on validation batches, with the same noise every time."""
        losses = self._drawn_losses(batch, -1 - batch_idx)
        total = torch.stack(list(losses.values())).sum()
        values = {f"val/{name}": value for name, value in losses.items()}
        self.log_dict(
            {**values, "val/loss": total}, batch_size=len(next(iter(batch.values()))), sync_dist=True, prog_bar=True
        )

    def test_step(self, batch: Batch, batch_idx: int) -> None:
        """The same as validation."""
        self.validation_step(batch, batch_idx)

    def configure_optimizers(self) -> OptimizerLRScheduler:
        """AdamW with warm-up and a cosine down to 2 %."""
        optimizer = torch.optim.AdamW(
            self.parameters(), lr=self.learning_rate, betas=(0.9, 0.99), weight_decay=self.weight_decay
        )
        total = int(self.trainer.estimated_stepping_batches)

        def rate(step: int) -> float:
            if step < self.warmup_steps:
                return (step + 1) / self.warmup_steps
            progress = (step - self.warmup_steps) / max(total - self.warmup_steps, 1)
            return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(progress, 1.0)))

        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    def _drawn_losses(self, batch: Batch, step: int) -> dict[str, Tensor]:
        # Noise from (seed, step): a resumed run draws what an uninterrupted one would have drawn.
        generator = torch.Generator(self.device).manual_seed(hash((self.seed, step, self.global_rank)) & (2**62 - 1))
        return self.losses(batch, GeneratorNoise(generator))


def check_numbers(**values: float) -> None:
    """Makes sure that settings of a model are at least 0 and finite.

    Raises:
        InputError: One is not.
    """
    for name, value in values.items():
        if not 0 <= value < math.inf:
            raise InputError(f"expected model.{name} of at least 0, got {value}")
