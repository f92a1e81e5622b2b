"""A metric describes the reference once and then values any number of generated sets: descriptor, kernel, estimator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from sbgd.errors import InputError
from sbgd.evaluation.descriptors import (
    ClusteringHistogram,
    DegreeHistogram,
    Descriptor,
    OrbitCounts,
    SpectrumHistogram,
    WaveletHistogram,
)
from sbgd.evaluation.kernels import GaussianTV, Kernel
from sbgd.evaluation.mmd import Grams, MMDEstimate, biased_mmd, estimate_mmd
from sbgd.graph import Graph

GRAN: Mapping[str, tuple[Descriptor, Kernel]] = MappingProxyType(
    {
        "degree": (DegreeHistogram(), GaussianTV(sigma=1.0)),
        "clustering": (ClusteringHistogram(), GaussianTV(sigma=0.1)),
        "orbit": (OrbitCounts(), GaussianTV(sigma=30.0)),
        "spectral": (SpectrumHistogram(), GaussianTV(sigma=1.0)),
    }
)
"""Descriptors and kernels of GRAN (Liao et al., 2019, arXiv:1910.00760): histograms divided by their sum, Gaussian
kernels of the total variation, as in polygraph-benchmark's TV metrics."""

SPECTRE: Mapping[str, tuple[Descriptor, Kernel]] = MappingProxyType(
    {
        "degree": (DegreeHistogram(smoothing=1e-6), GaussianTV(sigma=1.0)),
        "clustering": (ClusteringHistogram(smoothing=1e-6), GaussianTV(sigma=0.1)),
        "orbit": (OrbitCounts(), GaussianTV(sigma=30.0)),
        "spectral": (SpectrumHistogram(smoothing=1e-6), GaussianTV(sigma=1.0)),
        "wavelet": (WaveletHistogram(smoothing=1e-6), GaussianTV(sigma=1.0)),
    }
)
"""The same with histograms divided by sum + 1e-6, and wavelets, as in SPECTRE (Martinkus et al., 2022,
arXiv:2204.01613), ESGG, DiGress and DeFoG; the numbers differ from `GRAN` in the seventh digit or later."""


class MMDMetric:
    """Squared maximum mean discrepancy between generated graphs and a reference that is described once.

    Args:
        reference: At least one graph.
        descriptor: Map from graphs to vectors.
        kernel: Kernel between vectors.

    Raises:
        InputError: The reference is empty.
        BudgetError: The descriptor refuses the reference for its cost.
    """

    def __init__(self, reference: Sequence[Graph], descriptor: Descriptor, kernel: Kernel) -> None:
        _check_not_empty("reference", reference)
        self._descriptor = descriptor
        self._kernel = kernel
        self._vectors = descriptor(reference)
        self._gram = kernel(self._vectors, self._vectors)

    def value(self, generated: Sequence[Graph]) -> float:
        """Returns the biased MMD^2 that papers report."""
        return biased_mmd(self._grams(generated))

    def estimate(self, generated: Sequence[Graph], *, generator: np.random.Generator) -> MMDEstimate:
        """Returns the biased and unbiased MMD^2 with floor and bootstrap interval."""
        return estimate_mmd(self._grams(generated), generator=generator)

    def _grams(self, generated: Sequence[Graph]) -> Grams:
        _check_not_empty("generated", generated)
        vectors = self._descriptor(generated)
        return Grams(xx=self._kernel(vectors, vectors), yy=self._gram, xy=self._kernel(vectors, self._vectors))


def _check_not_empty(which: str, graphs: Sequence[Graph]) -> None:
    if not graphs:
        raise InputError(f"expected at least one {which} graph, got an empty set; check the file or the generator")
