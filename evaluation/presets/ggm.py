"""GGM-metrics and EDGE, which took its code: kernels at several widths, and embeddings by a random network."""

from __future__ import annotations

from dataclasses import replace

from sbgd.evaluation.descriptors import (
    ClusteringHistogram,
    DegreeHistogram,
    Descriptor,
    OrbitCounts,
    RandomGIN,
    SpectrumHistogram,
)
from sbgd.evaluation.distances import Distance, EarthMovers, Euclidean, PartialEarthMovers
from sbgd.evaluation.kernels import RANGE, Gaussian, GaussianRange
from sbgd.evaluation.metric import MMDDefinition
from sbgd.evaluation.presets.preset import EmbeddingDefinition, Preset

# name -> descriptor, distance of its Gaussian kernel, sigma
_PARTS: dict[str, tuple[Descriptor, Distance, float]] = {
    "degree": (DegreeHistogram(), EarthMovers(), 1.0),
    "clustering": (ClusteringHistogram(), EarthMovers(scaling=100), 0.1),
    "orbit": (OrbitCounts(), PartialEarthMovers(), 30.0),
    "spectral": (SpectrumHistogram(), EarthMovers(), 1.0),
}


def _range(descriptor: Descriptor, distance: Distance, sigma: float) -> MMDDefinition:
    return MMDDefinition(descriptor, GaussianRange(distance, (*RANGE, sigma)), clip=True)


_SINGLE = {
    name: MMDDefinition(descriptor, Gaussian(distance, sigma)) for name, (descriptor, distance, sigma) in _PARTS.items()
}
_VARIANTS = {
    **{f"{name}_emd_range": _range(*part) for name, part in _PARTS.items()},
    **{
        f"{name}_rbf": MMDDefinition(descriptor, Gaussian(Euclidean(), sigma))
        for name, (descriptor, _, sigma) in _PARTS.items()
    },
    **{f"{name}_rbf_range": _range(part[0], Euclidean(), part[2]) for name, part in _PARTS.items()},
}

GGM = Preset(
    name="ggm",
    summary="Thompson et al., 2022, arXiv:2201.09871: GraphRNN's kernels, with orbit counts as masses on a line; the "
    "largest MMD over a range of widths (_range); distances between embeddings of a random GIN. NSPDK is left "
    "out: its source hashes with a seed that changes from run to run.",
    mmds=_SINGLE,
    variants=_VARIANTS,
    embeddings={"gin": EmbeddingDefinition(RandomGIN())},
    defects=("dropped_distance_scaling", "lost_eigenvalues", "dropped_empty_graphs"),
)

EDGE = replace(
    GGM,
    name="edge",
    summary="Chen et al., 2023, arXiv:2305.04111: the code of GGM-metrics called with generated and reference "
    "graphs exchanged, which is a defect to be switched on here.",
    defects=("swapped_arguments", *GGM.defects),
)
