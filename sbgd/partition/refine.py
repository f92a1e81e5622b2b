"""The last step of every partitioner: blocks of bounded size, connected on request, and few small ones.

Partitioners of the METIS and Louvain families promise neither. Three rules are applied in turn: a disconnected block
becomes its components; a block over the limit is cut until it is not; a small block joins the neighbour block with
which it shares most edges, as far as the limit allows. All but the second are vectorised over blocks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbgd.partition.csr import Adjacency
from sbgd.partition.kway import SLACK, breadth_first_halves, has_metis, metis_cut

Ints = NDArray[np.int64]


def refine(
    adjacency: Adjacency, labels: Ints, *, size_limit: int, connected: bool, merge_below: int, seed: int
) -> Ints:
    """Enforces the size limit, and connectivity on request, changing the given blocks as little as that takes.

    Args:
        adjacency: The graph, n nodes.
        labels: int64 (n,): the block of every node.
        size_limit: Most nodes a block may have, at least 1.
        connected: Whether every block must be connected.
        merge_below: Blocks with fewer nodes than this are merged into a neighbour where one has room. Those without
            such a neighbour stay: isolated nodes, small components, the leaves of a hub whose block is full.
        seed: Breaks ties.

    Returns:
        int64 (n,): labels 0 .. k-1 without gaps.
    """
    if connected:
        labels = adjacency.within(labels).components()
    labels = split_oversize(adjacency, labels, size_limit=size_limit, connected=connected, seed=seed)
    return merge_small(adjacency, labels, size_limit=size_limit, merge_below=merge_below, seed=seed)


def split_oversize(adjacency: Adjacency, labels: Ints, *, size_limit: int, connected: bool, seed: int) -> Ints:
    """Cuts every block of more than `size_limit` nodes, by METIS where it is installed, until none is left."""
    # METIS may return a part that is oversize again; halving always ends.
    by_metis = has_metis()
    labels = _without_gaps(labels)
    while True:
        oversize = np.bincount(labels, minlength=1) > size_limit
        if not oversize.any():
            return labels
        used = len(oversize)
        cut = labels.copy()
        for nodes, inside in adjacency.subgraphs(np.where(oversize[labels], labels, -1)):
            parts = metis_cut(inside, part_size(size_limit), seed=seed) if by_metis else breadth_first_halves(inside)
            if connected:
                parts = inside.within(parts).components()
            cut[nodes] = used + parts
            used += int(parts.max()) + 1
        by_metis, labels = False, _without_gaps(cut)


def part_size(size_limit: int) -> int:
    """Returns the size to ask of METIS so that the usual excess stays within the limit."""
    return int(np.ceil(size_limit / (1 + SLACK)))


def merge_small(adjacency: Adjacency, labels: Ints, *, size_limit: int, merge_below: int, seed: int) -> Ints:
    """Merges blocks of fewer than `merge_below` nodes into the neighbour block that shares most edges and has room.

    Rounds of simultaneous merges. A small block only joins a block that ranks higher in (size, random number), so
    choices form no cycle; it waits where its choice moves itself. Every round merges at least one block or is the last.
    """
    rng = np.random.default_rng(seed % 2**32)
    labels = _without_gaps(labels)
    sources, targets = adjacency.sources, adjacency.neighbours
    while True:
        sizes = np.bincount(labels)
        kept = (sizes < merge_below)[labels[sources]] & (labels[sources] != labels[targets])
        sources, targets = sources[kept], targets[kept]
        if len(sources) == 0:
            return labels
        movers, homes = _best_homes(labels[sources], labels[targets], sizes, size_limit, rng)
        moves = _moves_that_fit(movers, homes, sizes, size_limit)
        if not moves.any():
            return labels
        joined = np.arange(len(sizes))
        joined[movers[moves]] = homes[moves]
        labels = _without_gaps(joined[labels])


def _best_homes(own: Ints, other: Ints, sizes: Ints, size_limit: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Returns every block that can move and where to: most shared edges, then the smaller block."""
    keys, weights = np.unique(own * len(sizes) + other, return_counts=True)
    small, home = np.divmod(keys, len(sizes))
    rank = np.empty(len(sizes), np.int64)
    rank[np.lexsort((rng.permutation(len(sizes)), sizes))] = np.arange(len(sizes))
    allowed = (sizes[small] + sizes[home] <= size_limit) & (rank[small] < rank[home])
    small, home, weights = small[allowed], home[allowed], weights[allowed]
    order = np.lexsort((rank[home], -weights, small))
    movers, first = np.unique(small[order], return_index=True)
    return movers, home[order][first]


def _moves_that_fit(movers: Ints, homes: Ints, sizes: Ints, size_limit: int) -> NDArray[np.bool_]:
    """Says which moves go ahead: the home stays put, and all that join it, smallest first, keep to the limit."""
    moving = np.zeros(len(sizes), bool)
    moving[movers] = True
    order = np.lexsort((movers, sizes[movers], homes))
    total = np.cumsum(sizes[movers][order])
    home = homes[order]
    starts = np.flatnonzero(np.diff(home, prepend=-1))
    before = np.repeat((total - sizes[movers][order])[starts], np.diff(np.append(starts, len(home))))
    fits = np.empty(len(movers), bool)
    fits[order] = sizes[home] + total - before <= size_limit
    return fits & ~moving[homes]


def _without_gaps(labels: Ints) -> Ints:
    present = np.bincount(labels) > 0 if len(labels) else np.zeros(0, bool)
    return (np.cumsum(present) - 1)[labels]
