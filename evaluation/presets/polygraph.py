"""polygraph-benchmark: Gaussian kernels of the Euclidean distance at several widths, and a classifier."""

from __future__ import annotations

from sbgd.evaluation.descriptors import (
    ClusteringHistogram,
    DegreeHistogram,
    Descriptor,
    OrbitCounts,
    RandomGIN,
    SpectrumHistogram,
)
from sbgd.evaluation.distances import Euclidean, TotalVariation
from sbgd.evaluation.kernels import Gaussian, GaussianRange, Laplacian
from sbgd.evaluation.metric import MMDDefinition
from sbgd.evaluation.presets.preset import EmbeddingDefinition, Preset

_DESCRIPTORS: dict[str, Descriptor] = {
    "degree": DegreeHistogram(),
    "clustering": ClusteringHistogram(),
    "orbit": OrbitCounts(),
    "spectral": SpectrumHistogram(),
}
_SIGMAS = {"degree": 1.0, "clustering": 0.1, "orbit": 30.0, "spectral": 1.0}
_DEGREE_TV = Gaussian(TotalVariation(), 1.0)

POLYGRAPH = Preset(
    name="polygraph",
    summary="Krimmel et al., 2025, arXiv:2510.06122 (polygraph-benchmark 1.1): the largest MMD over a range of "
    "Gaussian widths, a random GIN, GRAN's kernels (_tv), and the PolyGraph Discrepancy.",
    mmds={name: MMDDefinition(descriptor, GaussianRange(Euclidean())) for name, descriptor in _DESCRIPTORS.items()},
    variants={
        **{
            f"{name}_tv": MMDDefinition(descriptor, Gaussian(TotalVariation(), _SIGMAS[name]))
            for name, descriptor in _DESCRIPTORS.items()
        },
        "degree_tv_umve": MMDDefinition(DegreeHistogram(), _DEGREE_TV, estimator="unbiased"),
        "degree_tv_ustat": MMDDefinition(DegreeHistogram(), _DEGREE_TV, estimator="paired"),
        "degree_rbf_umve": MMDDefinition(DegreeHistogram(), Gaussian(Euclidean(), 1.0), estimator="unbiased"),
        # exp(-|x - y|_1) = exp(-2 TV)
        "degree_laplace_umve": MMDDefinition(DegreeHistogram(), Laplacian(TotalVariation(), 0.5), estimator="unbiased"),
    },
    embeddings={"gin": EmbeddingDefinition(RandomGIN(), scores=("mmd_rbf", "mmd_linear", "frechet"))},
    discrepancy=True,
)
