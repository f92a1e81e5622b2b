"""GRAN: Gaussian kernels of the total variation."""

from __future__ import annotations

from sbgd.evaluation.descriptors import ClusteringHistogram, DegreeHistogram, OrbitCounts, SpectrumHistogram
from sbgd.evaluation.distances import TotalVariation
from sbgd.evaluation.kernels import Gaussian
from sbgd.evaluation.metric import MMDDefinition
from sbgd.evaluation.presets.preset import Preset

GRAN = Preset(
    name="gran",
    summary="Liao et al., 2019, arXiv:1910.00760: Gaussian kernels of the total variation; the TV metrics of "
    "polygraph-benchmark are the same.",
    mmds={
        "degree": MMDDefinition(DegreeHistogram(), Gaussian(TotalVariation(), 1.0)),
        "clustering": MMDDefinition(ClusteringHistogram(), Gaussian(TotalVariation(), 0.1)),
        "orbit": MMDDefinition(OrbitCounts(), Gaussian(TotalVariation(), 30.0)),
        "spectral": MMDDefinition(SpectrumHistogram(), Gaussian(TotalVariation(), 1.0)),
    },
    defects=("lost_eigenvalues", "dropped_empty_graphs"),
)
