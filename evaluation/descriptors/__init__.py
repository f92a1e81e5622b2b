"""Maps from graphs to vectors, one a file."""

from sbgd.evaluation.descriptors.clustering import ClusteringHistogram
from sbgd.evaluation.descriptors.components import ComponentStatistics
from sbgd.evaluation.descriptors.degree import DegreeHistogram
from sbgd.evaluation.descriptors.descriptor import BudgetError, Descriptor, UndescribedError
from sbgd.evaluation.descriptors.features import FeatureMoments
from sbgd.evaluation.descriptors.gin import GINWeights, RandomGIN
from sbgd.evaluation.descriptors.motif import FourCycles
from sbgd.evaluation.descriptors.orbits import OrbitCounts, orbit_counts
from sbgd.evaluation.descriptors.orbits5 import OrbitCounts5, orbit_counts_5
from sbgd.evaluation.descriptors.paths import ShortestPathHistogram
from sbgd.evaluation.descriptors.spectrum import SpectrumHistogram
from sbgd.evaluation.descriptors.wavelet import WaveletHistogram, filter_bank
from sbgd.evaluation.descriptors.wl import WLHistogram

__all__ = [
    "BudgetError",
    "ClusteringHistogram",
    "ComponentStatistics",
    "DegreeHistogram",
    "Descriptor",
    "FeatureMoments",
    "FourCycles",
    "GINWeights",
    "OrbitCounts",
    "OrbitCounts5",
    "RandomGIN",
    "ShortestPathHistogram",
    "SpectrumHistogram",
    "UndescribedError",
    "WLHistogram",
    "WaveletHistogram",
    "filter_bank",
    "orbit_counts",
    "orbit_counts_5",
]
