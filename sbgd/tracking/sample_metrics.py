"""Metrics of samples in validation: losses say how well single steps are denoised, these say what comes out."""

from __future__ import annotations

import pytorch_lightning as pl

from sbgd.data.collection_data import CollectionDataModule
from sbgd.evaluation import MetricCollection
from sbgd.graph import Graph
from sbgd.models.module import DiffusionModule
from sbgd.tracking.validation_samples import ValidationSamples


class SampleMetrics(ValidationSamples):
    """Samples graphs of the sizes of validation graphs, and logs a metric collection as `samples/NAME`.

    Beside every metric stands `samples/NAME_train`, what as many training graphs score, and for all MMDs
    `samples/floor`, 1/n + 1/m. In the configuration:

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
        super().__init__(num_graphs=num_graphs, every_n_epochs=every_n_epochs, num_steps=num_steps, seed=seed)
        self._preset = preset
        self._metrics = metrics
        self._collection: MetricCollection | None = None

    def prepare(self, data: CollectionDataModule) -> None:
        """Describes the validation graphs, each once, and the training graphs where they are others."""
        self._collection = MetricCollection(
            self.reference[: len(data.val_graphs)],
            preset=self._preset,
            metrics=self._metrics,
            train=None if data.val is None else data.train_graphs,
            seed=self.seed,
        )

    def use(self, trainer: pl.Trainer, module: DiffusionModule, graphs: list[Graph]) -> None:
        """Logs the metrics of the samples."""
        assert self._collection is not None
        values = self._collection.values(graphs)
        values["floor"] = self._collection.floor(len(graphs))
        module.log_dict({f"samples/{name}": value for name, value in values.items()}, rank_zero_only=True)
