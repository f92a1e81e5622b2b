"""Finds the blocks of a planted partition with known densities, by the same steps for the same graph.

The log likelihood ratio of an assignment z against one without blocks is

    sum over pairs inside blocks of (a A_uv - b),   a = log(p (1 - q) / (q (1 - p))),   b = log((1 - q) / (1 - p)),

p and q being the densities inside and between blocks. For every number of blocks it is climbed from a spectral
clustering by moving one node at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.graph_set import laplacian_eigensystem
from sbgd.graph import Graph

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SWEEPS = 20
_SURE = np.log(100.0)


@dataclass(frozen=True, eq=False)
class PlantedPartition:
    """Blocks of a graph.

    Attributes:
        assignment: Block of every node, int64 (N,) from 0.
        num_blocks: Number of blocks k, none empty.
        num_unsure: For each block, how many nodes could belong to it or elsewhere at odds below 100 to 1, (k,).
    """

    assignment: Ints
    num_blocks: int
    num_unsure: Ints

    @property
    def sizes(self) -> Ints:
        """Number of nodes of every block, (k,)."""
        return np.bincount(self.assignment, minlength=self.num_blocks)

    def edge_counts(self, graph: Graph) -> Ints:
        """Returns the edges inside blocks on the diagonal and between them off it, symmetric, (k, k)."""
        low, high = np.sort(self.assignment[graph.edges], axis=1).T
        counts = np.zeros((self.num_blocks, self.num_blocks), dtype=np.int64)
        np.add.at(counts, (low, high), 1)
        return counts + np.triu(counts, 1).T


def planted_partition(
    graph: Graph, numbers: range, *, inner: float, outer: float, smallest: int = 1
) -> PlantedPartition:
    """Returns the most likely assignment over some numbers of blocks.

    Args:
        graph: Graph of N >= 1 nodes.
        numbers: Numbers of blocks to try; those above N are left out.
        inner: Density inside blocks.
        outer: Density between blocks, below `inner`.
        smallest: Blocks with fewer nodes are dissolved: a node with few edges would be likelier alone, which a model
            with large blocks rules out.
    """
    edge = np.log(inner * (1 - outer) / (outer * (1 - inner)))
    pair = np.log((1 - outer) / (1 - inner))
    A = graph.to_scipy().toarray().astype(np.float64)
    _, vectors = laplacian_eigensystem(graph)
    starts = (_clustered(vectors[:, :k], k) for k in numbers if k <= graph.num_nodes)
    found = [_without_small(A, _climbed(A, start, edge, pair), edge, pair, smallest) for start in starts]
    assignment = max(found, key=lambda z: _log_ratio(A, z, edge, pair))
    return _partition(A, assignment, edge, pair)


def _clustered(points: Floats, k: int) -> Ints:
    """Clusters rows by k-means from centres that are farthest apart, which needs no random numbers."""
    norms = np.linalg.norm(points, axis=1, keepdims=True)
    points = points / np.where(norms > 0, norms, 1)
    centres = points[[int(np.argmax(norms))]]
    while len(centres) < k:
        gaps = ((points[:, None] - centres[None]) ** 2).sum(axis=2).min(axis=1)
        centres = np.concatenate([centres, points[[int(np.argmax(gaps))]]])
    assignment = np.zeros(len(points), dtype=np.int64)
    for _ in range(_SWEEPS):
        nearest = ((points[:, None] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)
        if np.array_equal(nearest, assignment):
            break
        assignment = nearest
        kept = np.unique(assignment)
        centres = np.stack([points[assignment == block].mean(axis=0) for block in kept])
        assignment = np.searchsorted(kept, assignment)
    return assignment


def _climbed(A: Floats, assignment: Ints, edge: float, pair: float) -> Ints:
    """Moves the node whose move gains most until none gains; blocks may become empty."""
    z = assignment.copy()
    nodes = np.arange(len(z))
    for _ in range(_SWEEPS * len(z)):
        gains = _attraction(A, z, edge, pair)
        gains = gains - gains[nodes, z][:, None]
        node, block = np.unravel_index(int(np.argmax(gains)), gains.shape)
        if gains[node, block] <= 1e-9:
            break
        z[node] = block
    return np.unique(z, return_inverse=True)[1].astype(np.int64)


def _without_small(A: Floats, z: Ints, edge: float, pair: float, smallest: int) -> Ints:
    """Moves the nodes of the smallest block to where they are likeliest, until no block is too small."""
    while True:
        sizes = np.bincount(z)
        block = int(np.argmin(sizes))
        if sizes[block] >= smallest or len(sizes) == 1:
            return z
        attraction = _attraction(A, z, edge, pair)
        attraction[:, block] = -np.inf
        z = np.where(z == block, attraction.argmax(axis=1), z)
        z = _climbed(A, np.unique(z, return_inverse=True)[1].astype(np.int64), edge, pair)


def _attraction(A: Floats, z: Ints, edge: float, pair: float) -> Floats:
    """Returns the log ratio that every node adds in every block, itself not counted, (N, k)."""
    members = np.eye(int(z.max(initial=0)) + 1)[z]
    return edge * (A @ members) - pair * (members.sum(axis=0) - members)


def _log_ratio(A: Floats, z: Ints, edge: float, pair: float) -> float:
    return float(_attraction(A, z, edge, pair)[np.arange(len(z)), z].sum() / 2)


def _partition(A: Floats, z: Ints, edge: float, pair: float) -> PlantedPartition:
    attraction = _attraction(A, z, edge, pair)
    own = attraction[np.arange(len(z)), z][:, None]
    close = np.abs(attraction - own) < _SURE
    unsure = close.sum(axis=1) > 1
    return PlantedPartition(z, attraction.shape[1], (close & unsure[:, None]).sum(axis=0))
