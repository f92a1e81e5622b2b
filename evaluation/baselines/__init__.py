"""Generators without learned weights, one a file."""

from sbgd.evaluation.baselines.baseline import Baseline, sample_sizes
from sbgd.evaluation.baselines.bter import BTER
from sbgd.evaluation.baselines.configuration import ConfigurationModel
from sbgd.evaluation.baselines.density_blocks import BlockCounts, DensityBlocks
from sbgd.evaluation.baselines.erdos_renyi import ErdosRenyi

__all__ = [
    "BTER",
    "Baseline",
    "BlockCounts",
    "ConfigurationModel",
    "DensityBlocks",
    "ErdosRenyi",
    "sample_sizes",
]
