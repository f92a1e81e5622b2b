"""The Lightning module of SBGD: networks from data, losses of blocks and pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

from sbgd.data.batch import BlockBatch, PairBatch
from sbgd.data.datamodule import BlockDataModule
from sbgd.data.scaler import FeatureScaler
from sbgd.diffusion import CategoricalProcess, CosineSchedule, GaussianProcess, NoiseSource, Process
from sbgd.errors import InputError
from sbgd.models.block_diffusion import BlockDiffusion, Factorisation
from sbgd.models.model_folder import TrainedModel
from sbgd.models.module import Batch, DiffusionModule, check_numbers
from sbgd.networks import PPGN, BlockDenoiser, EdgeScorer, PairDenoiser
from sbgd.partition import Quotient


class SBGD(DiffusionModule):
    """Stochastic block graph diffusion.

    Args:
        block_denoiser: Builds the block denoiser for a number of node features, e.g. `sbgd.networks.PPGN`.
        edge_scorer: First tier of the pair model.
        pair_denoiser: Second tier of the pair model.
        process: Process of the edges: categorical (default) or Gaussian.
        feature_process: Process of the node features.
        factorisation: `quotient` (default) or the paper's `independent`.
        degree_lists: Whether blocks are conditioned on degree lists; for heavy-tailed graphs.
        max_scored_edges: Pairs with more edges than this go to the second tier, where there is one.
        learning_rate: Peak rate of AdamW.
        weight_decay: Weight decay of AdamW.
        warmup_steps: Steps of linear warm-up; a cosine to 2 % follows over the steps of the trainer.
        seed: Seed of the training noise.
    """

    data_class = BlockDataModule

    def __init__(
        self,
        block_denoiser: Callable[[int], BlockDenoiser] = PPGN,
        edge_scorer: EdgeScorer | None = None,
        pair_denoiser: PairDenoiser | None = None,
        process: Process | None = None,
        feature_process: GaussianProcess | None = None,
        factorisation: Factorisation = "quotient",
        degree_lists: bool = False,
        max_scored_edges: int = 8,
        learning_rate: float = 1.5e-3,
        weight_decay: float = 1e-4,
        warmup_steps: int = 50,
        seed: int = 0,
    ) -> None:
        super().__init__(learning_rate, weight_decay, warmup_steps, seed)
        check_numbers(max_scored_edges=max_scored_edges)
        if edge_scorer is None and pair_denoiser is None:
            edge_scorer = EdgeScorer(degree_lists)
        self._build_block_denoiser = block_denoiser
        self._arguments: dict[str, Any] = {
            "edge_scorer": edge_scorer,
            "pair_denoiser": pair_denoiser,
            "process": CategoricalProcess(CosineSchedule()) if process is None else process,
            "feature_process": feature_process or GaussianProcess(CosineSchedule(), variance="large"),
            "factorisation": factorisation,
            "degree_lists": degree_lists,
            "max_scored_edges": max_scored_edges,
        }
        self.diffusion: BlockDiffusion | None = None
        self.quotients: list[Quotient] = []
        self.scaler: FeatureScaler | None = None

    def configure_model(self) -> None:
        """Builds the networks once the data is known."""
        if self.diffusion is not None:
            return
        data = self.data
        assert isinstance(data, BlockDataModule)
        independent = self._arguments["factorisation"] == "independent"
        if independent != (data.options.empty_pair_share > 0):
            raise InputError(
                "expected data.empty_pair_share above 0 in the independent factorisation and 0 in the quotient one, "
                f"got {data.options.empty_pair_share}"
            )
        self.diffusion = BlockDiffusion(self._build_block_denoiser(data.num_features), **self._arguments)
        self.quotients = [graph.quotient() for graph in data.block_graphs]
        self.scaler = data.scaler
        inner, outer = _densities(self.quotients)
        self.diffusion.inner_density.fill_(inner)
        self.diffusion.outer_density.fill_(outer)

    def losses(self, batch: Batch, noise: NoiseSource) -> dict[str, Tensor]:
        """Returns the block loss, the feature loss and the loss of each pair tier."""
        assert self.diffusion is not None
        blocks = batch["blocks"]
        assert isinstance(blocks, BlockBatch)
        edge_loss, feature_loss = self.diffusion.block_loss(blocks, noise)
        losses = {"block": edge_loss.mean()}
        if blocks.features.shape[-1]:
            losses["features"] = feature_loss.mean()
        pairs = batch.get("pairs")
        if isinstance(pairs, PairBatch):
            if self.diffusion.edge_scorer is not None:
                weight = (pairs.edges.sum((1, 2)) > 0).float()
                losses["scorer"] = (self.diffusion.scorer_loss(pairs, noise) * weight).sum() / weight.sum().clamp(min=1)
            if self.diffusion.pair_denoiser is not None:
                losses["pair"] = (self.diffusion.pair_loss(pairs, noise) * pairs.weight).mean()
        return losses

    def trained(self, metadata: dict[str, Any]) -> TrainedModel:
        """Returns networks, training quotients and feature scales."""
        if self.diffusion is None or self.scaler is None:
            raise InputError("expected a trained SBGD model, got one without networks; fit it first")
        return TrainedModel(self.diffusion, self.quotients, self.scaler, metadata)


def _densities(quotients: list[Quotient]) -> tuple[float, float]:
    """Returns the share of node pairs with an edge, inside blocks and between blocks of a graph."""
    inner = sum(int(q.num_edges.sum()) for q in quotients)
    outer = sum(int(q.pair_edges.sum()) for q in quotients)
    within = sum(int((q.num_nodes * (q.num_nodes - 1) // 2).sum()) for q in quotients)
    between = sum((q.total_nodes**2 - int((q.num_nodes**2).sum())) // 2 for q in quotients)
    return inner / max(within, 1), outer / max(between, 1)
