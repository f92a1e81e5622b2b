"""An untrained model of two small graphs with features."""

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch

from sbgd.data.scaler import FeatureScaler
from sbgd.diffusion import CategoricalProcess, CosineSchedule, GaussianProcess, Process, VPSchedule
from sbgd.graph import Graph
from sbgd.models import BlockDiffusion, TrainedModel
from sbgd.networks import GIN, PPGN, BlockDenoiser, EdgeScorer, PairDenoiser
from sbgd.partition import BlockGraph, MetisPartitioner, Quotient

PROCESSES: dict[str, Callable[[], Process]] = {
    "categorical": lambda: CategoricalProcess(CosineSchedule()),
    "gaussian": lambda: GaussianProcess(VPSchedule(0.2, 15.0)),
}


@pytest.fixture(scope="session")
def quotients() -> list[Quotient]:
    graphs = [Graph.from_networkx(nx.barabasi_albert_graph(size, 2, seed=size)) for size in (30, 45)]
    partitioner = MetisPartitioner(block_size=8, merge_below=4)
    return [BlockGraph.split(graph, partitioner(graph)).quotient() for graph in graphs]


@pytest.fixture(scope="session")
def make_diffusion() -> Callable[..., BlockDiffusion]:
    """Returns a function that builds the bare model with weights that are not zero anywhere."""

    def make(
        *,
        process: str = "categorical",
        network: str = "ppgn",
        tiers: str = "both",
        num_features: int = 0,
        trained: bool = True,
        **options: Any,
    ) -> BlockDiffusion:
        torch.manual_seed(0)
        denoiser: BlockDenoiser = PPGN(num_features, 8, 1) if network == "ppgn" else GIN(num_features, 8, 8, 1)
        diffusion = BlockDiffusion(
            denoiser,
            None if tiers == "denoiser" else EdgeScorer(bool(options.get("degree_lists", False)), 8),
            None if tiers == "scorer" else PairDenoiser(8, 8, 1),
            process=PROCESSES[process](),
            feature_process=GaussianProcess(CosineSchedule()),
            **options,
        )
        diffusion.inner_density.fill_(0.3)
        diffusion.outer_density.fill_(0.05)
        for parameter in diffusion.parameters() if trained else ():
            if not parameter.any():
                torch.nn.init.normal_(parameter, std=0.3)
        return diffusion.eval()

    return make


@pytest.fixture(scope="session")
def trained(make_diffusion: Callable[..., BlockDiffusion], quotients: list[Quotient]) -> TrainedModel:
    scaler = FeatureScaler(np.array([1000.0, -2.0]), np.array([5.0, 0.1]))
    return TrainedModel(make_diffusion(num_features=2, degree_lists=True), quotients, scaler, {"steps": 7})
