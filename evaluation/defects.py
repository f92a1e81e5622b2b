"""Known errors of published evaluators as switches, all off by default: each turns a preset into what its source does.

They are here to check a published number, never to report one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from sbgd.evaluation.descriptors import SpectrumHistogram
from sbgd.evaluation.distances import EarthMovers
from sbgd.evaluation.kernels import Gaussian
from sbgd.evaluation.metric import MMDDefinition


@dataclass(frozen=True)
class Defect:
    """One error.

    Attributes:
        name: What it is called on the command line.
        explanation: What the sources do, and what it does to the number.
        change: Turns the definition of an MMD into the defective one; others stay as they are.
        swaps_arguments: Whether generated and reference graphs change places in the embedding metrics.
    """

    name: str
    explanation: str
    change: Callable[[MMDDefinition], MMDDefinition] = lambda definition: definition
    swaps_arguments: bool = False


def _truncated(definition: MMDDefinition) -> MMDDefinition:
    spectral = isinstance(definition.descriptor, SpectrumHistogram)
    return replace(definition, only_as_many=True) if spectral else definition


def _unscaled(definition: MMDDefinition) -> MMDDefinition:
    kernel = definition.kernel
    if isinstance(kernel, Gaussian) and isinstance(kernel.distance, EarthMovers):
        return replace(definition, kernel=replace(kernel, distance=EarthMovers()))
    return definition


def _unclipped(definition: MMDDefinition) -> MMDDefinition:
    descriptor = definition.descriptor
    if isinstance(descriptor, SpectrumHistogram):
        return replace(definition, descriptor=replace(descriptor, clip=False))
    return definition


DEFECTS: Mapping[str, Defect] = {
    defect.name: defect
    for defect in (
        Defect(
            "spectral_truncation",
            "the spectral metric looks at as many generated graphs as there are reference graphs and drops the rest, "
            "so that the number depends on the order of the file (SPECTRE, DiGress, AutoGraph)",
            _truncated,
        ),
        Defect(
            "dropped_distance_scaling",
            "the earth mover's distance of clustering histograms is measured in bins, 100 to the unit, while sigma "
            "stays 0.1: the kernel is saturated and the number near its floor (GGM-metrics unless run in parallel, "
            "EDGE)",
            _unscaled,
        ),
        Defect(
            "swapped_arguments",
            "generated and reference graphs change places in the embedding metrics: embeddings are standardised by "
            "the generated graphs, and precision is called recall (EDGE)",
            swaps_arguments=True,
        ),
        Defect(
            "lost_eigenvalues",
            "eigenvalues that rounding put outside of [0, 2] drop out of the spectral histogram; which ones depends "
            "on the linear algebra library (all sources)",
            _unclipped,
        ),
        Defect(
            "dropped_empty_graphs",
            "graphs without nodes are dropped before the comparison, so that a generator is not charged for them "
            "(all sources that do not fail)",
            lambda definition: replace(definition, drop_empty=True),
        ),
    )
}
"""All defects by name."""
