"""All statistics of single graphs: names, units, meanings and how they are measured."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sbgd.evaluation.statistics import cycles, degrees, features, homophily
from sbgd.evaluation.statistics.communities import modularity
from sbgd.evaluation.statistics.entry import Statistic
from sbgd.evaluation.statistics.measurement import Measurement, undefined
from sbgd.evaluation.statistics.profile import Profile


def _of_sources(measure: Callable[[Profile], Measurement]) -> Callable[[Profile], Measurement]:
    """Guards a statistic of distances from graphs without any."""
    return lambda g: measure(g) if g.degrees.any() else undefined("no two nodes are connected")


def _transitivity(g: Profile) -> Measurement:
    wedges = degrees.wedge_count(g.degrees)
    return Measurement(float(g.triangles.sum() / wedges)) if wedges else undefined("no node has degree 2 or more")


def _clustering(g: Profile) -> Measurement:
    return Measurement(float((2 * g.triangles / np.maximum(g.degrees * (g.degrees - 1), 1)).mean()))


def _squares(g: Profile) -> Measurement:
    if g.squares is not None:
        return Measurement(float(g.squares))
    return cycles.square_count(g.graph, generator=g.generator)


def _exactly(value: Callable[[Profile], float]) -> Callable[[Profile], Measurement]:
    return lambda g: Measurement(float(value(g)))


_PATHS = "above 5000 nodes: 1024 random sources"

OF_GRAPHS = (
    Statistic("mean_degree", "edges", "mean degree", _exactly(lambda g: g.degrees.mean())),
    Statistic("max_degree", "edges", "largest degree", _exactly(lambda g: g.degrees.max())),
    Statistic("isolated_share", "", "share of nodes without an edge", _exactly(lambda g: (g.degrees == 0).mean())),
    Statistic("triangles", "triangles", "number of triangles", _exactly(lambda g: g.triangles.sum() // 3)),
    Statistic("clustering", "", "mean local clustering coefficient, 0 for degrees under 2", _clustering),
    Statistic("transitivity", "", "3 triangles / wedges, the global clustering coefficient", _transitivity),
    Statistic(
        "assortativity",
        "",
        "degree correlation of both ends of an edge",
        lambda g: degrees.assortativity(g.graph),
    ),
    Statistic(
        "power_law_exponent",
        "",
        "maximum-likelihood exponent of a discrete power law over degrees of 3 or more",
        lambda g: degrees.power_law_exponent(g.degrees),
    ),
    Statistic(
        "mean_path_length",
        "edges",
        "mean distance between distinct nodes of the largest component",
        _of_sources(lambda g: g.distances_in_largest.mean()),
        sampled=_PATHS,
    ),
    Statistic(
        "largest_component_share",
        "",
        "share of nodes in the largest component",
        _exactly(lambda g: g.component_sizes.max() / g.graph.num_nodes),
    ),
    Statistic("modularity", "", "modularity of Louvain communities, up to 50,000 nodes", lambda g: modularity(g.graph)),
    Statistic("min_degree", "edges", "smallest degree", _exactly(lambda g: g.degrees.min())),
    Statistic(
        "num_components", "components", "number of connected components", _exactly(lambda g: len(g.component_sizes))
    ),
    Statistic("wedges", "wedges", "number of paths of two edges", _exactly(lambda g: degrees.wedge_count(g.degrees))),
    Statistic("claws", "claws", "number of stars of three edges", _exactly(lambda g: degrees.claw_count(g.degrees))),
    Statistic(
        "squares",
        "4-cycles",
        "number of 4-cycles, induced or not",
        _squares,
        sampled="above 5e8 steps: top nodes in proportion to their steps",
    ),
    Statistic("gini", "", "Gini coefficient of the degrees", lambda g: degrees.gini(g.degrees)),
    Statistic("degree_entropy", "", "relative edge-distribution entropy", lambda g: degrees.degree_entropy(g.degrees)),
    Statistic(
        "characteristic_path_length",
        "edges",
        "mean distance between distinct nodes with a path between them, all components",
        _of_sources(lambda g: g.distances.mean()),
        sampled=_PATHS,
    ),
    Statistic(
        "effective_diameter",
        "edges",
        "distance within which 90 % of the pairs with a path are, interpolated",
        _of_sources(lambda g: g.distances.effective_diameter()),
        sampled=_PATHS,
    ),
    Statistic(
        "largest_component_size", "nodes", "nodes in the largest component", _exactly(lambda g: g.component_sizes.max())
    ),
    Statistic(
        "power_law_alpha",
        "",
        "exponent of a continuous power law from the smallest degree on, as papers print it",
        lambda g: degrees.continuous_power_law_alpha(g.degrees),
    ),
    Statistic("four_cliques", "4-cliques", "number of 4-cliques", lambda g: cycles.four_clique_count(g.graph)),
    Statistic(
        "diameter_bound",
        "edges",
        "largest distance from a source: the diameter, above 5000 nodes a lower bound from 1024 random sources",
        _of_sources(_exactly(lambda g: g.distances.longest)),
    ),
    Statistic(
        "edge_homophily", "", "share of edges within a class", lambda g: homophily.edge_homophily(g.graph), ("labels",)
    ),
    Statistic(
        "label_assortativity",
        "",
        "edges within a class over those by chance, 1 at most",
        lambda g: homophily.label_assortativity(g.graph),
        ("labels",),
    ),
    Statistic(
        "class_homophily",
        "",
        "class-insensitive (LINKX) homophily of neighbours",
        lambda g: homophily.class_homophily(g.graph),
        ("labels",),
    ),
    Statistic(
        "class_homophily_2hop",
        "",
        "class-insensitive (LINKX) homophily of nodes joined by a path of two edges",
        lambda g: homophily.class_homophily_2hop(g.graph, generator=g.generator),
        ("labels",),
        "above 1e8 such paths: random nodes",
    ),
    Statistic("feature_mean", "", "mean of all node features", lambda g: features.feature_mean(g.graph), ("features",)),
    Statistic(
        "feature_deviation",
        "",
        "mean over features of the standard deviation over nodes",
        lambda g: features.feature_deviation(g.graph),
        ("features",),
    ),
    Statistic(
        "feature_edge_correlation",
        "",
        "mean over features of the correlation between both ends of an edge",
        lambda g: features.feature_edge_correlation(g.graph),
        ("features",),
    ),
)
