"""Draws distinct cells of many triangles and rectangles at once, without ever listing the cells.

The pairs u < v of n nodes are numbered c = v (v - 1) / 2 + u, those of an a x b rectangle c = u b + v.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def distinct_cells(capacities: Ints, counts: Ints, generator: np.random.Generator) -> tuple[Ints, Ints]:
    """Draws `counts[g]` different cells out of 0 .. capacities[g] - 1 for every group g, uniformly.

    Args:
        capacities: Number of cells of each group, int64 (g,).
        counts: Number of cells to draw, at most the capacity, int64 (g,).
        generator: Source of randomness.

    Returns:
        Group and cell of every draw, two int64 arrays (sum of counts,), sorted.
    """
    offsets = np.cumsum(capacities) - capacities
    is_dense = counts * 2 > capacities
    keys = _sparse_keys(capacities, np.where(is_dense, capacities - counts, counts), generator)
    # of dense groups the cells to leave out were drawn
    keys = np.setxor1d(keys, _all_keys(offsets[is_dense], capacities[is_dense]), assume_unique=True)
    groups = np.searchsorted(offsets, keys, side="right") - 1
    return groups.astype(np.int64), keys - offsets[groups]


def triangle_pairs(cells: Ints) -> tuple[Ints, Ints]:
    """Returns u < v with cell = v (v - 1) / 2 + u, exact for any number of nodes below 2^31."""
    v = np.floor((1 + np.sqrt(8.0 * cells + 1)) / 2).astype(np.int64)
    v -= v * (v - 1) // 2 > cells
    v += v * (v + 1) // 2 <= cells
    return cells - v * (v - 1) // 2, v


def stochastic_round(values: NDArray[np.floating], generator: np.random.Generator) -> Ints:
    """Rounds up with probability equal to the fraction, so that the mean is kept; whole numbers stay."""
    return np.floor(values + generator.random(len(values))).astype(np.int64)


def _all_keys(offsets: Ints, capacities: Ints) -> Ints:
    starts = np.cumsum(capacities) - capacities
    return np.repeat(offsets - starts, capacities) + np.arange(int(capacities.sum()))


def _sparse_keys(capacities: Ints, counts: Ints, generator: np.random.Generator) -> Ints:
    """Draws keys offset + cell with replacement and redraws what came twice, which is uniform over subsets."""
    offsets = np.cumsum(capacities) - capacities
    keys, missing = np.zeros(0, dtype=np.int64), counts
    while missing.any():
        groups = np.repeat(np.arange(len(counts)), missing)
        drawn = offsets[groups] + generator.integers(0, capacities[groups])
        keys = np.unique(np.concatenate([keys, drawn]))
        owners = np.searchsorted(offsets, keys, side="right") - 1
        missing = counts - np.bincount(owners, minlength=len(counts))
    return keys
