"""Generators without learned weights, one a file."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from sbgd.evaluation.baselines.baseline import Baseline, sample_sizes
from sbgd.evaluation.baselines.block_counts import BlockCounts
from sbgd.evaluation.baselines.bter import BTER
from sbgd.evaluation.baselines.chung_lu import ChungLu
from sbgd.evaluation.baselines.configuration import ConfigurationModel
from sbgd.evaluation.baselines.dcsbm import DegreeCorrectedBlockModel
from sbgd.evaluation.baselines.density_blocks import DensityBlocks
from sbgd.evaluation.baselines.erdos_renyi import ErdosRenyi
from sbgd.evaluation.baselines.sbm import StochasticBlockModel
from sbgd.graph import Graph

BASELINES: Mapping[str, Callable[[Sequence[Graph]], Baseline]] = MappingProxyType(
    {
        baseline.name: baseline
        for baseline in (
            ErdosRenyi,
            ConfigurationModel,
            ChungLu,
            StochasticBlockModel,
            DegreeCorrectedBlockModel,
            BTER,
        )
    }
)
"""Baselines that need no more than reference graphs, by name; `DensityBlocks` also needs a partition."""

__all__ = [
    "BASELINES",
    "BTER",
    "Baseline",
    "BlockCounts",
    "ChungLu",
    "ConfigurationModel",
    "DegreeCorrectedBlockModel",
    "DensityBlocks",
    "ErdosRenyi",
    "StochasticBlockModel",
    "sample_sizes",
]
