"""Training data of SBGD: graphs are loaded, partitioned several times over and served as blocks and pairs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch.distributed
from pytorch_lightning.utilities import rank_zero_info

from sbgd.data.batch import BlockBatch, PairBatch
from sbgd.data.batch_stream import FixedBatches
from sbgd.data.blocks import BlockTable
from sbgd.data.collection_data import CollectionDataModule
from sbgd.data.pairs import OuterEdges, PairTable
from sbgd.data.scaler import FeatureScaler
from sbgd.data.stream import StreamOptions, TrainingSet, TrainingStream
from sbgd.errors import InputError
from sbgd.graph import Graph
from sbgd.partition import BlockGraph, MetisPartitioner, Partitioner, cached_partition, describe_partitioner


class BlockDataModule(CollectionDataModule):
    """Blocks and pairs of a data set.

    Args:
        train: Data set name with split (`cora`, `spectre_sbm:train`) or a path to a file or folder of graphs.
        val: The same for validation; without it, other cuts of the training graphs.
        partitioner: Cuts graphs into blocks.
        num_partitions: Cuts of every training graph, each from another seed; more cuts are more training blocks.
        batch_size: Blocks a batch.
        pair_batch_size: Pairs of blocks a batch.
        empty_pair_share: Share of empty pairs among them; only the independent factorisation needs any.
        steps_per_epoch: Batches an epoch.
        val_batches: Batches of a validation round.
        features: Whether node features are modelled; if not, features in the data are reported and left out.
        self_loops: `error` or `drop`, for files that hold self-loops.
        cache_dir: Where partitions are kept; the user's cache folder by default.
        seed: Seed of partitions and of the order of batches.
    """

    def __init__(
        self,
        train: str,
        val: str | None = None,
        partitioner: Partitioner | None = None,
        num_partitions: int = 4,
        batch_size: int = 32,
        pair_batch_size: int = 32,
        empty_pair_share: float = 0.0,
        steps_per_epoch: int = 100,
        val_batches: int = 8,
        features: bool = False,
        self_loops: Literal["error", "drop"] = "error",
        cache_dir: str | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(
            train,
            val,
            self_loops,
            seed,
            num_partitions=num_partitions,
            batch_size=batch_size,
            steps_per_epoch=steps_per_epoch,
            val_batches=val_batches,
        )
        if pair_batch_size < 0 or not 0 <= empty_pair_share < 1:
            raise InputError("expected data.pair_batch_size of at least 0 and data.empty_pair_share in [0, 1)")
        self.partitioner = MetisPartitioner() if partitioner is None else partitioner
        self.num_partitions = num_partitions
        self.options = StreamOptions(batch_size, pair_batch_size, empty_pair_share)
        self.steps_per_epoch = steps_per_epoch
        self.val_batches = val_batches
        self.use_features = features
        self.cache_dir = None if cache_dir is None else Path(cache_dir)
        self.block_graphs: list[BlockGraph] = []
        self.scaler = FeatureScaler(np.zeros(0), np.ones(0))
        self._train_set: TrainingSet | None = None
        self._val_set: TrainingSet | None = None

    @property
    def num_features(self) -> int:
        """Node feature columns that are modelled; known after `setup`."""
        return self.scaler.num_features

    def metadata(self) -> dict[str, Any]:
        """Returns what a trained model remembers of its data."""
        return {
            "data": self.train,
            "partitioner": describe_partitioner(self.partitioner),
            "partition_seeds": list(self.partition_seeds),
        }

    @property
    def partition_seeds(self) -> range:
        """Seeds of the cuts of the training graphs."""
        return range(self.seed, self.seed + self.num_partitions)

    def setup(self, stage: str | None = None) -> None:
        """Loads and partitions the graphs, once."""
        if self._train_set is not None:
            return
        graphs = self.train_graphs = self._load(self.train)
        self.scaler = FeatureScaler.fit([graph.features for graph in graphs])
        self.block_graphs = self._cut(graphs, self.partition_seeds)
        self._train_set = training_set(self.block_graphs, self.scaler)
        # Without a validation split, the same graphs are cut along seeds that training does not use.
        val_graphs = self.val_graphs = graphs if self.val is None else self._load(self.val)
        widths = {graph.num_features for graph in val_graphs}
        if widths != {self.num_features}:
            raise InputError(
                f"expected {self.num_features} feature columns in {self.val} as in training, got {sorted(widths)}"
            )
        self._val_set = training_set(self._cut(val_graphs, [self.seed + self.num_partitions]), self.scaler)

    def train_dataloader(self) -> TrainingStream:
        """Returns the stream of training batches."""
        assert self._train_set is not None
        rank = torch.distributed.get_rank() if torch.distributed.is_initialized() else 0
        return TrainingStream(
            self._train_set, self.options, num_batches=self.steps_per_epoch, seed=self.seed, rank=rank
        )

    def val_dataloader(self) -> FixedBatches[dict[str, BlockBatch | PairBatch]]:
        """Returns the same validation batches every time."""
        assert self._val_set is not None
        stream = TrainingStream(self._val_set, self.options, num_batches=self.val_batches, seed=self.seed + 1)
        return FixedBatches(stream, self.val_batches)

    test_dataloader = val_dataloader

    def _load(self, spec: str) -> list[Graph]:
        graphs = self.load_graphs(spec)
        if self.use_features and not graphs[0].num_features:
            raise InputError(f"expected node features in {spec} since data.features is true, got none")
        if not self.use_features:
            dropped = sum(graph.num_features > 0 for graph in graphs)
            if dropped:
                columns = graphs[0].num_features
                rank_zero_info("%s: %d feature columns are not modelled; data.features=true does", spec, columns)
            graphs = [graph.replace(features=None) for graph in graphs]
        return graphs

    def _cut(self, graphs: Sequence[Graph], seeds: Sequence[int]) -> list[BlockGraph]:
        return [
            BlockGraph.split(graph, cached_partition(graph, self.partitioner, seed=seed, cache_dir=self.cache_dir))
            for seed in seeds
            for graph in graphs
        ]


def training_set(graphs: Sequence[BlockGraph], scaler: FeatureScaler) -> TrainingSet:
    """Concatenates partitioned graphs into one training set."""
    blocks = BlockTable.from_block_graphs(graphs, scaler)
    graph_blocks = np.concatenate([[0], np.cumsum([graph.num_blocks for graph in graphs])]).astype(np.int64)
    counts = np.concatenate([np.diff(graph.pair_offsets) for graph in graphs])
    pairs = PairTable(
        pairs=np.concatenate([graph.pairs + first for graph, first in zip(graphs, graph_blocks[:-1], strict=True)]),
        pair_edges=np.concatenate([graph.pair_edges for graph in graphs]),
        pair_offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
    )
    return TrainingSet(blocks, pairs, OuterEdges.of(blocks, pairs), graph_blocks)
