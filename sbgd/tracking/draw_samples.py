"""Pictures of samples in validation."""

from __future__ import annotations

from pathlib import Path

import pytorch_lightning as pl
from pytorch_lightning.loggers import WandbLogger
from pytorch_lightning.utilities import rank_zero_warn

from sbgd.data.collection_data import CollectionDataModule
from sbgd.evaluation.report import pictures_page
from sbgd.graph import Graph
from sbgd.models.module import DiffusionModule
from sbgd.tracking.validation_samples import ValidationSamples

FOLDER = "drawings"


class DrawSamples(ValidationSamples):
    """Draws samples beside validation graphs, with their distributions: one HTML page a time.

    Pages are `drawings/step-00001000.html` in the folder of the run, and `samples/drawings` in W&B where that is the
    logger. A page that cannot be written is a warning; the training goes on. In the configuration:

        trainer:
          callbacks:
            - class_path: sbgd.tracking.DrawSamples
              init_args: {num_graphs: 4, every_n_epochs: 5}

    Args:
        num_graphs: Graphs to sample.
        every_n_epochs: Validation epochs from one page to the next.
        num_steps: Denoising steps.
        seed: Seed of the samples and of the places in drawings, the same every time.
    """

    def __init__(self, num_graphs: int = 4, every_n_epochs: int = 1, num_steps: int = 20, seed: int = 0) -> None:
        super().__init__(num_graphs=num_graphs, every_n_epochs=every_n_epochs, num_steps=num_steps, seed=seed)

    def prepare(self, data: CollectionDataModule) -> None:
        """Needs nothing but the validation graphs."""

    def use(self, trainer: pl.Trainer, module: DiffusionModule, graphs: list[Graph]) -> None:
        """Writes the page and logs it."""
        step = trainer.global_step
        page = pictures_page(f"Samples after {step} steps", graphs, self.reference, seed=self.seed)
        path = Path(trainer.default_root_dir) / FOLDER / f"step-{step:08d}.html"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(page, encoding="utf-8")
        except OSError as error:
            rank_zero_warn(f"no drawings of step {step}: {error}")
        for logger in trainer.loggers:
            if isinstance(logger, WandbLogger):
                import wandb

                logger.experiment.log({"samples/drawings": wandb.Html(page, inject=False)}, commit=False)
