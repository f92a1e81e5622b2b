"""SPECTRE and those who took its code: total variation of histograms divided by sum + 1e-6, and wavelets."""

from __future__ import annotations

from dataclasses import replace

from sbgd.evaluation.descriptors import (
    ClusteringHistogram,
    DegreeHistogram,
    FourCycles,
    OrbitCounts,
    SpectrumHistogram,
    WaveletHistogram,
)
from sbgd.evaluation.distances import EarthMovers, Euclidean, TotalVariation
from sbgd.evaluation.kernels import Gaussian
from sbgd.evaluation.metric import MMDDefinition
from sbgd.evaluation.presets.preset import Preset

SMOOTHING = 1e-6

_DEGREE = DegreeHistogram(smoothing=SMOOTHING)
_CLUSTERING = ClusteringHistogram(smoothing=SMOOTHING)
_SPECTRUM = SpectrumHistogram(smoothing=SMOOTHING)
_WAVELET = WaveletHistogram(smoothing=SMOOTHING)

_TV = {
    "degree": MMDDefinition(_DEGREE, Gaussian(TotalVariation(), 1.0)),
    "clustering": MMDDefinition(_CLUSTERING, Gaussian(TotalVariation(), 0.1)),
    "orbit": MMDDefinition(OrbitCounts(), Gaussian(TotalVariation(), 30.0)),
    "spectral": MMDDefinition(_SPECTRUM, Gaussian(TotalVariation(), 1.0)),
}
_EMD = {
    "degree_emd": MMDDefinition(_DEGREE, Gaussian(EarthMovers(), 1.0)),
    "clustering_emd": MMDDefinition(_CLUSTERING, Gaussian(EarthMovers(scaling=100), 0.1)),
    "orbit_emd": MMDDefinition(OrbitCounts(), Gaussian(Euclidean(), 30.0)),
    "spectral_emd": MMDDefinition(_SPECTRUM, Gaussian(EarthMovers(), 1.0)),
}
_MOTIF = {"motif_4cycle": MMDDefinition(FourCycles(), Gaussian(Euclidean(), 1.0))}

SPECTRE = Preset(
    name="spectre",
    summary="Martinkus et al., 2022, arXiv:2204.01613: GRAN's kernels, histograms divided by sum + 1e-6, and "
    "wavelets; the numbers differ from GRAN's in the seventh digit or later.",
    mmds={**_TV, "wavelet": MMDDefinition(_WAVELET, Gaussian(TotalVariation(), 1.0))},
    variants=_EMD,
    defects=("spectral_truncation", "lost_eigenvalues", "dropped_empty_graphs"),
)

DIGRESS = replace(
    SPECTRE,
    name="digress",
    summary="Vignac et al., 2023, arXiv:2209.14734: SPECTRE's code; with the earth mover's distance (_emd) on "
    "community-20.",
    variants={**_EMD, **_MOTIF},
)

ESGG = replace(
    SPECTRE,
    name="esgg",
    summary="Bergmeister et al., 2024, arXiv:2312.11529: SPECTRE's code without the truncation, and the average "
    "ratio over five metrics.",
    ratio="esgg",
    defects=("lost_eigenvalues", "dropped_empty_graphs"),
)

DEFOG = replace(
    ESGG,
    name="defog",
    summary="Qin et al., 2025, arXiv:2410.04263: SPECTRE's code without the truncation, and an average ratio to "
    "training values rounded to four decimals.",
    variants={**_EMD, **_MOTIF},
    ratio="defog",
)

AUTOGRAPH = replace(
    SPECTRE,
    name="autograph",
    summary="Chen et al., 2025, arXiv:2502.02216: SPECTRE's code without wavelets, and the average of the finite "
    "ratios.",
    mmds=_TV,
    ratio="autograph",
)
