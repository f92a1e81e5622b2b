"""Where to draw nodes: forces between all nodes and along edges, with blocks placed first.

Nodes repel each other as l^2 / d at distance d and edges pull as d^2 / l, l the ideal length; a weak pull to the
centre keeps components together. The same graph, blocks and seed give the same places.

References:
    Fruchterman and Reingold, 1991, "Graph drawing by force-directed placement", doi 10.1002/spe.4380211102.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.report.cut_graph import CutGraph

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_GRAVITY = 2.5
_ROWS = 1_000_000
"""Pairs of nodes whose forces are in memory at once."""
_MAX_PLACED_BLOCKS = 200


def block_layout(cut: CutGraph, *, seed: int = 0) -> Floats:
    """Places the blocks of a graph by the edges between them.

    Returns:
        Places in the square from -1 to 1, float64 (k, 2).
    """
    pairs, between = cut.counts.pairs, cut.counts.between
    outer = np.bincount(pairs.ravel(), np.repeat(between, 2), cut.num_blocks)
    # all pulls on a block sum to about the same, else blocks with many neighbours end up on one spot
    pulls = 3 * between / np.sqrt(outer[pairs].prod(axis=1))
    return force_layout(cut.num_blocks, pairs, weights=pulls, seed=seed)


def node_layout(cut: CutGraph, *, seed: int = 0) -> Floats:
    """Places the nodes of a graph, starting around the places of their blocks.

    Returns:
        Places in the square from -1 to 1, float64 (N, 2).
    """
    rng = np.random.default_rng([seed, 1])
    start = rng.uniform(-1.0, 1.0, (cut.graph.num_nodes, 2))
    if 1 < cut.num_blocks <= _MAX_PLACED_BLOCKS:
        start = 0.25 * start + block_layout(cut, seed=seed)[cut.blocks]
    return force_layout(cut.graph.num_nodes, cut.graph.edges, start=start, seed=seed)


def force_layout(
    num_nodes: int, edges: Ints, *, weights: Floats | None = None, start: Floats | None = None, seed: int = 0
) -> Floats:
    """Returns places in the square from -1 to 1, float64 (N, 2).

    Args:
        num_nodes: Number of nodes N; time grows with its square.
        edges: Edges (M, 2).
        weights: Pull of every edge, (M,); 1 by default.
        start: First places (N, 2); random by default.
        seed: Of random places.
    """
    if num_nodes < 2:
        return np.zeros((num_nodes, 2))
    rng = np.random.default_rng([seed, 2])
    at = (rng.uniform(-1.0, 1.0, (num_nodes, 2)) if start is None else start).astype(np.float32)
    length = np.float32(2.0 / np.sqrt(num_nodes))
    pulls = np.ones(len(edges), np.float32) if weights is None else weights.astype(np.float32)
    steps = int(np.clip(60_000 / num_nodes, 60, 300))
    for step in np.linspace(0.12, 0.002, steps).astype(np.float32).tolist():
        force = _repulsion(at, length) + _attraction(at, edges, pulls, length) - _GRAVITY * at
        size = np.linalg.norm(force, axis=1, keepdims=True)
        at += force / np.maximum(size, 1e-9) * np.minimum(size * length, step)
    return _fitted(at.astype(np.float64))


def _repulsion(at: NDArray[np.float32], length: np.float32) -> NDArray[np.float32]:
    """Returns sum_v l^2 (x_u - x_v) / |x_u - x_v|^2 over l, in blocks of rows so that memory stays small."""
    force = np.empty_like(at)
    rows = max(_ROWS // len(at), 1)
    squares = (at**2).sum(axis=1)
    for first in range(0, len(at), rows):
        here = at[first : first + rows]
        distance = squares[first : first + rows, None] + squares - 2 * here @ at.T
        strength = length / np.maximum(distance, 1e-4 * length**2)
        force[first : first + rows] = here * strength.sum(axis=1, keepdims=True) - strength @ at
    return force


def _attraction(
    at: NDArray[np.float32], edges: Ints, pulls: NDArray[np.float32], length: np.float32
) -> NDArray[np.float32]:
    """Returns sum over edges of w |d| d / l^2."""
    difference = at[edges[:, 1]] - at[edges[:, 0]]
    pull = difference * (pulls * np.linalg.norm(difference, axis=1) / length**2)[:, None]
    force = [
        np.bincount(edges[:, 0], pull[:, axis], len(at)) - np.bincount(edges[:, 1], pull[:, axis], len(at))
        for axis in (0, 1)
    ]
    return np.stack(force, axis=1).astype(np.float32)


def _fitted(at: Floats) -> Floats:
    """Returns places turned so that they spread most from left to right, centred, the farthest at 1."""
    centred = at - at.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    turned = centred @ axes.T
    # the sign of an axis is arbitrary: the heavier side goes right and up
    turned *= np.where((turned**3).sum(axis=0) < 0, -1.0, 1.0)
    turned -= (turned.max(axis=0) + turned.min(axis=0)) / 2
    return np.asarray(turned / max(float(np.abs(turned).max()), 1e-9))
