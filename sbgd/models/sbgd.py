"""The Lightning module of SBGD: losses in, optimiser and schedule out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.utilities.types import OptimizerLRScheduler
from torch import Tensor

from sbgd.data.batch import BlockBatch, PairBatch
from sbgd.data.datamodule import BlockDataModule
from sbgd.data.scaler import FeatureScaler
from sbgd.diffusion import CategoricalProcess, CosineSchedule, GaussianProcess, GeneratorNoise, Process
from sbgd.errors import InputError
from sbgd.models.block_diffusion import BlockDiffusion, Factorisation
from sbgd.networks import PPGN, BlockDenoiser, EdgeScorer, PairDenoiser
from sbgd.partition import Quotient


class SBGD(pl.LightningModule):
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
        super().__init__()
        for name, value in {
            "learning_rate": learning_rate,
            "weight_decay": weight_decay,
            "warmup_steps": warmup_steps,
            "max_scored_edges": max_scored_edges,
            "seed": seed,
        }.items():
            if not 0 <= value < math.inf:
                raise InputError(f"expected model.{name} of at least 0, got {value}")
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
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.warmup_steps = warmup_steps
        self.seed = seed
        self.diffusion: BlockDiffusion | None = None
        self.quotients: list[Quotient] = []
        self.scaler: FeatureScaler | None = None

    def configure_model(self) -> None:
        """Builds the networks once the data is known."""
        if self.diffusion is not None:
            return
        data = self.trainer.datamodule  # type: ignore[attr-defined]
        if not isinstance(data, BlockDataModule):
            raise InputError(f"expected data of class BlockDataModule, got {type(data).__name__}")
        data.setup("fit")
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

    def training_step(self, batch: dict[str, BlockBatch | PairBatch], batch_idx: int) -> Tensor:
        """Returns the sum of the block loss, the feature loss and the loss of each pair tier."""
        losses = self._losses(batch, self.global_step)
        values = {f"train/{name}": value.detach() for name, value in losses.items()}
        self.log_dict(values, batch_size=len(batch["blocks"]), prog_bar=True)
        return torch.stack(list(losses.values())).sum()

    def validation_step(self, batch: dict[str, BlockBatch | PairBatch], batch_idx: int) -> None:
        """Logs the same losses on validation blocks, with the same noise every time."""
        losses = self._losses(batch, -1 - batch_idx)
        size = len(batch["blocks"])
        total = torch.stack(list(losses.values())).sum()
        values = {f"val/{name}": value for name, value in losses.items()}
        self.log_dict({**values, "val/loss": total}, batch_size=size, sync_dist=True, prog_bar=True)

    def test_step(self, batch: dict[str, BlockBatch | PairBatch], batch_idx: int) -> None:
        """The same as validation."""
        self.validation_step(batch, batch_idx)

    def configure_optimizers(self) -> OptimizerLRScheduler:
        """AdamW with warm-up and a cosine down to 2 %."""
        optimizer = torch.optim.AdamW(
            self.parameters(), lr=self.learning_rate, betas=(0.9, 0.99), weight_decay=self.weight_decay
        )
        total = int(self.trainer.estimated_stepping_batches)

        def rate(step: int) -> float:
            if step < self.warmup_steps:
                return (step + 1) / self.warmup_steps
            progress = (step - self.warmup_steps) / max(total - self.warmup_steps, 1)
            return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(progress, 1.0)))

        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    def _losses(self, batch: dict[str, BlockBatch | PairBatch], step: int) -> dict[str, Tensor]:
        assert self.diffusion is not None
        # Noise from (seed, step): a resumed run draws what an uninterrupted one would have drawn.
        generator = torch.Generator(self.device).manual_seed(hash((self.seed, step, self.global_rank)) & (2**62 - 1))
        noise = GeneratorNoise(generator)
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


def _densities(quotients: list[Quotient]) -> tuple[float, float]:
    """Returns the share of node pairs with an edge, inside blocks and between blocks of a graph."""
    inner = sum(int(q.num_edges.sum()) for q in quotients)
    outer = sum(int(q.pair_edges.sum()) for q in quotients)
    within = sum(int((q.num_nodes * (q.num_nodes - 1) // 2).sum()) for q in quotients)
    between = sum((q.total_nodes**2 - int((q.num_nodes**2).sum())) // 2 for q in quotients)
    return inner / max(within, 1), outer / max(between, 1)
