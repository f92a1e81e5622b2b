"""What a descriptor is: a map phi from graphs to vectors, R^K, on which kernels act."""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.graph_set import GraphSet

Vectors = NDArray[np.float64]


class UndescribedError(ValueError):
    """Says why there are no vectors of a set by some descriptor."""


class BudgetError(UndescribedError):
    """A descriptor was not computed because its cost, known in advance, is over the limit."""


class Descriptor(Protocol):
    """Describes each graph of a set by one vector, whatever the other graphs of the set are.

    Attributes:
        uses_eigenvectors: Whether it reads `GraphSet.eigensystems`.
    """

    uses_eigenvectors: ClassVar[bool]

    def __call__(self, graphs: GraphSet) -> Vectors:
        """Returns float64 (G, K); K may depend on the set, missing trailing columns mean 0.

        Raises:
            BudgetError: The computation would cost more than the descriptor allows.
        """
        ...


def probabilities(counts: Vectors, sizes: NDArray[np.int64], smoothing: float) -> Vectors:
    """Returns histograms divided by (their sum + smoothing), with one column put in front for graphs without nodes.

    A graph of size 0 has all its mass in column 0 and is at total variation 1 from every other; column 0 is 0 for
    all others and changes no distance between them.

    Args:
        counts: Histograms (G, K).
        sizes: Number of nodes of each graph (G,).
        smoothing: 0, or 1e-6 to repeat the numbers of SPECTRE and its descendants.

    Returns:
        float64 (G, K + 1).
    """
    scaled = counts / np.maximum(counts.sum(axis=1, keepdims=True) + smoothing, np.finfo(float).tiny)
    return np.concatenate([(sizes == 0).astype(float)[:, None], scaled], axis=1)
