"""Distances between descriptor vectors, all pairs of two lists at once.

TV(x, y) = |x - y|_1 / 2. EMD, the earth mover's distance between masses on a line, is |cumsum(x) - cumsum(y)|_1 exactly
when both have the same mass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

Vectors = NDArray[np.float64]
Matrix = NDArray[np.float64]


class Distance(Protocol):
    """A symmetric function of two vectors that is 0 on equal ones."""

    def __call__(self, x: Vectors, y: Vectors) -> Matrix:
        """Returns the distances (n, m) between vectors (n, K) and (m, L), the shorter ones padded with zeros."""
        ...


@dataclass(frozen=True)
class TotalVariation:
    """Half the L1 distance; of histograms it is the total variation. Isometric to a subset of L1."""

    def __call__(self, x: Vectors, y: Vectors) -> Matrix:
        """Returns the distances (n, m)."""
        return 0.5 * cdist(*padded(x, y), "cityblock")


@dataclass(frozen=True)
class Euclidean:
    """The L2 distance."""

    def __call__(self, x: Vectors, y: Vectors) -> Matrix:
        """Returns the distances (n, m)."""
        return cdist(*padded(x, y), "euclidean")


@dataclass(frozen=True)
class EarthMovers:
    """Cost of moving the mass of one histogram to the other, neighbouring bins at distance 1 / scaling.

    Exact, where the solvers behind published numbers round masses and costs to about 1e-6. Isometric to a subset of L1.

    Attributes:
        scaling: Bins per unit of distance.

    References:
        You et al., 2018, "GraphRNN", arXiv:1802.08773.
    """

    scaling: float = 1.0

    def __call__(self, x: Vectors, y: Vectors) -> Matrix:
        """Returns the distances (n, m)."""
        x, y = padded(x, y)
        return cdist(np.cumsum(x, axis=1), np.cumsum(y, axis=1), "cityblock") / self.scaling


@dataclass(frozen=True)
class PartialEarthMovers:
    """Cost of moving all of the lighter mass into the heavier one, plus the width of the line for every unit left over.

    What the emd of pyemd returns when it is given vectors of unequal sums, as GGM-metrics gives it orbit counts, whose
    index is no place on a line; kept to repeat published numbers.

    References:
        Pele and Werman, 2008, "A linear time histogram metric for improved SIFT matching".
    """

    def __call__(self, x: Vectors, y: Vectors) -> Matrix:
        """Returns the distances (n, m)."""
        x, y = padded(x, y)
        return np.stack([_partial_costs(row, y) for row in x]) if len(x) else np.zeros((0, len(y)))


def padded(x: Vectors, y: Vectors) -> tuple[Vectors, Vectors]:
    """Returns both with as many columns as the wider one has, filled up with zeros."""
    width = max(x.shape[1], y.shape[1])
    return (
        np.pad(x, ((0, 0), (0, width - x.shape[1]))),
        np.pad(y, ((0, 0), (0, width - y.shape[1]))),
    )


def _partial_costs(one: NDArray[np.float64], others: Vectors) -> NDArray[np.float64]:
    heavier = (one.sum() >= others.sum(axis=1))[:, None]
    heavy, light = np.where(heavier, one, others), np.where(heavier, others, one)
    left_over = heavy.sum(axis=1) - light.sum(axis=1)
    return _line_transport(heavy, light) + (len(one) - 1) * left_over


def _line_transport(heavy: Vectors, light: Vectors) -> NDArray[np.float64]:
    """Returns the least cost of serving every `light` from a part of `heavy`, masses (P, K) on a line, float64 (P,).

    With s_i the mass that flows from bin i to i + 1 and 0 <= l_i <= heavy_i left over, s_i = s_(i-1) + heavy_i - l_i -
    light_i and the cost is sum |s_i|. The least cost f_i(s) of ending with s_i = s is convex and piecewise linear; it
    is kept by its breakpoints left and right of the minimum, each a change of slope by 1. That s starts at 0 is kept
    by more breakpoints at 0 than all later terms can outweigh.
    """
    num_pairs, num_bins = heavy.shape
    left = np.zeros((num_pairs, 2 * num_bins))
    right = np.zeros((num_pairs, 2 * num_bins))
    least = np.zeros(num_pairs)
    for i in range(num_bins):
        left = left - light[:, i, None]
        right = right + (heavy - light)[:, i, None]
        if i < num_bins - 1:
            left, right, least = _plus_absolute(left, right, least)
    return least + np.maximum(left, 0).sum(axis=1) + np.maximum(-right, 0).sum(axis=1)


def _plus_absolute(left: Vectors, right: Vectors, least: NDArray[np.float64]) -> tuple[Vectors, Vectors, Vectors]:
    """Adds |s| to functions given by ascending breakpoints: max(0, s) moves a left one over, max(0, -s) a right one."""
    zero = np.zeros((len(least), 1))
    least = least + np.maximum(left[:, -1], 0)
    left = np.sort(np.concatenate([left, zero], axis=1), axis=1)
    right = np.sort(np.concatenate([right, left[:, -1:]], axis=1), axis=1)
    left = left[:, :-1]
    least = least + np.maximum(-right[:, 0], 0)
    right = np.sort(np.concatenate([right, zero], axis=1), axis=1)
    left = np.sort(np.concatenate([left, right[:, :1]], axis=1), axis=1)
    return left, right[:, 1:], least
