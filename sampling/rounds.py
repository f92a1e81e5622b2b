"""Rounds in which pairs can be generated side by side: a proper edge colouring of the quotient.

In a round every block takes part in at most one pair, so pairs of a round do not see each other, and a pair sees the
edges of all earlier rounds as its halo.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def colour_pairs(pairs: Ints, num_blocks: int, keys: Ints) -> Ints:
    """Returns the round of every pair, int64 (p,), by repeated greedy matching in the order of the keys.

    Rounds of one graph depend on the keys of its own pairs alone, not on other graphs of the same plan.

    Args:
        pairs: int64 (p, 2) block numbers, distinct pairs.
        num_blocks: Number of blocks.
        keys: int64 (p,) distinct keys; a hash of the pairs makes the order random.
    """
    rounds = np.full(len(pairs), -1, np.int64)
    priority = np.argsort(np.argsort(keys))
    number = 0
    while (open_pairs := np.flatnonzero(rounds < 0)).size:
        rounds[_matching(pairs, open_pairs, priority, num_blocks)] = number
        number += 1
    return rounds


def _matching(pairs: Ints, open_pairs: Ints, priority: Ints, num_blocks: int) -> Ints:
    """Returns a maximal set of open pairs without a common block, best priority first (Luby 1986)."""
    matched: list[Ints] = []
    free = np.ones(num_blocks, bool)
    while open_pairs.size:
        best = np.full(num_blocks, len(pairs), np.int64)
        np.minimum.at(best, pairs[open_pairs].ravel(), np.repeat(priority[open_pairs], 2))
        ends = pairs[open_pairs]
        wins = (best[ends] == priority[open_pairs][:, None]).all(axis=1)
        matched.append(open_pairs[wins])
        free[ends[wins].ravel()] = False
        open_pairs = open_pairs[free[ends].all(axis=1)]
    return np.concatenate(matched) if matched else np.zeros(0, np.int64)
