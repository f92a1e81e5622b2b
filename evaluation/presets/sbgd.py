"""The recommended metrics.

Kernels are positive definite, so that a biased MMD^2 is never negative. Their widths come from the reference, so that
none is saturated and the floor does not hide the difference. Where bins have an order, the distance knows it: degree 3
is closer to degree 4 than to degree 30. Embeddings are those of several random networks, since one is a lottery. Node
features are judged alone and together with the structure, where the graphs have some.
"""

from __future__ import annotations

from sbgd.evaluation.descriptors import (
    ClusteringHistogram,
    ComponentStatistics,
    DegreeHistogram,
    FeatureMoments,
    OrbitCounts,
    RandomGIN,
    ShortestPathHistogram,
    SpectrumHistogram,
    WaveletHistogram,
    WLHistogram,
)
from sbgd.evaluation.distances import EarthMovers, Euclidean, TotalVariation
from sbgd.evaluation.kernels import MedianLaplacian
from sbgd.evaluation.metric import MMDDefinition
from sbgd.evaluation.presets.preset import EmbeddingDefinition, Preset

_SCORES = ("frechet", "precision", "recall", "density", "coverage")

SBGD = Preset(
    name="sbgd",
    summary="Recommended: positive definite Laplacian kernels with the median distance between reference graphs as "
    "width, the earth mover's distance for histograms whose bins have an order, a random GIN by several seeds; "
    "features alone and with the structure where there are some.",
    mmds={
        "degree": MMDDefinition(DegreeHistogram(), MedianLaplacian(EarthMovers())),
        "clustering": MMDDefinition(ClusteringHistogram(), MedianLaplacian(EarthMovers(scaling=100))),
        "orbit": MMDDefinition(OrbitCounts(), MedianLaplacian(Euclidean()), standardise=True),
        "spectral": MMDDefinition(SpectrumHistogram(), MedianLaplacian(EarthMovers(scaling=100))),
        "wavelet": MMDDefinition(WaveletHistogram(), MedianLaplacian(TotalVariation())),
        "features": MMDDefinition(FeatureMoments(), MedianLaplacian(Euclidean()), standardise=True),
    },
    variants={
        "components": MMDDefinition(ComponentStatistics(), MedianLaplacian(Euclidean()), standardise=True),
        "shortest_path": MMDDefinition(ShortestPathHistogram(), MedianLaplacian(TotalVariation())),
        "wl": MMDDefinition(WLHistogram(), MedianLaplacian(TotalVariation())),
    },
    embeddings={
        "gin": EmbeddingDefinition(RandomGIN(), scores=_SCORES),
        "attributed_gin": EmbeddingDefinition(RandomGIN(features=True), scores=_SCORES),
    },
)
