"""Samples of the model in training, in the sizes of validation graphs."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import pytorch_lightning as pl

from sbgd.data.collection_data import CollectionDataModule
from sbgd.errors import InputError
from sbgd.graph import Graph
from sbgd.models.model_folder import TrainedModel
from sbgd.models.module import DiffusionModule
from sbgd.sampling import GraphSolverOptions, SolverOptions, generate, generate_graphs


class ValidationSamples(pl.Callback, ABC):
    """Samples graphs in some validation rounds, with the averaged weights, on the first process.

    Sampling draws its own noise: training goes on as it would without this callback.

    Args:
        num_graphs: Graphs to sample, and to compare with where there are more.
        every_n_epochs: Validation epochs from one sampling to the next.
        num_steps: Denoising steps.
        seed: Seed of the samples, the same every time.

    Raises:
        InputError: A number is less than 1.
    """

    def __init__(self, *, num_graphs: int, every_n_epochs: int, num_steps: int, seed: int) -> None:
        for name, value in {"num_graphs": num_graphs, "every_n_epochs": every_n_epochs, "num_steps": num_steps}.items():
            if value < 1:
                raise InputError(f"expected {type(self).__name__}.{name} of at least 1, got {value}")
        self._num_graphs = num_graphs
        self._every_n_epochs = every_n_epochs
        self._num_steps = num_steps
        self.seed = seed
        self.reference: list[Graph] = []

    @abstractmethod
    def prepare(self, data: CollectionDataModule) -> None:
        """Is called once before training, with the data set up."""

    @abstractmethod
    def use(self, trainer: pl.Trainer, module: DiffusionModule, graphs: list[Graph]) -> None:
        """Is called with the samples, as many as `reference` and of its sizes."""

    def setup(self, trainer: pl.Trainer, pl_module: pl.LightningModule, stage: str) -> None:
        """Takes the validation graphs, so that what is wrong is found before training."""
        if self.reference or not trainer.is_global_zero:
            return
        data = trainer.datamodule  # type: ignore[attr-defined]
        if not isinstance(data, CollectionDataModule):
            raise InputError(f"expected data of sbgd.data for {type(self).__name__}, got {type(data).__name__}")
        data.setup("fit")
        graphs = data.val_graphs[: self._num_graphs]
        self.reference = [graphs[index % len(graphs)] for index in range(self._num_graphs)]
        self.prepare(data)

    def on_validation_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Samples if this epoch is one to sample in."""
        due = (trainer.current_epoch + 1) % self._every_n_epochs == 0
        if not self.reference or trainer.sanity_checking or (trainer.state.fn == "fit" and not due):
            return
        assert isinstance(pl_module, DiffusionModule)
        self.use(trainer, pl_module, self._sampled(pl_module))

    def _sampled(self, module: DiffusionModule) -> list[Graph]:
        trained = module.trained({})
        sizes = np.array([graph.num_nodes for graph in self.reference], dtype=np.int64)
        if isinstance(trained, TrainedModel):
            options = SolverOptions(num_steps=self._num_steps)
            return generate(trained, sizes, seed=self.seed, options=options, device=module.device).graphs
        whole = GraphSolverOptions(num_steps=self._num_steps)
        given = None if trained.diffusion.paradigm == "joint" else self.reference
        return generate_graphs(trained, sizes, given=given, seed=self.seed, options=whole, device=module.device)
