"""Metrics of samples in validation: losses say how well single steps are denoised, these say what comes out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytorch_lightning as pl

from sbgd.data.collection_data import CollectionDataModule
from sbgd.errors import InputError
from sbgd.evaluation import MetricCollection
from sbgd.graph import Graph
from sbgd.models.model_folder import TrainedModel
from sbgd.models.module import DiffusionModule
from sbgd.sampling import GraphSolverOptions, SolverOptions, generate, generate_graphs


class SampleMetrics(pl.Callback):
    """Samples graphs of the sizes of validation graphs, and logs a metric collection as `samples/NAME`.

    Beside every metric stands `samples/NAME_train`, what as many training graphs score, and for all MMDs
    `samples/floor`, 1/n + 1/m. Sampling draws its own noise: training goes on as it would without this callback. In the
    configuration:

        trainer:
          callbacks:
            - class_path: sbgd.tracking.SampleMetrics
              init_args: {num_graphs: 20, every_n_epochs: 5}

    Args:
        preset: Preset of the metrics, see `sbgd evaluate --list-presets`.
        metrics: Names of metrics among those of the preset; None for its own choice.
        num_graphs: Graphs to sample, and to compare with where there are more.
        every_n_epochs: Validation epochs from one sampling to the next.
        num_steps: Denoising steps.
        seed: Seed of the samples, the same every time.
    """

    def __init__(
        self,
        preset: str = "sbgd",
        metrics: list[str] | None = None,
        num_graphs: int = 20,
        every_n_epochs: int = 1,
        num_steps: int = 20,
        seed: int = 0,
    ) -> None:
        for name, value in {"num_graphs": num_graphs, "every_n_epochs": every_n_epochs, "num_steps": num_steps}.items():
            if value < 1:
                raise InputError(f"expected SampleMetrics.{name} of at least 1, got {value}")
        self._preset = preset
        self._metrics = metrics
        self._num_graphs = num_graphs
        self._every_n_epochs = every_n_epochs
        self._num_steps = num_steps
        self._seed = seed
        self._collection: MetricCollection | None = None
        self._sizes = np.zeros(0, dtype=np.int64)
        self._reference: list[Graph] = []

    def setup(self, trainer: pl.Trainer, pl_module: pl.LightningModule, stage: str) -> None:
        """Describes the validation graphs, so that a wrong name is found before training."""
        if self._collection is not None or not trainer.is_global_zero:
            return
        data = trainer.datamodule  # type: ignore[attr-defined]
        if not isinstance(data, CollectionDataModule):
            raise InputError(f"expected data of sbgd.data for SampleMetrics, got {type(data).__name__}")
        data.setup("fit")
        reference = data.val_graphs[: self._num_graphs]
        self._reference = [reference[index % len(reference)] for index in range(self._num_graphs)]
        self._sizes = np.array([graph.num_nodes for graph in self._reference], dtype=np.int64)
        self._collection = MetricCollection(
            reference, preset=self._preset, metrics=self._metrics, train=_others(data), seed=self._seed
        )

    def on_validation_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Samples with the averaged weights, which are in place during validation, and logs."""
        due = (trainer.current_epoch + 1) % self._every_n_epochs == 0
        if self._collection is None or trainer.sanity_checking or (trainer.state.fn == "fit" and not due):
            return
        assert isinstance(pl_module, DiffusionModule)
        graphs = self._sampled(pl_module)
        values = self._collection.values(graphs)
        values["floor"] = self._collection.floor(len(graphs))
        pl_module.log_dict({f"samples/{name}": value for name, value in values.items()}, rank_zero_only=True)

    def _sampled(self, module: DiffusionModule) -> list[Graph]:
        trained = module.trained({})
        if isinstance(trained, TrainedModel):
            options = SolverOptions(num_steps=self._num_steps)
            return generate(trained, self._sizes, seed=self._seed, options=options, device=module.device).graphs
        whole = GraphSolverOptions(num_steps=self._num_steps)
        given = None if trained.diffusion.paradigm == "joint" else self._reference
        return generate_graphs(trained, self._sizes, given=given, seed=self._seed, options=whole, device=module.device)


def _others(data: CollectionDataModule) -> Sequence[object] | None:
    """Returns the training graphs, or None where they are the validation graphs."""
    return None if data.val is None else data.train_graphs
