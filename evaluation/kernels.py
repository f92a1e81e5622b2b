"""Kernels between descriptor vectors, one class a kernel: what is compared, the widths, and the value at a width.

The comparison of all pairs costs most and is made once; a kernel may then be evaluated at several widths.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.distances import Distance, Euclidean, Matrix, Vectors, padded

Gram = NDArray[np.float64]

RANGE = (0.01, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0)
"""Factors of the widths over which GGM-metrics (Thompson et al., 2022, arXiv:2201.09871) takes the maximum."""


class Kernel(Protocol):
    """A symmetric function of two vectors."""

    @property
    def is_definite(self) -> bool:
        """Whether every Gram matrix is positive semidefinite, so that a biased MMD^2 cannot fall below 0."""
        ...

    def compare(self, x: Vectors, y: Vectors) -> Matrix:
        """Returns what the kernel depends on, for vectors (n, K) and (m, L), the shorter ones padded; (n, m)."""
        ...

    def widths(self, between: Matrix, reference: Matrix) -> NDArray[np.float64]:
        """Returns the widths to try, (S,), given the comparisons between two sets and within the reference set."""
        ...

    def gram(self, compared: Matrix, width: float) -> Gram:
        """Returns the kernel values of a comparison at one width, of the same shape."""
        ...


@dataclass(frozen=True)
class Gaussian:
    """k(x, y) = exp(-distance(x, y)^2 / (2 sigma^2)).

    Positive definite for the Euclidean distance only: with total variation or earth mover's distance a biased MMD^2
    can fall below 0 (O'Bray et al., 2022, arXiv:2106.01098).

    Attributes:
        distance: Distance between vectors.
        sigma: Width.
    """

    distance: Distance
    sigma: float

    @property
    def is_definite(self) -> bool:
        """True for the Euclidean distance."""
        return isinstance(self.distance, Euclidean)

    def compare(self, x: Vectors, y: Vectors) -> Matrix:
        """Returns the distances (n, m)."""
        return self.distance(x, y)

    def widths(self, between: Matrix, reference: Matrix) -> NDArray[np.float64]:
        """Returns sigma."""
        return np.array([self.sigma])

    def gram(self, compared: Matrix, width: float) -> Gram:
        """Returns the kernel values (n, m)."""
        return np.exp(-(compared**2) / (2 * width**2))


@dataclass(frozen=True)
class Laplacian:
    """k(x, y) = exp(-distance(x, y) / sigma), positive definite for all distances that embed in L1.

    Total variation and the earth mover's distance on a line are L1 distances, and the Euclidean one embeds.

    Attributes:
        distance: Distance between vectors.
        sigma: Width.

    References:
        O'Bray et al., 2022, arXiv:2106.01098; Feragen, Lauze and Hauberg, 2015, arXiv:1411.0296.
    """

    distance: Distance
    sigma: float

    @property
    def is_definite(self) -> bool:
        """Always true."""
        return True

    def compare(self, x: Vectors, y: Vectors) -> Matrix:
        """Returns the distances (n, m)."""
        return self.distance(x, y)

    def widths(self, between: Matrix, reference: Matrix) -> NDArray[np.float64]:
        """Returns sigma."""
        return np.array([self.sigma])

    def gram(self, compared: Matrix, width: float) -> Gram:
        """Returns the kernel values (n, m)."""
        return np.exp(-compared / width)


@dataclass(frozen=True)
class MedianLaplacian:
    """The Laplacian kernel with the median distance between two reference graphs as its width.

    So it is neither saturated, as a narrow one is, nor blind to small differences, whatever the scale of the
    descriptor; the width belongs to the reference, and the same for all generated sets.

    Attributes:
        distance: Distance between vectors.

    References:
        Gretton et al., 2012, JMLR 13, section 8, for the median; O'Bray et al., 2022, arXiv:2106.01098.
    """

    distance: Distance

    @property
    def is_definite(self) -> bool:
        """Always true."""
        return True

    def compare(self, x: Vectors, y: Vectors) -> Matrix:
        """Returns the distances (n, m)."""
        return self.distance(x, y)

    def widths(self, between: Matrix, reference: Matrix) -> NDArray[np.float64]:
        """Returns the median; where it is 0 the mean, and where that is 0 too the same of `between`, or 1."""
        apart = reference[np.triu_indices(len(reference), 1)]
        for distances in (apart, between):
            for width in (np.median(distances), distances.mean()) if distances.size else ():
                if width > 0:
                    return np.array([float(width)])
        return np.ones(1)

    def gram(self, compared: Matrix, width: float) -> Gram:
        """Returns the kernel values (n, m)."""
        return np.exp(-compared / width)


@dataclass(frozen=True)
class GaussianRange:
    """The Gaussian kernel at several widths, of which the one with the largest MMD^2 counts.

    Widths are factors of the root mean square distance between the two sets, so that no scale has to be known.

    Attributes:
        distance: Distance between vectors.
        factors: Factors of that distance.

    References:
        Thompson et al., 2022, "On evaluation metrics for graph generative models", arXiv:2201.09871.
    """

    distance: Distance
    factors: tuple[float, ...] = RANGE

    @property
    def is_definite(self) -> bool:
        """True for the Euclidean distance."""
        return Gaussian(self.distance, 1.0).is_definite

    def compare(self, x: Vectors, y: Vectors) -> Matrix:
        """Returns the distances (n, m)."""
        return self.distance(x, y)

    def widths(self, between: Matrix, reference: Matrix) -> NDArray[np.float64]:
        """Returns the scaled factors; where all distances are 0 the scale is 1."""
        scale = float(np.sqrt((between**2).mean())) or 1.0
        return scale * np.array(self.factors)

    def gram(self, compared: Matrix, width: float) -> Gram:
        """Returns the kernel values (n, m)."""
        return np.exp(-(compared**2) / (2 * width**2))


@dataclass(frozen=True)
class Linear:
    """k(x, y) = <x, y>, whose MMD^2 is the squared distance between mean vectors."""

    @property
    def is_definite(self) -> bool:
        """Always true."""
        return True

    def compare(self, x: Vectors, y: Vectors) -> Matrix:
        """Returns the inner products (n, m)."""
        x, y = padded(x, y)
        return x @ y.T

    def widths(self, between: Matrix, reference: Matrix) -> NDArray[np.float64]:
        """Returns one width, which has no effect."""
        return np.ones(1)

    def gram(self, compared: Matrix, width: float) -> Gram:
        """Returns the inner products."""
        return compared
