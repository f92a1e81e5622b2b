"""Frechet distance between two sets of vectors: the squared 2-Wasserstein distance of the normal laws fitted to them.

FD = |mu - nu|^2 + tr C + tr D - 2 tr (C D)^(1/2). With centred data X (n, K) and Y (m, K), C = X^T X / (n - 1) and
D = Y^T Y / (m - 1), the last trace is exactly |X Y^T|_* / sqrt((n - 1)(m - 1)), a sum of singular values. Unlike the
root of a matrix product it has no trouble with singular covariances, and embeddings have many constant columns.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from sbgd.evaluation.distances import Vectors, padded


def frechet_distance(x: Vectors, y: Vectors) -> float | None:
    """Returns the Frechet distance of two sets, >= 0.

    Args:
        x: Vectors (n, K).
        y: Vectors (m, L), the shorter ones padded with zeros.

    Returns:
        The squared distance; None with fewer than two vectors on a side, which have no covariance.

    References:
        Dowson and Landau, 1982, doi 10.1016/0047-259X(82)90077-X, eq. 16; Heusel et al., 2017, arXiv:1706.08500.
    """
    if min(len(x), len(y)) < 2:
        return None
    x, y = padded(x, y)
    shift = x.mean(axis=0) - y.mean(axis=0)
    root_c, root_d = _covariance_root(x), _covariance_root(y)
    overlap = linalg.svdvals(root_c @ root_d.T).sum()
    distance = shift @ shift + (root_c**2).sum() + (root_d**2).sum() - 2 * overlap
    return max(float(distance), 0.0)


def _covariance_root(x: Vectors) -> Vectors:
    """Returns R with R^T R = C, (min(n, K), K); the triangular factor leaves the singular values as they are."""
    centred = (x - x.mean(axis=0)) / np.sqrt(len(x) - 1)
    return np.asarray(np.linalg.qr(centred, mode="r"), dtype=np.float64)
