"""The Lightning module of SGGM, score-based graph generative models: whole graphs, features and structure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from sbgd.data.batch import GraphBatch
from sbgd.data.graph_data import GraphDataModule
from sbgd.data.graph_schema import GraphSchema
from sbgd.diffusion import NoiseSource
from sbgd.diffusion.sde import SDE, VP
from sbgd.errors import InputError
from sbgd.models.graph_diffusion import GraphDiffusion, Paradigm
from sbgd.models.module import Batch, DiffusionModule
from sbgd.models.trained_graphs import TrainedGraphModel
from sbgd.networks import PPGN, BlockDenoiser, FeatureDenoiser


class SGGM(DiffusionModule):
    """Score-based graph generative model over (X, A) as a system of coupled SDEs.

    Args:
        denoiser: Builds the network for a number of node features and of edge types: `sbgd.networks.PPGN` or
            `sbgd.networks.GraphAttention`; for features given structure also `sbgd.networks.MessagePassing`.
        paradigm: `joint` for features and structure, `structure` for structure given features, `features` for features
            given structure.
        edge_sde: SDE of the edges.
        feature_sde: SDE of the node features.
        learning_rate: Peak rate of AdamW.
        weight_decay: Weight decay of AdamW.
        warmup_steps: Steps of linear warm-up; a cosine to 2 % follows over the steps of the trainer.
        seed: Seed of the training noise.

    References:
        Jo et al., 2022, arXiv:2202.02514; Su and Wu, 2025, arXiv:2508.14351.
    """

    data_class = GraphDataModule

    def __init__(
        self,
        denoiser: Callable[[int], BlockDenoiser | FeatureDenoiser] = PPGN,
        paradigm: Paradigm = "joint",
        edge_sde: SDE | None = None,
        feature_sde: SDE | None = None,
        learning_rate: float = 2e-3,
        weight_decay: float = 1e-4,
        warmup_steps: int = 50,
        seed: int = 0,
    ) -> None:
        super().__init__(learning_rate, weight_decay, warmup_steps, seed)
        self._build_denoiser: Callable[..., BlockDenoiser | FeatureDenoiser] = denoiser
        self._arguments: dict[str, Any] = {
            "paradigm": paradigm,
            "edge_sde": VP() if edge_sde is None else edge_sde,
            "feature_sde": VP() if feature_sde is None else feature_sde,
        }
        self.diffusion: GraphDiffusion | None = None
        self._schema: GraphSchema | None = None
        self._sizes = np.zeros(0, dtype=np.int64)
        self._degrees = np.zeros(0)

    def configure_model(self) -> None:
        """Builds the network once the data is known."""
        if self.diffusion is not None:
            return
        data = self.data
        assert isinstance(data, GraphDataModule)
        schema, graphs = data.schema, data.train_graphs
        denoiser = self._build_denoiser(schema.num_features + schema.num_classes, num_edge_types=schema.num_edge_types)
        if data.sparse and isinstance(denoiser, BlockDenoiser):
            raise InputError(
                f"expected data.sparse=false for {type(denoiser).__name__}, which needs adjacency matrices, got true; "
                "take sbgd.networks.MessagePassing for sparse data"
            )
        self.diffusion = GraphDiffusion(
            denoiser, **self._arguments, num_classes=schema.num_classes, is_binary=schema.is_binary
        )
        self.diffusion.set_shares(*schema.shares(graphs))
        self._schema = schema
        self._sizes = np.array([graph.num_nodes for graph in graphs], dtype=np.int64)
        self._degrees = np.array([2 * graph.num_edges / graph.num_nodes for graph in graphs])

    def losses(self, batch: Batch, noise: NoiseSource) -> dict[str, Tensor]:
        """Returns the mean loss of every diffused field."""
        assert self.diffusion is not None
        graphs = batch["graphs"]
        assert isinstance(graphs, GraphBatch)
        return {name: torch.mean(loss) for name, loss in self.diffusion.loss(graphs, noise).items()}

    def trained(self, metadata: dict[str, Any]) -> TrainedGraphModel:
        """Returns the network, what it models, and the sizes of the training graphs."""
        if self.diffusion is None or self._schema is None:
            raise InputError("expected a trained SGGM model, got one without a network; fit it first")
        return TrainedGraphModel(self.diffusion, self._schema, self._sizes, self._degrees, metadata)
