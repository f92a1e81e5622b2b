"""Precision, recall, density and coverage of generated vectors by balls that reach to the k-th nearest neighbour.

Ball(x) is centred at x and reaches to the k-th nearest other vector of the set of x. Precision is the share of
generated vectors in some reference ball, recall the share of reference vectors in some generated ball, density the mean
number of reference balls around a generated vector over k, coverage the share of reference balls that hold one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.distances import Euclidean, Vectors

_SLACK = 1e-11
"""Share of the largest coordinate that is added to radii: copies of a graph differ by the order of summation."""


@dataclass(frozen=True)
class PRDC:
    """The four values and their harmonic means.

    Attributes:
        precision: In [0, 1]; 1 when all generated vectors look like reference ones.
        recall: In [0, 1]; 1 when the generated vectors surround all reference ones.
        density: >= 0, about 1 for equal laws; precision that counts how many balls.
        coverage: In [0, 1]; recall by the balls of the reference, which outliers do not inflate.
    """

    precision: float
    recall: float
    density: float
    coverage: float

    @property
    def f1_pr(self) -> float:
        """Harmonic mean of precision and recall with 1e-5 added to both, as in GGM-metrics."""
        return _harmonic_mean(self.precision, self.recall)

    @property
    def f1_dc(self) -> float:
        """Harmonic mean of density and coverage with 1e-5 added to both, as in GGM-metrics."""
        return _harmonic_mean(self.density, self.coverage)


def prdc(generated: Vectors, reference: Vectors, *, k: int = 5) -> PRDC | None:
    """Compares generated vectors (n, K) to reference vectors (m, L); None if a set has no k-th neighbour, n or m <= k.

    References:
        Kynkaanniemi et al., 2019, arXiv:1904.06991, eq. 1 and 2; Naeem et al., 2020, arXiv:2002.09797, eq. 3 and 4.
    """
    if min(len(generated), len(reference)) <= k:
        return None
    slack = _SLACK * max(float(np.abs(generated).max(initial=0)), float(np.abs(reference).max(initial=0)))
    distances = Euclidean()(reference, generated)
    in_reference_ball = distances <= _radii(reference, k)[:, None] + slack
    in_generated_ball = distances <= _radii(generated, k)[None, :] + slack
    return PRDC(
        precision=float(in_reference_ball.any(axis=0).mean()),
        recall=float(in_generated_ball.any(axis=1).mean()),
        density=float(in_reference_ball.sum(axis=0).mean() / k),
        coverage=float(in_reference_ball.any(axis=1).mean()),
    )


def _radii(vectors: Vectors, k: int) -> NDArray[np.float64]:
    """Returns the distance of every vector to its k-th nearest other one; the nearest of all is itself."""
    return np.partition(Euclidean()(vectors, vectors), k, axis=1)[:, k]


def _harmonic_mean(a: float, b: float) -> float:
    return 2 / (1 / (a + 1e-5) + 1 / (b + 1e-5))
