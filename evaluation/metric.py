"""An MMD metric is a descriptor, a kernel and an estimator; it describes the reference once and judges many sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.descriptors.descriptor import Descriptor, Vectors
from sbgd.evaluation.distances import Matrix
from sbgd.evaluation.graph_set import GraphSet
from sbgd.evaluation.inference import bootstrap_interval, permutation_test
from sbgd.evaluation.kernels import Kernel
from sbgd.evaluation.mmd import Grams, biased_mmd, paired_mmd, unbiased_mmd
from sbgd.evaluation.preflight import check_not_empty
from sbgd.evaluation.standardisation import Standardisation
from sbgd.graph import Graph

Estimator = Literal["biased", "unbiased", "paired"]

_ESTIMATORS: Mapping[Estimator, Callable[[Grams], float | None]] = {
    "biased": biased_mmd,
    "unbiased": unbiased_mmd,
    "paired": paired_mmd,
}


@dataclass(frozen=True)
class MMDDefinition:
    """What an MMD^2 is computed from, as plain data.

    Attributes:
        descriptor: Map from graphs to vectors.
        kernel: Kernel between vectors.
        estimator: Which estimate is the value of the metric; the biased and the unbiased one are always reported.
        clip: Whether a negative value is reported as 0.
        standardise: Whether every column is centred and scaled by the reference's mean and standard deviation.
        only_as_many: Defect of SPECTRE's spectral metric: only as many generated graphs count as there are reference
            graphs, the rest is dropped in silence.
        drop_empty: Defect of most sources: graphs without nodes are dropped before the comparison.
    """

    descriptor: Descriptor
    kernel: Kernel
    estimator: Estimator = "biased"
    clip: bool = False
    standardise: bool = False
    only_as_many: bool = False
    drop_empty: bool = False

    def counted(self, sizes: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
        """Returns the positions of the graphs that count, all of them unless a defect is switched on.

        Args:
            sizes: Number of nodes of every graph (G,).
            limit: Most graphs that count under `only_as_many`.
        """
        positions = np.flatnonzero(sizes > 0) if self.drop_empty else np.arange(len(sizes))
        return positions[:limit] if self.only_as_many else positions


@dataclass(frozen=True)
class MMDEstimate:
    """A squared MMD with what is needed to read it.

    Attributes:
        value: The number that the source of the metric prints, mostly the next one; None where it is undefined.
        biased: The V-statistic, at the width where it is largest.
        unbiased: The U-statistic at that width, may be negative; None with fewer than two graphs on a side.
        floor: 1/n + 1/m for kernels with k(x, x) = 1: the most that the biased estimate can owe to its bias.
        interval: 95 % bootstrap interval of MMD^2; None where the unbiased estimate is None.
        p_value: Of the permutation test of equal laws; None where the unbiased estimate is None.
    """

    value: float | None
    biased: float
    unbiased: float | None
    floor: float
    interval: tuple[float, float] | None
    p_value: float | None


class VectorMMD:
    """Squared MMD between generated vectors and reference vectors, which are compared among themselves once.

    Args:
        reference: Vectors (m, K), m >= 1.
        definition: Kernel, estimator and standardisation; the descriptor is not used.
    """

    def __init__(self, reference: Vectors, definition: MMDDefinition) -> None:
        self._definition = definition
        self._standardisation = Standardisation.fitted(reference) if definition.standardise else None
        self._reference = self._standardised(reference)
        self._within = definition.kernel.compare(self._reference, self._reference)

    def value(self, generated: Vectors) -> float | None:
        """Returns the number that papers report; None where the estimator needs more graphs."""
        return self._value(self._largest(*self._compared(generated)))

    def estimate(self, generated: Vectors, *, generator: np.random.Generator) -> MMDEstimate:
        """Returns both estimates with floor, interval and p-value."""
        xx, xy = self._compared(generated)
        grams = self._largest(xx, xy)
        test = permutation_test(self._pooled(xx, xy), len(xx), generator=generator)
        return MMDEstimate(
            value=self._value(grams),
            biased=biased_mmd(grams),
            unbiased=unbiased_mmd(grams),
            floor=grams.floor,
            interval=None if test is None else bootstrap_interval(grams, test, generator=generator),
            p_value=None if test is None else test.p_value,
        )

    def _compared(self, generated: Vectors) -> tuple[Matrix, Matrix]:
        vectors = self._standardised(generated)
        compare = self._definition.kernel.compare
        return compare(vectors, vectors), compare(vectors, self._reference)

    def _largest(self, xx: Matrix, xy: Matrix) -> Grams:
        """Returns the kernel values at the width with the largest biased MMD^2."""
        kernel = self._definition.kernel
        choices = [
            Grams(xx=kernel.gram(xx, width), yy=kernel.gram(self._within, width), xy=kernel.gram(xy, width))
            for width in kernel.widths(xy, self._within).tolist()
        ]
        return max(choices, key=biased_mmd)

    def _pooled(self, xx: Matrix, xy: Matrix) -> list[Matrix]:
        kernel = self._definition.kernel
        compared = np.block([[xx, xy], [xy.T, self._within]])
        apart = compared[~np.eye(len(compared), dtype=bool)]
        return [kernel.gram(compared, width) for width in kernel.widths(apart, compared).tolist()]

    def _value(self, grams: Grams) -> float | None:
        value = _ESTIMATORS[self._definition.estimator](grams)
        return max(value, 0.0) if self._definition.clip and value is not None else value

    def _standardised(self, vectors: Vectors) -> Vectors:
        return vectors if self._standardisation is None else self._standardisation(vectors)


class MMDMetric:
    """Squared maximum mean discrepancy between generated graphs and a reference that is described once.

    Args:
        reference: At least one graph.
        definition: Descriptor, kernel and estimator, for instance `PRESETS["sbgd"].mmds["degree"]`.

    Raises:
        InputError: The reference is empty or has no node.
        BudgetError: The descriptor refuses the reference for its cost.
    """

    def __init__(self, reference: Sequence[Graph], definition: MMDDefinition) -> None:
        self._definition = definition
        self._limit = len(reference)
        self._mmd = VectorMMD(self._described("reference", reference), definition)

    def value(self, generated: Sequence[Graph]) -> float | None:
        """Returns the number that papers report, the biased MMD^2 in nearly all of them; None as in `MMDEstimate`."""
        return self._mmd.value(self._described("generated", generated))

    def estimate(self, generated: Sequence[Graph], *, generator: np.random.Generator) -> MMDEstimate:
        """Returns the biased and unbiased MMD^2 with floor, bootstrap interval and p-value."""
        return self._mmd.estimate(self._described("generated", generated), generator=generator)

    def _described(self, which: str, graphs: Sequence[Graph]) -> Vectors:
        check_not_empty(which, graphs)
        described = GraphSet(graphs, eigenvectors=self._definition.descriptor.uses_eigenvectors)
        return self._definition.descriptor(described)[self._definition.counted(described.sizes, self._limit)]
