"""Random simple graphs with a given degree sequence: regular and power-law ones of the same mean degree; unions.

Stubs are paired at random (configuration model, Molloy & Reed 1995), then every self-loop and repeated edge swaps an
end with a random other edge until none is left, so that degrees are kept exactly. The law is close to, but not
exactly, uniform over simple graphs.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from sbgd.errors import InputError
from sbgd.graph import Graph

Degrees = NDArray[np.int64]
MAX_ROUNDS = 2000


def regular_graph(num_nodes: int, degree: int, *, rng: np.random.Generator) -> Graph:
    """Draws a graph in which every node has the same degree.

    Raises:
        InputError: No such graph exists: `num_nodes * degree` is odd or the degree is not below `num_nodes`.
    """
    if not 0 <= degree < num_nodes or num_nodes * degree % 2:
        raise InputError(
            f"expected 0 <= degree < num_nodes with an even product, got degree {degree} and {num_nodes} nodes"
        )
    return graph_of_degrees(np.full(num_nodes, degree, np.int64), rng=rng)


def power_law_graph(num_nodes: int, mean_degree: float, exponent: float = 2.5, *, rng: np.random.Generator) -> Graph:
    """Draws a graph whose degrees follow P(d) ~ d^-exponent between a fitted least degree and sqrt(mean_degree N).

    The upper end is the structural cutoff below which simple graphs are uncorrelated (Boguna, Pastor-Satorras &
    Vespignani 2004). The sum of degrees is `mean_degree * num_nodes`, rounded to an even number.

    Raises:
        InputError: The exponent is not above 1, or the mean degree is not between 1 and (N - 1) / 2.
    """
    return graph_of_degrees(power_law_degrees(num_nodes, mean_degree, exponent, rng=rng), rng=rng)


def power_law_degrees(num_nodes: int, mean_degree: float, exponent: float, *, rng: np.random.Generator) -> Degrees:
    """Draws the degrees of `power_law_graph`, int64 (N,)."""
    if exponent <= 1:
        raise InputError(f"expected an exponent above 1, got {exponent}")
    if not 1 <= mean_degree <= (num_nodes - 1) / 2:
        raise InputError(f"expected a mean degree in 1..{(num_nodes - 1) / 2:g}, got {mean_degree}")
    largest = max(float(np.sqrt(mean_degree * num_nodes)), mean_degree + 1)
    # stratified draws: the mean of a heavy tail would otherwise vary from graph to graph
    ranks = (np.arange(num_nodes) + rng.random(num_nodes)) / num_nodes
    least = _least_degree(ranks, mean_degree, exponent, largest)
    wanted = _quantiles(ranks, least, largest, exponent)
    degrees = np.maximum(np.floor(wanted + rng.random(num_nodes)), 1).astype(np.int64)
    return _with_sum(degrees, 2 * round(mean_degree * num_nodes / 2), int(largest), rng)


def graph_of_degrees(degrees: Degrees, *, rng: np.random.Generator) -> Graph:
    """Draws a simple graph with exactly these degrees.

    Raises:
        InputError: The sum is odd, or no simple graph was found, as where a few degrees are close to N.
    """
    if degrees.sum() % 2:
        raise InputError(f"expected degrees with an even sum, got {degrees.sum()}")
    edges = rng.permutation(np.repeat(np.arange(len(degrees)), degrees)).reshape(-1, 2)
    for _ in range(MAX_ROUNDS):
        bad = np.flatnonzero(_is_bad(edges, len(degrees)))
        if not len(bad):
            return Graph.from_edges(edges, len(degrees))
        _swap_ends(edges, bad, rng)
    raise InputError(f"expected degrees of a simple graph, got none in {MAX_ROUNDS} rounds; lower the largest degrees")


def disjoint_union(graphs: Iterable[Graph]) -> Graph:
    """Returns one graph of all nodes side by side; its spectrum is the union of the spectra.

    Features are kept if all graphs have them; labels and ids are not.

    Raises:
        InputError: There is no graph, or features differ in width.
    """
    parts = tuple(graphs)
    if not parts:
        raise InputError("expected at least one graph, got none")
    starts = np.cumsum([0, *(part.num_nodes for part in parts)])
    edges = np.concatenate([part.edges + start for part, start in zip(parts, starts[:-1], strict=True)])
    widths = {part.num_features for part in parts}
    if len(widths) > 1:
        raise InputError(f"expected graphs with equally many feature columns, got {sorted(widths)}")
    features = [part.features for part in parts if part.features is not None]
    joined = np.concatenate(features) if len(features) == len(parts) else None
    return Graph.from_edges(edges, int(starts[-1]), features=joined)


def _is_bad(edges: NDArray[np.int64], num_nodes: int) -> NDArray[np.bool_]:
    keys = edges.min(axis=1) * num_nodes + edges.max(axis=1)
    repeated = np.ones(len(keys), np.bool_)
    repeated[np.unique(keys, return_index=True)[1]] = False
    return repeated | (edges[:, 0] == edges[:, 1])


def _swap_ends(edges: NDArray[np.int64], bad: NDArray[np.int64], rng: np.random.Generator) -> None:
    partners = rng.integers(len(edges), size=len(bad))
    # one after the other: two bad edges may draw the same partner
    for edge, partner in zip(bad.tolist(), partners.tolist(), strict=True):
        edges[edge, 1], edges[partner, 1] = edges[partner, 1], edges[edge, 1]


def _least_degree(ranks: NDArray[np.float64], mean_degree: float, exponent: float, largest: float) -> float:
    def excess(least: float) -> float:
        return float(_quantiles(ranks, least, largest, exponent).mean()) - mean_degree

    return float(brentq(excess, 1e-3 * mean_degree, largest))


def _quantiles(ranks: NDArray[np.float64], least: float, largest: float, exponent: float) -> NDArray[np.float64]:
    power = 1 - exponent
    return np.asarray((least**power + ranks * (largest**power - least**power)) ** (1 / power), np.float64)


def _with_sum(degrees: Degrees, total: int, largest: int, rng: np.random.Generator) -> Degrees:
    """Adds or takes 1 at random nodes until the sum fits."""
    while missing := total - int(degrees.sum()):
        free = np.flatnonzero(degrees < largest if missing > 0 else degrees > 1)
        chosen = rng.permutation(free)[: abs(missing)]
        degrees[chosen] += np.sign(missing)
    return degrees
