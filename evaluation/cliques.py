"""Lists triangles and 4-cliques over edges directed from lower to higher degree, each once.

Every triangle is one u -> v -> w with u -> w, so that listing the steps v -> w of every edge u -> v and looking u -> w
up finds all, in O(M^1.5) whatever the hubs (Chiba and Nishizeki, 1985, "Arboricity and subgraph listing algorithms").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sbgd.evaluation.triangles import work_chunks

Ints = NDArray[np.int64]

_TABLE_ENTRIES = 32_000_000
"""Pairs of nodes of all graphs up to which edges are found in a table of pairs, and not by bisection."""


@dataclass(frozen=True)
class Triangles:
    """Some triangles u -> v -> w, all arrays (T,).

    Attributes:
        u: Lowest node.
        v: Middle node.
        w: Highest node.
        uv: Position of the edge u -> v in `CliqueLister.edges`.
        vw: The same for v -> w.
        uw: The same for u -> w.
    """

    u: Ints
    v: Ints
    w: Ints
    uv: Ints
    vw: Ints
    uw: Ints


class CliqueLister:
    """The directed edges of some graphs side by side, ready to be asked for cliques.

    Args:
        directed: Each edge once, from its lower to its higher end as `triangles.degree_ordered` has it; (N, N).
        sizes: Number of nodes of each graph, N in all.
    """

    def __init__(self, directed: sparse.csr_array, sizes: Ints) -> None:
        self._sizes = sizes
        directed.sort_indices()
        self._starts = directed.indptr.astype(np.int64)
        self._heads = directed.indices.astype(np.int64)
        self._out = np.diff(self._starts)
        self._tails = np.repeat(np.arange(len(self._out)), self._out)

    @property
    def edges(self) -> tuple[Ints, Ints]:
        """Tails and heads of all edges, two arrays (M,)."""
        return self._tails, self._heads

    def triangles(self) -> Iterator[Triangles]:
        """Yields all triangles in parts of bounded size, the same in every call."""
        if self._single is not None:
            yield self._single
            return
        for start, stop in work_chunks(self._out[self._heads]):
            yield self._triangles_of(start, stop)

    def four_cliques(self, triangles: Triangles) -> Iterator[tuple[Ints, Ints]]:
        """Yields the 4-cliques above some triangles: positions of the triangles, and the highest nodes."""
        for start, stop in work_chunks(self._out[triangles.w]):
            index, edge = self._steps(triangles.w[start:stop])
            index += start
            top = self._heads[edge]
            closed = (self._edge(triangles.u[index], top) >= 0) & (self._edge(triangles.v[index], top) >= 0)
            yield index[closed], top[closed]

    def clique_work(self, triangles: Triangles) -> int:
        """Returns the number of candidates that `four_cliques` looks at."""
        return int(self._out[triangles.w].sum())

    @cached_property
    def _single(self) -> Triangles | None:
        """All triangles, where they make one part."""
        parts = list(work_chunks(self._out[self._heads]))
        return self._triangles_of(0, len(self._heads)) if len(parts) <= 1 else None

    def _triangles_of(self, start: int, stop: int) -> Triangles:
        uv, vw = self._steps(self._heads[start:stop])
        uv += start
        u, w = self._tails[uv], self._heads[vw]
        uw = self._edge(u, w)
        closed = np.flatnonzero(uw >= 0)
        uv, vw, uw = uv[closed], vw[closed], uw[closed]
        return Triangles(u[closed], self._heads[uv], w[closed], uv, vw, uw)

    def _steps(self, nodes: Ints) -> tuple[Ints, Ints]:
        """Returns all edges out of some nodes: positions in `nodes`, and positions of edges."""
        counts = self._out[nodes]
        index = np.repeat(np.arange(len(nodes)), counts)
        before = np.cumsum(counts) - counts
        return index, np.arange(len(index)) + (self._starts[nodes] - before)[index]

    def _edge(self, tails: Ints, heads: Ints) -> Ints:
        """Returns the position of the edge between nodes of one graph, or -1."""
        if self._table is not None:
            rows, table = self._table
            return table[rows[tails] + heads].astype(np.int64)
        keys = tails * len(self._out) + heads
        position = np.minimum(np.searchsorted(self._keys, keys), max(len(self._keys) - 1, 0))
        return np.where(self._keys[position] == keys, position, -1)

    @cached_property
    def _keys(self) -> Ints:
        return self._tails * len(self._out) + self._heads

    @cached_property
    def _table(self) -> tuple[Ints, NDArray[np.int32]] | None:
        """Where each node's row of the table begins, less its graph's first node, and the positions of edges."""
        sizes = self._sizes
        entries = int((sizes**2).sum())
        if entries > _TABLE_ENTRIES:
            return None
        before = np.cumsum(sizes**2) - sizes**2
        owner = np.repeat(np.arange(len(sizes)), sizes)
        first = np.cumsum(sizes) - sizes
        local = np.arange(len(owner)) - first[owner]
        rows = before[owner] + local * sizes[owner] - first[owner]
        table = np.full(entries, -1, dtype=np.int32)  # half the memory of int64 stays in cache
        table[rows[self._tails] + self._heads] = np.arange(len(self._heads))
        return rows, table
