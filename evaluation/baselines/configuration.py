"""Configuration model: graphs with given degrees and nothing else, by degree-preserving swaps of edge pairs.

A swap turns edges ab, cd into ad, cb where that makes neither a loop nor a second edge (Maslov and Sneppen, 2002,
doi 10.1126/science.1065103). Many disjoint pairs are swapped at once; swaps that would collide are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.baselines.baseline import Templates
from sbgd.graph import Graph

Ints = NDArray[np.int64]

_MIXING_ROUNDS = 20
"""Rounds in which every edge is offered one swap; 10 swaps an edge forget where the chain began."""

_REPAIR_ROUNDS = 200


class ConfigurationModel:
    """Keeps every degree of a reference graph of the nearest size exactly.

    For another size degrees are drawn with replacement from that graph (one is lowered by 1 where their sum is odd)
    and their stubs matched at random; loops and double edges are swapped away, and those that survive, where the
    degrees allow no simple graph, are erased.

    Args:
        reference: Graphs to imitate.
    """

    name = "configuration"

    def __init__(self, reference: Sequence[Graph]) -> None:
        self._templates = Templates(reference)
        self._reference = reference

    def sample(self, num_nodes: int, generator: np.random.Generator) -> Graph:
        """Returns one graph with exactly `num_nodes` nodes."""
        template = self._reference[self._templates.nearest(num_nodes, generator)]
        if template.num_nodes == num_nodes:
            return Graph.from_edges(_mixed(template.edges, num_nodes, generator), num_nodes)
        degrees = _resampled_degrees(template.degrees, num_nodes, generator)
        return Graph.from_edges(_simple_matching(degrees, generator), num_nodes)


def _mixed(edges: Ints, num_nodes: int, generator: np.random.Generator) -> Ints:
    for _ in range(_MIXING_ROUNDS):
        order = generator.permutation(len(edges))
        half = len(edges) // 2
        edges = _swapped(edges, order[:half], order[half : 2 * half], num_nodes, generator)
    return edges


def _resampled_degrees(degrees: Ints, num_nodes: int, generator: np.random.Generator) -> Ints:
    drawn = np.minimum(generator.choice(degrees, size=num_nodes), max(num_nodes - 1, 0))
    if drawn.sum() % 2:
        drawn[generator.choice(np.flatnonzero(drawn % 2))] -= 1
    return drawn


def _simple_matching(degrees: Ints, generator: np.random.Generator) -> Ints:
    num_nodes = len(degrees)
    edges = generator.permutation(np.repeat(np.arange(num_nodes), degrees)).reshape(-1, 2)
    for _ in range(_REPAIR_ROUNDS):
        bad = _loops_and_repeats(edges, num_nodes)
        if not bad.any():
            return edges
        broken = np.flatnonzero(bad)
        partners = generator.permutation(np.flatnonzero(~bad))[: len(broken)]
        edges = _swapped(edges, broken[: len(partners)], partners, num_nodes, generator)
    return edges[~_loops_and_repeats(edges, num_nodes)]


def _swapped(edges: Ints, first: Ints, second: Ints, num_nodes: int, generator: np.random.Generator) -> Ints:
    """Swaps ends between edges `first[i]` and `second[i]`, all distinct, wherever the graph stays or becomes simple."""
    flip = generator.random(len(second)) < 0.5
    partner = np.where(flip[:, None], edges[second][:, ::-1], edges[second])
    ab_to_ad = np.stack([edges[first][:, 0], partner[:, 1]], axis=1)
    cd_to_cb = np.stack([partner[:, 0], edges[first][:, 1]], axis=1)
    keys = np.stack([_keys(ab_to_ad, num_nodes), _keys(cd_to_cb, num_nodes)])
    values, inverse, repeats = np.unique(keys, return_inverse=True, return_counts=True)
    taken = np.isin(values, _keys(edges, num_nodes)) | (repeats > 1)
    loops = (ab_to_ad[:, 0] == ab_to_ad[:, 1]) | (cd_to_cb[:, 0] == cd_to_cb[:, 1])
    accept = ~(taken[inverse.reshape(keys.shape)].any(axis=0) | loops)
    swapped = edges.copy()
    swapped[first[accept]] = ab_to_ad[accept]
    swapped[second[accept]] = cd_to_cb[accept]
    return swapped


def _keys(edges: Ints, num_nodes: int) -> Ints:
    return edges.min(axis=1) * num_nodes + edges.max(axis=1)


def _loops_and_repeats(edges: Ints, num_nodes: int) -> NDArray[np.bool_]:
    """Marks loops and all but the first copy of every edge, (M,)."""
    bad = np.ones(len(edges), dtype=np.bool_)
    bad[np.unique(_keys(edges, num_nodes), return_index=True)[1]] = False
    return bad | (edges[:, 0] == edges[:, 1])
