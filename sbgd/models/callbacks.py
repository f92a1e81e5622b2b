"""What every training run does beside training: it keeps its resolved configuration and exports its model."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import RichProgressBar
from pytorch_lightning.cli import SaveConfigCallback

from sbgd.models.model_folder import save_model
from sbgd.models.module import DiffusionModule
from sbgd.version import __version__


class SaveRunConfig(SaveConfigCallback):
    """Writes the resolved configuration to `config.yaml` in the run folder, whatever the logger."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "save_to_log_dir": False})

    def save_config(self, trainer: pl.Trainer, pl_module: pl.LightningModule, stage: str) -> None:
        """Writes the file; only the first process does."""
        if stage != "fit":
            return
        folder = Path(trainer.default_root_dir)
        folder.mkdir(parents=True, exist_ok=True)
        config = self.config.clone()
        config.overwrite = False  # whoever runs this file again should be asked again
        self.parser.save(config, folder / "config.yaml", overwrite=True, multifile=False)


class EpochProgressBar(RichProgressBar):
    """A progress bar that says how many epochs a number of steps makes; Lightning's shows -2 for it."""

    def _get_train_description(self, current_epoch: int) -> str:
        batches = max(self.trainer.num_training_batches, 1) / self.trainer.accumulate_grad_batches
        return f"Epoch {current_epoch + 1}/{math.ceil(self.trainer.estimated_stepping_batches / batches)}"


class ExportModel(pl.Callback):
    """Writes `model.safetensors` and `model.json` to the run folder when training ends.

    It runs after the weight-averaging callback has put the averaged weights into the module.
    """

    def on_fit_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Exports the model and the last metrics."""
        if not trainer.is_global_zero:
            return
        assert isinstance(pl_module, DiffusionModule)
        folder = Path(trainer.default_root_dir)
        data = pl_module.data
        metadata = {
            "version": __version__,
            **data.metadata(),
            "steps": trainer.global_step,
            "parameters": sum(parameter.numel() for parameter in pl_module.parameters()),
        }
        save_model(folder, pl_module.trained(metadata))
        losses = {name: round(float(value), 6) for name, value in trainer.callback_metrics.items()}
        (folder / "losses.json").write_text(json.dumps(losses, indent=2, sort_keys=True) + "\n")
