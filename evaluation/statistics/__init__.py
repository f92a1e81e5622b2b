"""Statistics of single graphs of any size, their means over sets, and distances between sets; sparse throughout.

Every statistic is a `Measurement`: a value, or None with the reason why it is undefined or was skipped, never NaN. What
is sampled in large graphs carries its standard error; `TABLE` says which those are and when.
"""

from sbgd.evaluation.statistics.communities import modularity
from sbgd.evaluation.statistics.degrees import power_law_exponent
from sbgd.evaluation.statistics.entry import SetDistance, Statistic
from sbgd.evaluation.statistics.features import feature_statistics
from sbgd.evaluation.statistics.measurement import Measurement
from sbgd.evaluation.statistics.measuring import (
    applicable_statistics,
    graph_statistics,
    set_distances,
    set_statistics,
)
from sbgd.evaluation.statistics.pairs import degree_tv
from sbgd.evaluation.statistics.spectrum import SpectralDensity, spectral_density
from sbgd.evaluation.statistics.table import DISTANCES, GRAPH_STATISTICS, STATISTICS, TABLE
from sbgd.evaluation.statistics.variants import VARIANTS

__all__ = [
    "DISTANCES",
    "GRAPH_STATISTICS",
    "STATISTICS",
    "TABLE",
    "VARIANTS",
    "Measurement",
    "SetDistance",
    "SpectralDensity",
    "Statistic",
    "applicable_statistics",
    "degree_tv",
    "feature_statistics",
    "graph_statistics",
    "modularity",
    "power_law_exponent",
    "set_distances",
    "set_statistics",
    "spectral_density",
]
