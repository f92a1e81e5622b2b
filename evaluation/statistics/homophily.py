"""How often nodes of one class are neighbours, at one and at two steps.

Edge homophily is the share of edges within a class; it is high already where one class is large. The class-insensitive
homophily is 1 / (C - 1) sum_k max(0, h_k - N_k / N) with h_k the share of the neighbours of class k's nodes that are in
class k, and is 0 for a graph whose edges ignore the classes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sbgd.evaluation.statistics.measurement import Measurement, jackknife, undefined
from sbgd.evaluation.triangles import adjacency, product_rows
from sbgd.graph import Graph

Ints = NDArray[np.int64]

MAX_WALK_WORK = 100_000_000
"""Paths of two edges above which neighbours at two steps are looked up for random nodes only."""

_BATCHES = 16
_MIN_BATCH = 64


def edge_homophily(graph: Graph) -> Measurement:
    """Returns the share of edges whose ends have one label."""
    if graph.labels is None:
        return undefined("the graph has no labels")
    if graph.num_edges == 0:
        return undefined("the graph has no edges")
    ends = graph.labels[graph.edges]
    return Measurement(float((ends[:, 0] == ends[:, 1]).mean()))


def label_assortativity(graph: Graph) -> Measurement:
    """Returns (e - a) / (1 - a), e the share of edges within a class and a what it is for ends paired at random.

    References:
        Newman, 2003, "Mixing patterns in networks", arXiv:cond-mat/0209450, eq. 2.
    """
    within = edge_homophily(graph)
    if within.value is None or graph.labels is None:
        return within
    ends = np.unique(graph.labels[graph.edges], return_counts=True)[1] / (2 * graph.num_edges)
    by_chance = float(ends @ ends)
    if len(ends) == 1:
        return undefined("all edges are within one class")
    return Measurement((within.value - by_chance) / (1 - by_chance))


def class_homophily(graph: Graph) -> Measurement:
    """Returns the class-insensitive homophily of neighbours; classes without an edge contribute 0.

    References:
        Lim et al., 2021, "Large scale learning on non-homophilous graphs", arXiv:2110.14446, eq. 2.
    """
    reason = _unfit(graph)
    if reason is not None or graph.labels is None:
        return undefined(reason or "")
    classes, sizes = _classes(graph.labels)
    ends = classes[graph.edges]
    neighbours = np.bincount(ends.ravel(), minlength=len(sizes))
    same = 2 * np.bincount(ends[ends[:, 0] == ends[:, 1], 0], minlength=len(sizes))
    return Measurement(_class_insensitive(np.stack([neighbours, same], axis=1), sizes))


def class_homophily_2hop(
    graph: Graph,
    *,
    with_self: bool = False,
    max_work: int = MAX_WALK_WORK,
    generator: np.random.Generator | None = None,
) -> Measurement:
    """Returns the class-insensitive homophily of nodes joined by a path of two edges.

    Above `max_work` such paths random nodes are looked up, and the spread is the standard error.

    Args:
        graph: Graph with labels.
        with_self: Whether a node with an edge counts as its own neighbour, as in the square of the adjacency.
        max_work: Paths of two edges that are followed, in about as many steps.
        generator: Source of randomness for the nodes; seed 0 by default.
    """
    reason = _unfit(graph)
    if reason is not None or graph.labels is None:
        return undefined(reason or "")
    classes, sizes = _classes(graph.labels)
    work = int((graph.degrees**2).sum())
    if work <= max_work:
        return Measurement(_class_insensitive(_two_hop(graph, np.arange(graph.num_nodes), classes, with_self), sizes))
    per_batch = max(max_work * graph.num_nodes // work // _BATCHES, _MIN_BATCH)
    sampled = (generator or np.random.default_rng(0)).permutation(graph.num_nodes)[: _BATCHES * per_batch]
    batches = [_two_hop(graph, nodes, classes, with_self) for nodes in np.array_split(sampled, _BATCHES)]
    return jackknife(np.stack(batches), lambda counts: _class_insensitive(counts, sizes))


def _unfit(graph: Graph) -> str | None:
    if graph.labels is None:
        return "the graph has no labels"
    if graph.num_edges == 0:
        return "the graph has no edges"
    return "all labels are equal" if graph.labels.min() == graph.labels.max() else None


def _classes(labels: Ints) -> tuple[Ints, Ints]:
    """Returns the class of every node numbered from 0, (N,), and the size of every class, (C,)."""
    _, classes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    return classes.astype(np.int64), sizes.astype(np.int64)


def _two_hop(graph: Graph, nodes: Ints, classes: Ints, with_self: bool) -> Ints:
    """Returns neighbours at two steps, and those of the same class, of the nodes of every class, int64 (C, 2)."""
    A = adjacency(graph)
    counts = np.zeros((int(classes.max()) + 1, 2), dtype=np.int64)
    for start, stop, paths in product_rows(sparse.csr_array(A[nodes]), A):
        rows = np.repeat(nodes[start:stop], np.diff(paths.indptr))
        kept = np.full(len(rows), True) if with_self else rows != paths.indices
        kind = classes[rows[kept]]
        same = kind == classes[paths.indices[kept]]
        counts[:, 0] += np.bincount(kind, minlength=len(counts))
        counts[:, 1] += np.bincount(kind[same], minlength=len(counts))
    return counts


def _class_insensitive(counts: Ints, sizes: Ints) -> float:
    """Returns the homophily from neighbours and those of the same class, (C, 2), and sizes (C,)."""
    share = counts[:, 1] / np.maximum(counts[:, 0], 1)
    return float(np.maximum(share - sizes / sizes.sum(), 0).sum() / (len(sizes) - 1))
