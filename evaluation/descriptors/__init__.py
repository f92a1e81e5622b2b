"""Maps from graphs to vectors, one a file."""

from sbgd.evaluation.descriptors.clustering import ClusteringHistogram
from sbgd.evaluation.descriptors.degree import DegreeHistogram
from sbgd.evaluation.descriptors.descriptor import BudgetError, Descriptor
from sbgd.evaluation.descriptors.orbits import OrbitCounts, orbit_counts
from sbgd.evaluation.descriptors.spectrum import SpectrumHistogram, laplacian_spectrum
from sbgd.evaluation.descriptors.wavelet import WaveletHistogram, filter_bank

__all__ = [
    "BudgetError",
    "ClusteringHistogram",
    "DegreeHistogram",
    "Descriptor",
    "OrbitCounts",
    "SpectrumHistogram",
    "WaveletHistogram",
    "filter_bank",
    "laplacian_spectrum",
    "orbit_counts",
]
