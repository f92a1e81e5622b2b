"""Training data of SGGM: whole graphs, batched with others of their size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import torch.distributed
from pytorch_lightning.utilities import rank_zero_info

from sbgd.data.batch import GraphBatch
from sbgd.data.batch_stream import BatchStream, FixedBatches
from sbgd.data.blocks import padded_size
from sbgd.data.collection_data import CollectionDataModule
from sbgd.data.graph_schema import Categories, GraphSchema
from sbgd.errors import InputError
from sbgd.graph import Graph


class GraphDataModule(CollectionDataModule):
    """Whole graphs of a data set.

    Args:
        train: Data set name with split (`gdss_ego_small:train`) or a path to a file or folder of graphs.
        val: The same for validation; the training graphs by default.
        features: Whether node features are modelled; columns of zeros and ones alone are modelled as binary.
        categories: `labels` models the nodes' labels, `degrees` their degrees, `none` neither.
        edge_types: Whether edge types are modelled.
        max_degree: Degree at and above which all nodes are of one category, for `categories: degrees`.
        sparse: Keeps edges as lists: for networks that pass messages along edges only, and graphs of any size.
        batch_size: Graphs a batch.
        steps_per_epoch: Batches an epoch.
        val_batches: Batches of a validation round.
        self_loops: `error` or `drop`, for files that hold self-loops.
        seed: Seed of the order of batches.
    """

    def __init__(
        self,
        train: str,
        val: str | None = None,
        features: bool = False,
        categories: Categories = "none",
        edge_types: bool = False,
        max_degree: int = 15,
        sparse: bool = False,
        batch_size: int = 32,
        steps_per_epoch: int = 100,
        val_batches: int = 8,
        self_loops: Literal["error", "drop"] = "error",
        seed: int = 0,
    ) -> None:
        super().__init__(
            train,
            val,
            self_loops,
            seed,
            max_degree=max_degree,
            batch_size=batch_size,
            steps_per_epoch=steps_per_epoch,
            val_batches=val_batches,
        )
        self.use_features = features
        self.categories: Categories = categories
        self.use_edge_types = edge_types
        self.max_degree = max_degree
        self.sparse = sparse
        self.batch_size = batch_size
        self.steps_per_epoch = steps_per_epoch
        self.val_batches = val_batches
        self._schema: GraphSchema | None = None

    @property
    def schema(self) -> GraphSchema:
        """What is modelled; known after `setup`."""
        assert self._schema is not None
        return self._schema

    @property
    def num_features(self) -> int:
        """Node feature columns that are modelled; known after `setup`."""
        return self.schema.num_features

    def metadata(self) -> dict[str, Any]:
        """Returns what a trained model remembers of its data."""
        return {"data": self.train, "graphs": len(self.train_graphs)}

    def setup(self, stage: str | None = None) -> None:
        """Loads the graphs, once."""
        if self._schema is not None:
            return
        self.train_graphs = self._load(self.train)
        self.val_graphs = self.train_graphs if self.val is None else self._load(self.val)
        schema = GraphSchema.fit(
            self.train_graphs,
            features=self.use_features,
            categories=self.categories,
            edge_types=self.use_edge_types,
            max_degree=self.max_degree,
        )
        widths = {graph.num_features for graph in self.val_graphs}
        if self.use_features and widths != {schema.num_features}:
            raise InputError(
                f"expected {schema.num_features} feature columns in {self.val} as in training, got {sorted(widths)}"
            )
        if schema.is_binary:
            rank_zero_info("%s: features are 0 or 1 throughout and modelled as binary", self.train)
        self._schema = schema

    def train_dataloader(self) -> GraphStream:
        """Returns the stream of training batches."""
        rank = torch.distributed.get_rank() if torch.distributed.is_initialized() else 0
        return GraphStream(
            self.train_graphs,
            self.schema,
            batch_size=self.batch_size,
            num_batches=self.steps_per_epoch,
            seed=self.seed,
            rank=rank,
            is_dense=not self.sparse,
        )

    def val_dataloader(self) -> FixedBatches[dict[str, GraphBatch]]:
        """Returns the same validation batches every time."""
        stream = GraphStream(
            self.val_graphs,
            self.schema,
            batch_size=self.batch_size,
            num_batches=self.val_batches,
            seed=self.seed + 1,
            is_dense=not self.sparse,
        )
        return FixedBatches(stream, self.val_batches)

    test_dataloader = val_dataloader

    def _load(self, spec: str) -> list[Graph]:
        graphs = self.load_graphs(spec)
        for is_modelled, has_any, what in (
            (self.use_features, graphs[0].num_features > 0, "node features; data.features=true"),
            (self.categories == "labels", graphs[0].labels is not None, "node labels; data.categories=labels"),
            (self.use_edge_types, graphs[0].edge_types is not None, "edge types; data.edge_types=true"),
        ):
            if has_any and not is_modelled:
                rank_zero_info("%s: not modelled: %s does", spec, what)
        return graphs


class GraphStream(BatchStream[dict[str, GraphBatch]]):
    """Batches of graphs of one padded size.

    Args:
        graphs: Graphs to draw from.
        schema: What of them is modelled.
        batch_size: Graphs a batch; fewer where a size has fewer.
        num_batches: Batches an epoch.
        seed: Seed of the order.
        rank: Number of this process; every process draws its own batches.
        is_dense: Whether batches hold adjacency matrices.
    """

    def __init__(
        self,
        graphs: Sequence[Graph],
        schema: GraphSchema,
        *,
        batch_size: int,
        num_batches: int,
        seed: int = 0,
        rank: int = 0,
        is_dense: bool = True,
    ) -> None:
        super().__init__(num_batches=num_batches, seed=seed, rank=rank)
        self.graphs = graphs
        self.schema = schema
        self.batch_size = batch_size
        self.is_dense = is_dense
        sizes = np.array([graph.num_nodes for graph in graphs])
        padded = np.array([padded_size(size) for size in sizes.tolist()])
        alike = [np.flatnonzero(padded == size) for size in np.unique(padded)]
        self._buckets = [(int(sizes[ids].max()), ids) for ids in alike]
        counts = np.array([len(ids) for _, ids in self._buckets], float)
        self._shares = counts / counts.sum()

    def batch(self, number: int) -> dict[str, GraphBatch]:
        """Returns batch number `number`: graphs of one size, sizes in proportion to their number of graphs."""
        rng = self.generator(number)
        padded, ids = self._buckets[rng.choice(len(self._buckets), p=self._shares)]
        chosen = rng.choice(ids, min(self.batch_size, len(ids)), replace=False)
        return {"graphs": self.schema.batch([self.graphs[i] for i in chosen], padded, is_dense=self.is_dense)}
