"""The Lightning module of SGGM, score-based graph generative models: whole graphs, features and structure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from sbgd.data.batch import BlockBatch
from sbgd.data.scaler import FeatureScaler
from sbgd.diffusion import NoiseSource
from sbgd.diffusion.sde import SDE, VP
from sbgd.errors import InputError
from sbgd.models.graph_diffusion import GraphDiffusion, Paradigm
from sbgd.models.module import Batch, DiffusionModule
from sbgd.models.trained_graphs import TrainedGraphModel
from sbgd.networks import PPGN, BlockDenoiser


class SGGM(DiffusionModule):
    """Score-based graph generative model over (X, A) as a system of coupled SDEs.

    The data must not cut graphs: `sbgd.partition.WholeGraph` with `pair_batch_size: 0`.

    Args:
        denoiser: Builds the network for a number of node features, e.g. `sbgd.networks.PPGN`.
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

    def __init__(
        self,
        denoiser: Callable[[int], BlockDenoiser] = PPGN,
        paradigm: Paradigm = "joint",
        edge_sde: SDE | None = None,
        feature_sde: SDE | None = None,
        learning_rate: float = 2e-3,
        weight_decay: float = 1e-4,
        warmup_steps: int = 50,
        seed: int = 0,
    ) -> None:
        super().__init__(learning_rate, weight_decay, warmup_steps, seed)
        self._build_denoiser = denoiser
        self._arguments: dict[str, Any] = {
            "paradigm": paradigm,
            "edge_sde": VP() if edge_sde is None else edge_sde,
            "feature_sde": VP() if feature_sde is None else feature_sde,
        }
        self.diffusion: GraphDiffusion | None = None
        self.scaler: FeatureScaler | None = None
        self._sizes = np.zeros(0, dtype=np.int64)
        self._degrees = np.zeros(0)

    def configure_model(self) -> None:
        """Builds the network once the data is known."""
        if self.diffusion is not None:
            return
        data = self.data
        if any(graph.num_blocks > 1 for graph in data.block_graphs) or data.options.pair_batch_size:
            raise InputError(
                "expected whole graphs for SGGM, got blocks; set data.partitioner to sbgd.partition.WholeGraph and "
                "data.pair_batch_size to 0"
            )
        self.diffusion = GraphDiffusion(self._build_denoiser(data.num_features), **self._arguments)
        self.scaler = data.scaler
        graphs = data.train_graphs
        self._sizes = np.array([graph.num_nodes for graph in graphs], dtype=np.int64)
        self._degrees = np.array([2 * graph.num_edges / graph.num_nodes for graph in graphs])
        edges = sum(graph.num_edges for graph in graphs)
        pairs = sum(graph.num_nodes * (graph.num_nodes - 1) // 2 for graph in graphs)
        self.diffusion.density.fill_(float(np.clip(edges / max(pairs, 1), 1e-4, 1 - 1e-4)))

    def losses(self, batch: Batch, noise: NoiseSource) -> dict[str, Tensor]:
        """Returns the mean loss of every diffused field."""
        assert self.diffusion is not None
        graphs = batch["blocks"]
        assert isinstance(graphs, BlockBatch)
        return {name: torch.mean(loss) for name, loss in self.diffusion.loss(graphs, noise).items()}

    def trained(self, metadata: dict[str, Any]) -> TrainedGraphModel:
        """Returns the network, the sizes of the training graphs and feature scales."""
        if self.diffusion is None or self.scaler is None:
            raise InputError("expected a trained SGGM model, got one without a network; fit it first")
        return TrainedGraphModel(self.diffusion, self._sizes, self._degrees, self.scaler, metadata)
