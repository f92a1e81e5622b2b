"""What the data of all model families share: a training and a validation set by name or path."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal

import pytorch_lightning as pl
from pytorch_lightning.utilities import rank_zero_info

from sbgd.data.sources import load_dataset
from sbgd.errors import InputError
from sbgd.formats import ReadOptions
from sbgd.graph import Graph


class CollectionDataModule(pl.LightningDataModule, ABC):
    """Training and validation graphs.

    Args:
        train: Data set name with split, or a path to a file or folder of graphs.
        val: The same for validation; None for none of its own.
        self_loops: `error` or `drop`, for files that hold self-loops.
        seed: Seed of the order of batches.
        positive: Settings that must be at least 1, by name.
    """

    def __init__(
        self, train: str, val: str | None, self_loops: Literal["error", "drop"], seed: int, **positive: int
    ) -> None:
        super().__init__()
        for name, value in positive.items():
            if value < 1:
                raise InputError(f"expected data.{name} of at least 1, got {value}")
        if seed < 0:
            raise InputError(f"expected data.seed of at least 0, got {seed}")
        if self_loops not in ("error", "drop"):
            raise InputError(f"expected data.self_loops error or drop, got {self_loops!r}")
        self.train = train
        self.val = val
        self.read_options = ReadOptions(self_loops=self_loops)
        self.seed = seed
        self.train_graphs: list[Graph] = []
        self.val_graphs: list[Graph] = []

    @property
    @abstractmethod
    def num_features(self) -> int:
        """Node feature columns that are modelled; known after `setup`."""

    @abstractmethod
    def metadata(self) -> dict[str, Any]:
        """Returns what a trained model remembers of its data."""

    def load_graphs(self, spec: str) -> list[Graph]:
        """Loads the graphs of a name or path that have nodes, and says what reading did.

        Raises:
            InputError: There are none, or they cannot be read.
        """
        loaded = load_dataset(spec, options=self.read_options)
        for line in loaded.report.lines():
            rank_zero_info("%s: %s", spec, line)
        graphs = [graph for graph in loaded.graphs if graph.num_nodes]
        if not graphs:
            raise InputError(f"expected graphs with nodes in {spec}, got {len(loaded.graphs)} graphs without any")
        if len(graphs) < len(loaded.graphs):
            rank_zero_info("%s: %d graphs without nodes are left out", spec, len(loaded.graphs) - len(graphs))
        return graphs
