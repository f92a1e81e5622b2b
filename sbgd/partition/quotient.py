"""The quotient of a partitioned graph: n_i nodes and m_i edges in block i, e_ij edges between blocks i and j.

With M edges in all, sum_i m_i + sum_{i<j} e_ij = M. A node of degree d has inner degree d_in within its block and
outer degree d_out beyond it, so that sum_{v in i} d_in(v) = 2 m_i and sum_{v in i} d_out(v) = sum_j e_ij.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError


@dataclass(frozen=True, eq=False)
class Quotient:
    """The graph of blocks, with the degrees of the nodes in block order.

    Attributes:
        num_nodes: int64 (k,): nodes n_i of every block, at least 1.
        num_edges: int64 (k,): edges m_i inside every block.
        pairs: int64 (p, 2): the pairs i < j of blocks with an edge between them, sorted.
        pair_edges: int64 (p,): edges e_ij > 0 between the blocks of every pair.
        inner_degree: int64 (N,): edges from every node into its own block.
        outer_degree: int64 (N,): edges from every node into other blocks.
    """

    num_nodes: NDArray[np.int64]
    num_edges: NDArray[np.int64]
    pairs: NDArray[np.int64]
    pair_edges: NDArray[np.int64]
    inner_degree: NDArray[np.int64]
    outer_degree: NDArray[np.int64]

    @property
    def num_blocks(self) -> int:
        """Number of blocks k."""
        return len(self.num_nodes)

    @property
    def num_pairs(self) -> int:
        """Number p of pairs of blocks with an edge between them."""
        return len(self.pairs)

    @property
    def total_nodes(self) -> int:
        """Number of nodes N of the whole graph."""
        return int(self.num_nodes.sum())

    @property
    def total_edges(self) -> int:
        """Number of edges M of the whole graph."""
        return int(self.num_edges.sum() + self.pair_edges.sum())

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where every block starts in block order, int64 (k+1,)."""
        return np.concatenate([[0], np.cumsum(self.num_nodes)]).astype(np.int64)

    def to_arrays(self) -> dict[str, NDArray[np.int64]]:
        """Returns the six arrays by attribute name, for storage."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.int64]]) -> Quotient:
        """Builds a quotient from what `to_arrays` returned; other keys are ignored.

        Raises:
            InputError: An array is missing, or the arrays contradict each other.
        """
        missing = [field.name for field in fields(cls) if field.name not in arrays]
        if missing:
            raise InputError(f"expected the arrays of a quotient, got none named {', '.join(missing)}")
        quotient = cls(**{field.name: np.asarray(arrays[field.name], np.int64) for field in fields(cls)})
        quotient.check()
        return quotient

    def check(self) -> None:
        """Checks that the arrays fit each other.

        Raises:
            InputError: A shape, bound or sum does not hold; the message names it.
        """
        self._check_shapes()
        self._check_bounds()
        self._check_sums()

    def _check_shapes(self) -> None:
        k, p, n = self.num_blocks, self.num_pairs, self.total_nodes
        shapes = dict.fromkeys(("num_nodes", "num_edges"), (k,)) | {"pairs": (p, 2), "pair_edges": (p,)}
        shapes |= dict.fromkeys(("inner_degree", "outer_degree"), (n,))
        for name, shape in shapes.items():
            found = getattr(self, name).shape
            if found != shape:
                raise InputError(f"expected {name} of shape {shape} in a quotient, got {found}")

    def _check_bounds(self) -> None:
        n, m, (i, j) = self.num_nodes, self.num_edges, self.pairs.T
        _require(n >= 1, "num_nodes of at least 1", n)
        _require((m >= 0) & (2 * m <= n * (n - 1)), "num_edges of 0 to n (n - 1) / 2", m)
        _require((i >= 0) & (i < j) & (j < self.num_blocks), "pairs 0 <= i < j < k", self.pairs)
        _require(np.diff(i * self.num_blocks + j, prepend=-1) > 0, "distinct pairs in order", self.pairs)
        _require((self.pair_edges >= 1) & (self.pair_edges <= n[i] * n[j]), "1 <= e_ij <= n_i n_j", self.pair_edges)
        _require(self.inner_degree >= 0, "inner degrees of at least 0", self.inner_degree)
        _require(self.outer_degree >= 0, "outer degrees of at least 0", self.outer_degree)

    def _check_sums(self) -> None:
        block = np.repeat(np.arange(self.num_blocks), self.num_nodes)
        inner = np.bincount(block, self.inner_degree, self.num_blocks)
        outer = np.bincount(block, self.outer_degree, self.num_blocks)
        leaving = np.bincount(self.pairs.ravel(), np.repeat(self.pair_edges, 2), self.num_blocks)
        _require(inner == 2 * self.num_edges, "inner degrees that sum to 2 m_i", inner)
        _require(outer == leaving, "outer degrees that sum to the e_ij of their block", outer)


def _require(holds: NDArray[np.bool_], expected: str, got: NDArray[np.generic]) -> None:
    if not holds.all():
        first = int(np.argmin(holds))
        raise InputError(f"expected {expected} in a quotient, got {got[first].tolist()} at index {first}")
