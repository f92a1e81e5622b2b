"""Small graphs cut into blocks, and models of them whose networks have not been trained."""

from collections.abc import Callable, Sequence
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch

from sbgd.data.scaler import FeatureScaler
from sbgd.diffusion import CategoricalProcess, CosineSchedule, GaussianProcess
from sbgd.graph import Graph
from sbgd.models import BlockDiffusion, TrainedModel
from sbgd.networks import PPGN, EdgeScorer, PairDenoiser
from sbgd.partition import BlockGraph, MetisPartitioner, Quotient

MakeModel = Callable[..., TrainedModel]


def _communities(sizes: Sequence[int], inner: float, outer: float, seed: int) -> Graph:
    law = np.full((len(sizes), len(sizes)), outer)
    np.fill_diagonal(law, inner)
    drawn = nx.stochastic_block_model(list(sizes), law.tolist(), seed=seed)
    return Graph.from_edges(np.array(drawn.edges()), sum(sizes))


def _quotient(graph: Graph, block_size: int, max_block_size: int | None = None) -> Quotient:
    partitioner = MetisPartitioner(block_size=block_size, max_block_size=max_block_size, merge_below=block_size // 2)
    return BlockGraph.split(graph, partitioner(graph)).quotient()


@pytest.fixture(scope="session")
def quotients() -> dict[str, list[Quotient]]:
    """Training quotients by what is awkward about them."""
    ring = nx.disjoint_union_all([nx.complete_graph(5) for _ in range(5)])
    communities = _communities([16, 16, 16], 0.4, 0.03, seed=1)
    return {
        "one graph": [_quotient(communities, 8)],
        "several sizes": [
            _quotient(communities, 8),
            _quotient(_communities([12] * 6, 0.5, 0.02, seed=2), 8),
            _quotient(_communities([20, 9], 0.4, 0.05, seed=3), 8),
        ],
        "heavy tail": [_quotient(Graph.from_networkx(nx.barabasi_albert_graph(60, 3, seed=0)), 8)],
        "clique": [_quotient(Graph.from_networkx(nx.complete_graph(30)), 8)],
        "star": [_quotient(Graph.from_networkx(nx.star_graph(40)), 8)],
        "components": [_quotient(Graph.from_networkx(ring), 8)],
        "no edges": [_quotient(Graph.from_edges([], 20), 8)],
        "one node": [_quotient(Graph.from_edges([], 1), 8)],
    }


@pytest.fixture(scope="session")
def make_model(quotients: dict[str, list[Quotient]]) -> MakeModel:
    """Returns a function that builds a model; `random_readout` gives the zero-initialised last layers weights."""

    def make(
        data: str = "several sizes",
        *,
        process: str = "categorical",
        tiers: str = "both",
        num_features: int = 0,
        random_readout: bool = False,
        densities: tuple[float, float] = (0.3, 0.02),
        **options: Any,
    ) -> TrainedModel:
        torch.manual_seed(0)
        degree_lists = bool(options.get("degree_lists", False))
        kinds = {"categorical": CategoricalProcess, "gaussian": GaussianProcess}
        diffusion = BlockDiffusion(
            PPGN(num_features, width=8, num_layers=1),
            None if tiers == "denoiser" else EdgeScorer(degree_lists, width=8),
            None if tiers == "scorer" else PairDenoiser(width=8, pair_width=8, num_layers=1),
            process=kinds[process](CosineSchedule()),
            feature_process=GaussianProcess(CosineSchedule()),
            **options,
        )
        diffusion.inner_density.fill_(densities[0])
        diffusion.outer_density.fill_(densities[1])
        if random_readout:
            for parameter in diffusion.parameters():
                if not parameter.any():
                    torch.nn.init.normal_(parameter, std=0.3)
        scaler = FeatureScaler(np.full(num_features, 1000.0), np.full(num_features, 5.0))
        return TrainedModel(diffusion.eval(), quotients[data], scaler)

    return make
