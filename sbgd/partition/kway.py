"""Cuts of one graph into parts of like size: METIS, and halving by breadth-first search where METIS is absent."""

from __future__ import annotations

import math
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.partition.csr import Adjacency

# More parts than this are cut in two levels. On Barabasi-Albert graphs that is twice as fast at 3,000 parts, with 0.2 %
# more cut edges, and right at a million nodes, where one level, asked for 20,834 parts, left 6,500 of them empty.
MOST_PARTS_AT_ONCE = 1024

# Parts may exceed n / k by this share. METIS' own 3 % is less than one node of a part of 32 and cuts up to twice as
# many edges (spectre_sbm in parts of 32: 20 % cut, against 12 % with a fifth of slack).
SLACK = 0.2


def has_metis() -> bool:
    """Says whether pymetis is installed; it has no wheels for Windows."""
    return find_spec("pymetis") is not None


def metis_cut(adjacency: Adjacency, part_size: int, *, seed: int) -> NDArray[np.int64]:
    """Cuts a graph into ceil(n / part_size) parts by multilevel k-way partitioning, in two levels if they are many.

    Parts can come out empty, disconnected or larger than asked: by a fifth as a rule, by more now and then.

    Args:
        adjacency: The graph, of any number of components.
        part_size: Wanted nodes a part, at least 1.
        seed: Any integer.

    Returns:
        int64 (n,): the part of every node.

    Raises:
        InputError: pymetis is not installed.

    References:
        Karypis and Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs", SIAM
        Journal on Scientific Computing 20(1), 1998.
    """
    num_parts = -(-adjacency.num_nodes // part_size)
    if num_parts <= MOST_PARTS_AT_ONCE:
        return _metis(adjacency, num_parts, seed)
    outer = _metis(adjacency, math.isqrt(num_parts), seed)
    labels = np.empty(adjacency.num_nodes, np.int64)
    used = 0
    for nodes, inside in adjacency.subgraphs(outer):
        if len(nodes) == adjacency.num_nodes:  # nothing was cut: recursion would not end
            return _metis(adjacency, num_parts, seed)
        inner = metis_cut(inside, part_size, seed=seed)
        labels[nodes] = used + inner
        used += int(inner.max()) + 1
    return labels


def _metis(adjacency: Adjacency, num_parts: int, seed: int) -> NDArray[np.int64]:
    if not has_metis():
        raise InputError("expected pymetis to be installed, got none; install it or use LouvainPartitioner instead")
    if num_parts <= 1 or num_parts >= adjacency.num_nodes or len(adjacency.neighbours) == 0:
        return np.arange(adjacency.num_nodes) * max(num_parts, 1) // max(adjacency.num_nodes, 1)
    import pymetis

    # METIS itself starts from a fixed seed wherever a graph is too small to be coarsened: shuffle the nodes as well.
    order = np.random.default_rng(seed % 2**32).permutation(adjacency.num_nodes)
    shuffled = adjacency.reordered(order)
    options = pymetis.Options(seed=seed % (2**31 - 1), ufactor=round(1000 * SLACK))
    lists = pymetis.CSRAdjacency(shuffled.starts, shuffled.neighbours)
    labels = np.empty(adjacency.num_nodes, np.int64)
    labels[order] = pymetis.part_graph(num_parts, lists, options=options, recursive=False).vertex_part
    return labels


def breadth_first_halves(adjacency: Adjacency) -> NDArray[np.int64]:
    """Cuts a graph in two halves: the nodes nearest to a far end of it, component by component, and the others.

    Returns:
        int64 (n,): 0 or 1, with ceil(n / 2) zeros.
    """
    order: list[NDArray[np.int64]] = []
    seen = np.zeros(adjacency.num_nodes, bool)
    while not seen.all():
        far_end = adjacency.breadth_first_order(int(np.argmin(seen)))[-1]
        order.append(adjacency.breadth_first_order(int(far_end)))
        seen[order[-1]] = True
    labels = np.zeros(adjacency.num_nodes, np.int64)
    labels[np.concatenate(order)[(adjacency.num_nodes + 1) // 2 :]] = 1
    return labels
