"""Draws simple graphs with independent edges, p_uv = min(1, x_u x_v omega_rs) for u in block r and v in block s.

Nodes of one block and one degree share x. x and omega are scaled in turn until the expected degrees are the given ones
and the expected edges of every pair of blocks the given counts; the sum of min(1, c x_v) over a block takes two prefix
sums over its sorted x: 1 from 1 / c on, c x_v below. Every pair of classes then gets a binomial number of edges, which
is what independent coins give, without a coin for each pair of nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.baselines.block_counts import BlockCounts
from sbgd.evaluation.baselines.degree_classes import DegreeClasses, Views

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_ROUNDS = 200
"""Leaves 1 % of a hub that is joined to everybody, whose x would have to grow without end."""

_TOLERANCE = 1e-3
_LARGEST = 1e12


@dataclass(frozen=True, eq=False)
class IndependentEdges:
    """A law of graphs with independent edges.

    Attributes:
        classes: Nodes that are alike.
        x: One value a class (c,).
        omega: One value a pair of blocks (p,).
    """

    classes: DegreeClasses
    x: Floats
    omega: Floats

    @classmethod
    def fitted(cls, degrees: Ints, blocks: Ints, counts: BlockCounts) -> IndependentEdges:
        """Scales x and omega in turn, from degrees and omega_rs = e_rs / (sum_r d sum_s d), Karrer and Newman's law.

        Args:
            degrees: Expected degree of every node up to one factor a block, which makes them add up to the counts (N,).
            blocks: Block of every node (N,).
            counts: Expected edges of blocks and pairs of blocks; where they do not fit, as many as do.
        """
        classes = DegreeClasses.of(degrees, blocks, counts)
        sums = np.bincount(classes.blocks, weights=classes.sizes * classes.degrees, minlength=len(classes.per_block))
        omega = (1 + classes.is_inner) * _ratio(classes.counts, sums[classes.pairs].prod(axis=1))
        law, views = cls(classes, classes.degrees, omega), classes.views()
        for _ in range(_ROUNDS):
            law = replace(law, omega=np.minimum(law.omega * _ratio(classes.counts, law.edges(views)), _LARGEST))
            reached = law.degrees(views)
            if np.all(abs(reached - classes.degrees) <= _TOLERANCE * np.maximum(classes.degrees, 1)):
                break
            law = replace(law, x=np.minimum(law.x * _ratio(classes.degrees, reached), _LARGEST))
        return law

    def sample(self, generator: np.random.Generator) -> Ints:
        """Draws the edges of one graph, (M, 2) without loops and repeats."""
        return self.classes.nodes[self._class_counts(generator).edges(generator)]

    def degrees(self, views: Views) -> Floats:
        """Returns the expected degree of a node of each class (c,)."""
        seen = self._seen(views)
        return np.bincount(views.viewers, weights=seen, minlength=len(self.x)).astype(np.float64)

    def edges(self, views: Views) -> Floats:
        """Returns the expected edges of each pair of blocks (p,), each of which two nodes see."""
        seen = self._seen(views) * self.classes.sizes[views.viewers]
        return np.bincount(views.positions, weights=seen, minlength=len(self.omega)) / 2

    def _seen(self, views: Views) -> Floats:
        """Returns the expected edges of one node to one block, for each view (v,)."""
        classes = self.classes
        # x / (1 + x) is below 1, so that one search serves all blocks
        keys = classes.blocks + self.x / (1 + self.x)
        order = np.argsort(keys, kind="stable")
        nodes = np.append(0, np.cumsum(classes.sizes[order]))
        weights = np.append(0.0, np.cumsum((classes.sizes * self.x)[order]))
        c = self.x[views.viewers] * self.omega[views.positions]
        bound = np.searchsorted(keys[order], views.blocks + 1 / (1 + c))
        start = classes.first[views.blocks]
        end = start + classes.per_block[views.blocks]
        itself = classes.is_inner[views.positions] * np.minimum(c * self.x[views.viewers], 1)
        return c * (weights[bound] - weights[start]) + nodes[end] - nodes[bound] - itself

    def _class_counts(self, generator: np.random.Generator) -> BlockCounts:
        """Draws how many edges there are inside every class and between every two."""
        sizes, drawn = self.classes.sizes, []
        for left, right, position in self.classes.class_pairs():
            between = sizes[left] * sizes[right]
            capacity = np.where(left == right, (between - sizes[left]) // 2, between)
            probability = np.minimum(self.x[left] * self.x[right] * self.omega[position], 1)
            count = generator.binomial(capacity, probability)
            drawn.append(np.stack([left, right, count], axis=1)[count > 0])
        left, right, count = np.concatenate(drawn).T
        inner = np.zeros_like(sizes)
        inner[left[left == right]] = count[left == right]
        is_outer = left < right
        return BlockCounts(sizes, inner, np.stack([left, right], axis=1)[is_outer], count[is_outer])


def _ratio(wanted: NDArray[np.generic], found: Floats) -> Floats:
    """Returns wanted / found, 1 where nothing was found and no factor would help."""
    return np.asarray(np.divide(wanted, found, out=np.ones(len(found)), where=found > 0), dtype=np.float64)
