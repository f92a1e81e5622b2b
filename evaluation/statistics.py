"""Statistics of single graphs, and their means over sets of graphs; sparse throughout.

Every statistic is a `Measurement`: a value, or None with the reason why it is undefined or was skipped, never NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from sbgd.evaluation.kernels import total_variation
from sbgd.evaluation.paths import largest_component, mean_path_length
from sbgd.evaluation.triangles import triangles_per_node
from sbgd.graph import Graph

STATISTICS = (
    "mean_degree",
    "max_degree",
    "isolated_share",
    "triangles",
    "clustering",
    "transitivity",
    "assortativity",
    "power_law_exponent",
    "mean_path_length",
    "largest_component_share",
    "modularity",
    "degree_tv",
)
"""All names, in the order of reports; `degree_tv` compares two sets, the others describe one graph."""

POWER_LAW_XMIN = 3
MAX_MODULARITY_NODES = 50_000


@dataclass(frozen=True)
class Measurement:
    """One number that may be missing.

    Attributes:
        value: The number; None where it is undefined or skipped.
        spread: Standard deviation over the graphs of a set; for one graph the standard error of a sampled estimate.
        reason: Why the value, or a part of it, is missing.
    """

    value: float | None
    spread: float | None = None
    reason: str | None = None


def graph_statistics(graph: Graph, *, seed: int = 0) -> dict[str, Measurement]:
    """Measures one graph.

    Args:
        graph: Graph of N nodes.
        seed: Seed of the sampled path length, used above 5000 nodes in the largest component.

    Returns:
        Measurements by name, all of `STATISTICS` but `degree_tv`.
    """
    if graph.num_nodes == 0:
        return {name: Measurement(None, reason="the graph has no nodes") for name in STATISTICS if name != "degree_tv"}
    degrees, triangles = graph.degrees, triangles_per_node(graph)
    component = largest_component(graph)
    return {
        "mean_degree": Measurement(float(degrees.mean())),
        "max_degree": Measurement(float(degrees.max())),
        "isolated_share": Measurement(float((degrees == 0).mean())),
        "triangles": Measurement(float(triangles.sum() // 3)),
        "clustering": Measurement(float((2 * triangles / np.maximum(degrees * (degrees - 1), 1)).mean())),
        "transitivity": _transitivity(degrees, triangles),
        "assortativity": _assortativity(graph),
        "power_law_exponent": power_law_exponent(degrees),
        "mean_path_length": _mean_path_length(graph, component, seed),
        "largest_component_share": Measurement(len(component) / graph.num_nodes),
        "modularity": modularity(graph),
    }


def set_statistics(graphs: Sequence[Graph], *, seed: int = 0) -> dict[str, Measurement]:
    """Measures a set: means over the graphs where a statistic is defined, with the standard deviation as spread.

    Returns:
        Measurements by name as in `graph_statistics`; the reason counts the graphs left out.
    """
    measured = [graph_statistics(graph, seed=seed) for graph in graphs]
    if len(measured) == 1:
        return measured[0]
    names = [name for name in STATISTICS if name != "degree_tv"]
    return {name: _mean([statistics[name] for statistics in measured]) for name in names}


def degree_tv(generated: Sequence[Graph], reference: Sequence[Graph]) -> Measurement:
    """Returns the total variation between the degree distributions of two sets, nodes of all graphs pooled."""
    if not sum(graph.num_nodes for graph in generated) or not sum(graph.num_nodes for graph in reference):
        return Measurement(None, reason="a set has no nodes")
    pooled = [_pooled_degrees(graphs) for graphs in (generated, reference)]
    return Measurement(float(total_variation(*pooled)[0, 0]))


def power_law_exponent(degrees: NDArray[np.int64], *, xmin: int = POWER_LAW_XMIN) -> Measurement:
    """Returns the maximum-likelihood exponent alpha of p(d) = d^-alpha / zeta(alpha, xmin) over degrees d >= xmin.

    The lower end is fixed, not fitted: a fitted one jumps between samples of one law. The common approximation
    1 + n / sum ln(d / (xmin - 1/2)) is too low for xmin below 6 (2.63 against 2.70 on Cora) and not used.

    References:
        Clauset, Shalizi and Newman, 2009, arXiv:0706.1062, eq. 3.5.
    """
    tail = degrees[degrees >= xmin]
    if not len(tail):
        return Measurement(None, reason=f"no node has degree {xmin} or more")
    if tail.max() == xmin:
        return Measurement(None, reason=f"no node has a degree over {xmin}, so the exponent is infinite")
    mean_log = float(np.log(tail).mean())
    fit = optimize.minimize_scalar(
        lambda alpha: alpha * mean_log + np.log(special.zeta(alpha, xmin)), bounds=(1.0, 100.0), method="bounded"
    )
    return Measurement(float(fit.x))


def modularity(graph: Graph, *, max_nodes: int = MAX_MODULARITY_NODES) -> Measurement:
    """Returns the modularity of the graph's own Louvain communities (seed 0), not of given classes or blocks.

    References:
        Blondel et al., 2008, arXiv:0803.0476.
    """
    if graph.num_edges == 0:
        return Measurement(None, reason="the graph has no edges")
    if graph.num_nodes > max_nodes:
        return Measurement(None, reason=f"Louvain is limited to {max_nodes} nodes, got {graph.num_nodes}")
    plain = graph.replace(features=None, labels=None, node_ids=None).to_networkx()
    communities = nx.community.louvain_communities(plain, seed=0)
    return Measurement(float(nx.community.modularity(plain, communities)))


def _transitivity(degrees: NDArray[np.int64], triangles: NDArray[np.int64]) -> Measurement:
    wedges = int((degrees * (degrees - 1) // 2).sum())
    if wedges == 0:
        return Measurement(None, reason="no node has degree 2 or more")
    return Measurement(float(triangles.sum() / wedges))


def _assortativity(graph: Graph) -> Measurement:
    """Pearson correlation of the degrees at both ends of an edge, Newman, 2002, arXiv:cond-mat/0205405."""
    if graph.num_edges == 0:
        return Measurement(None, reason="the graph has no edges")
    ends = graph.degrees[graph.edges].astype(float)
    x, y = np.concatenate([ends[:, 0], ends[:, 1]]), np.concatenate([ends[:, 1], ends[:, 0]])
    if x.min() == x.max():
        return Measurement(None, reason="all edges join nodes of one degree")
    return Measurement(float(np.mean((x - x.mean()) * (y - x.mean())) / x.var()))


def _mean_path_length(graph: Graph, component: NDArray[np.int64], seed: int) -> Measurement:
    if len(component) < 2:
        return Measurement(None, reason="no two nodes are connected")
    length = mean_path_length(graph, component, generator=np.random.default_rng(seed))
    return Measurement(length.mean, spread=length.standard_error)


def _mean(measurements: Sequence[Measurement]) -> Measurement:
    values = np.array([m.value for m in measurements if m.value is not None])
    reasons = [m.reason for m in measurements if m.value is None]
    reason = f"left out {len(reasons)} of {len(measurements)} graphs: {reasons[0]}" if reasons else None
    if not len(values):
        return Measurement(None, reason=reason)
    spread = float(values.std(ddof=1)) if len(values) > 1 else None
    return Measurement(float(values.mean()), spread=spread, reason=reason)


def _pooled_degrees(graphs: Sequence[Graph]) -> NDArray[np.float64]:
    degrees = np.concatenate([graph.degrees for graph in graphs])
    counts = np.bincount(degrees)
    return (counts / counts.sum())[None, :]
