"""GraphRNN and GDSS: Gaussian kernels of the earth mover's distance."""

from __future__ import annotations

from sbgd.evaluation.descriptors import ClusteringHistogram, DegreeHistogram, OrbitCounts, SpectrumHistogram
from sbgd.evaluation.distances import EarthMovers, Euclidean, TotalVariation
from sbgd.evaluation.kernels import Gaussian
from sbgd.evaluation.metric import MMDDefinition
from sbgd.evaluation.presets.preset import Preset

DEGREE = MMDDefinition(DegreeHistogram(), Gaussian(EarthMovers(), 1.0))
CLUSTERING = MMDDefinition(ClusteringHistogram(), Gaussian(EarthMovers(scaling=100), 0.1))
ORBIT = MMDDefinition(OrbitCounts(), Gaussian(Euclidean(), 30.0))
SPECTRAL = MMDDefinition(SpectrumHistogram(), Gaussian(EarthMovers(), 1.0))

GRAPHRNN = Preset(
    name="graphrnn",
    summary="You et al., 2018, arXiv:1802.08773: Gaussian kernels of the earth mover's distance, of the Euclidean "
    "distance for orbits. Its 4-cycle motif metric fails in the source.",
    mmds={"degree": DEGREE, "clustering": CLUSTERING, "orbit": ORBIT},
    defects=("dropped_empty_graphs",),
)

GDSS = Preset(
    name="gdss",
    summary="Jo et al., 2022, arXiv:2202.02514, after EDP-GNN: GraphRNN's, and spectra with neighbouring bins at "
    "distance 1. NSPDK is left out: its source hashes with a seed that changes from run to run.",
    mmds={"degree": DEGREE, "clustering": CLUSTERING, "orbit": ORBIT, "spectral": SPECTRAL},
    variants={
        "clustering_gaussian": MMDDefinition(ClusteringHistogram(), Gaussian(Euclidean(), 0.1)),
        "degree_tv": MMDDefinition(DegreeHistogram(), Gaussian(TotalVariation(), 1.0)),
        "clustering_tv": MMDDefinition(ClusteringHistogram(), Gaussian(TotalVariation(), 0.1)),
        "orbit_tv": MMDDefinition(OrbitCounts(), Gaussian(TotalVariation(), 30.0)),
        "spectral_tv": MMDDefinition(SpectrumHistogram(), Gaussian(TotalVariation(), 1.0)),
    },
    defects=("lost_eigenvalues", "dropped_empty_graphs"),
)
