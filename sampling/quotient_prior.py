"""The law of quotients: training sizes resample a training quotient, other sizes grow or cut one.

A larger graph is an r-lift: r copies of a training quotient whose block edges are exchanged between copies with some
probability, which keeps the size of every block, its number of outer edges and most of the modularity. The wanted
number of nodes is met exactly by taking blocks off the last copy and resizing one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from sbgd.partition import Quotient

Ints = NDArray[np.int64]


class QuotientPrior:
    """Draws quotients of any number of nodes.

    Args:
        quotients: Training quotients, at least one.
        rewiring: Probability that a block edge of a lift is exchanged with its twin in another copy.
    """

    def __init__(self, quotients: Sequence[Quotient], *, rewiring: float = 0.2) -> None:
        self.quotients = list(quotients)
        self.rewiring = rewiring
        self.sizes = np.array([quotient.total_nodes for quotient in self.quotients], np.int64)

    def sample_all(self, sizes: Ints, seed: int) -> list[Quotient]:
        """Draws one quotient a size; training quotients are used again only when all of that size have been used.

        Args:
            sizes: int64 (g,) nodes of each graph, at least 1.
            seed: Seed of the draws.
        """
        used: Counter[tuple[int, int]] = Counter()
        drawn = []
        for graph, size in enumerate(sizes.tolist()):
            rng = np.random.default_rng([seed, 3, graph])
            exact = np.flatnonzero(self.sizes == size)
            if len(exact):
                # Two cuts of one graph have the same (N, M): drawing both would give the graph twice the weight.
                uses = np.array([used[self._key(index)] for index in exact.tolist()])
                chosen = int(rng.choice(exact[uses == uses.min()]))
                used[self._key(chosen)] += 1
                drawn.append(self.quotients[chosen])
            else:
                drawn.append(self._resized(size, rng))
        return drawn

    def _key(self, index: int) -> tuple[int, int]:
        return self.quotients[index].total_nodes, self.quotients[index].total_edges

    def _resized(self, num_nodes: int, rng: np.random.Generator) -> Quotient:
        """Draws a quotient of a size that no training graph has."""
        base = self.quotients[self._nearest(num_nodes, rng)]
        copies = -(-num_nodes // base.total_nodes)
        lifted = _lift(base, copies, self.rewiring, rng)
        room = num_nodes - (copies - 1) * base.total_nodes
        last = _connected_blocks(base, room, rng)
        kept = np.ones(lifted.num_blocks, bool)
        kept[(copies - 1) * base.num_blocks :] = False
        kept[(copies - 1) * base.num_blocks + last] = True
        surplus = int(lifted.num_nodes[kept].sum()) - num_nodes
        trimmed = _trim_block(lifted, (copies - 1) * base.num_blocks + int(last[-1]), surplus, rng)
        return _restrict(trimmed, kept, rng)

    def _nearest(self, num_nodes: int, rng: np.random.Generator) -> int:
        """Chooses a training graph at random among those that need the fewest copies and the least cutting."""
        waste = -(-num_nodes // self.sizes) * self.sizes - num_nodes
        copies = -(-num_nodes // self.sizes)
        fewest = np.flatnonzero(copies == copies.min())
        near = fewest[waste[fewest] <= waste[fewest].min() + 0.1 * num_nodes]
        return int(rng.choice(near))


def _lift(base: Quotient, copies: int, rewiring: float, rng: np.random.Generator) -> Quotient:
    """Returns `copies` copies of a quotient with block edges exchanged between copies with probability `rewiring`."""
    k, p = base.num_blocks, base.num_pairs
    left = np.tile(np.arange(copies), (p, 1))
    right = left.copy()
    for row in range(p if copies > 1 else 0):
        # Among the copies of one block edge, the chosen ones exchange their far ends: every block keeps its stubs.
        chosen = np.flatnonzero(rng.random(copies) < rewiring)
        right[row, chosen] = right[row, rng.permutation(chosen)]
    ends = np.stack([base.pairs[:, :1] + k * left, base.pairs[:, 1:] + k * right], axis=-1).reshape(-1, 2)
    pairs, counts = _merged(ends, np.repeat(base.pair_edges, copies))
    return Quotient(
        num_nodes=np.tile(base.num_nodes, copies),
        num_edges=np.tile(base.num_edges, copies),
        pairs=pairs,
        pair_edges=counts,
        inner_degree=np.tile(base.inner_degree, copies),
        outer_degree=np.tile(base.outer_degree, copies),
    )


def _connected_blocks(base: Quotient, num_nodes: int, rng: np.random.Generator) -> Ints:
    """Returns blocks in breadth-first order from a random one until they hold `num_nodes` nodes."""
    k = base.num_blocks
    ends = np.concatenate([base.pairs, base.pairs[:, ::-1]])
    links = sparse.csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(k, k))
    order: list[int] = []
    for start in rng.permutation(k).tolist():
        if start not in order:
            order.extend(csgraph.breadth_first_order(links, start, directed=False, return_predecessors=False).tolist())
    blocks = np.array(order, np.int64)
    reached = np.cumsum(base.num_nodes[blocks])
    return blocks[: int(np.searchsorted(reached, num_nodes)) + 1]


def _trim_block(quotient: Quotient, block: int, surplus: int, rng: np.random.Generator) -> Quotient:
    """Takes `surplus` nodes off a block, its edges in proportion; pairs keep their counts."""
    if surplus == 0:
        return quotient
    first, last = quotient.offsets[block], quotient.offsets[block + 1]
    size = int(last - first)
    wanted = size - surplus
    gone = first + rng.choice(size, surplus, replace=False)
    edges = min(round(int(quotient.num_edges[block]) * wanted / size), wanted * (wanted - 1) // 2)
    inner = np.delete(quotient.inner_degree, gone)
    outer = np.delete(quotient.outer_degree, gone)
    here = slice(int(first), int(last) - surplus)
    inner[here] = _with_sum(np.minimum(inner[here], wanted - 1), 2 * edges, wanted - 1, rng)
    outer[here] = _with_sum(outer[here], int(quotient.outer_degree[first:last].sum()), None, rng)
    return replace(
        quotient,
        num_nodes=_changed(quotient.num_nodes, block, wanted),
        num_edges=_changed(quotient.num_edges, block, edges),
        inner_degree=inner,
        outer_degree=outer,
    )


def _restrict(quotient: Quotient, kept: NDArray[np.bool_], rng: np.random.Generator) -> Quotient:
    """Drops blocks; stubs that lose their far end are joined at random, an odd one or one without a partner is lost."""
    room = quotient.num_nodes[quotient.pairs].prod(axis=1)
    if kept.all() and (quotient.pair_edges <= room).all():
        return quotient
    number = np.cumsum(kept) - 1
    inside = kept[quotient.pairs].all(axis=1)
    cut = kept[quotient.pairs].any(axis=1) & ~inside
    near = quotient.pairs[cut][kept[quotient.pairs[cut]]]
    orphans = rng.permutation(np.repeat(number[near], quotient.pair_edges[cut]))
    ends = orphans[: len(orphans) // 2 * 2].reshape(-1, 2)
    joined = ends[:, 0] != ends[:, 1]
    nodes = np.repeat(kept, quotient.num_nodes)
    pairs, counts = _merged(
        np.concatenate([number[quotient.pairs[inside]], ends[joined]]),
        np.concatenate([quotient.pair_edges[inside], np.ones(int(joined.sum()), np.int64)]),
    )
    sizes = quotient.num_nodes[kept]
    counts = np.minimum(counts, sizes[pairs].prod(axis=1))
    restricted = Quotient(
        num_nodes=sizes,
        num_edges=quotient.num_edges[kept],
        pairs=pairs,
        pair_edges=counts,
        inner_degree=quotient.inner_degree[nodes],
        outer_degree=quotient.outer_degree[nodes].copy(),
    )
    leaving = np.bincount(pairs.ravel(), np.repeat(counts, 2), len(sizes)).astype(np.int64)
    for block, (low, high) in enumerate(pairwise(restricted.offsets.tolist())):
        outer = restricted.outer_degree[low:high]
        if outer.sum() != leaving[block]:
            restricted.outer_degree[low:high] = _with_sum(outer, int(leaving[block]), None, rng)
    return restricted


def _with_sum(degrees: Ints, total: int, bound: int | None, rng: np.random.Generator) -> Ints:
    """Adds or removes single stubs at random nodes, in proportion to their degrees, until they sum to `total`."""
    degrees = degrees.copy()
    while degrees.sum() > total:
        degrees[rng.choice(len(degrees), p=degrees / degrees.sum())] -= 1
    while degrees.sum() < total:
        free = degrees + 1.0 if bound is None else (degrees + 1.0) * (degrees < bound)
        degrees[rng.choice(len(degrees), p=free / free.sum())] += 1
    return degrees


def _merged(ends: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Sorts pairs of blocks and adds the counts of equal ones."""
    if not len(ends):
        return np.zeros((0, 2), np.int64), np.zeros(0, np.int64)
    pairs, inverse = np.unique(np.sort(ends, axis=1), axis=0, return_inverse=True)
    return pairs.astype(np.int64), np.bincount(inverse.ravel(), counts, len(pairs)).astype(np.int64)


def _changed(values: Ints, index: int, value: int) -> Ints:
    values = values.copy()
    values[index] = value
    return values
