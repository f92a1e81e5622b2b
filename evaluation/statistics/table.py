"""The table of statistics and distances, which names, reports and documentation draw from."""

from __future__ import annotations

from sbgd.evaluation.statistics import features, pairs
from sbgd.evaluation.statistics.entry import SetDistance, Statistic, unseeded
from sbgd.evaluation.statistics.of_graphs import OF_GRAPHS

BETWEEN_SETS = (
    SetDistance("degree_tv", "", "total variation between degree laws", unseeded(pairs.degree_tv)),
    SetDistance("degree_emd", "edges", "earth mover's distance between degree laws", unseeded(pairs.degree_emd)),
    SetDistance("degree_ks", "", "Kolmogorov-Smirnov distance between degree laws", unseeded(pairs.degree_ks)),
    SetDistance(
        "joint_degree_tv",
        "",
        "total variation between laws of the degrees at both ends of an edge",
        unseeded(pairs.joint_degree_tv),
    ),
    SetDistance(
        "joint_degree_log_tv", "", "the same with degrees in bins [2^k, 2^(k+1))", unseeded(pairs.joint_degree_log_tv)
    ),
    SetDistance(
        "spectral_distance",
        "",
        "Wasserstein-1 distance between spectral densities of normalised Laplacians",
        lambda x, y, seed: pairs.spectral_distance(x, y, seed=seed),
        sampled="above 1500 nodes: kernel polynomial method with 8 random vectors",
    ),
    SetDistance(
        "edge_overlap",
        "",
        "share of the reference's edges in the generated graph, nodes matched by number",
        unseeded(pairs.edge_overlap),
    ),
    SetDistance(
        "feature_mean_error",
        "deviations",
        "mean over features of |difference of means|",
        unseeded(features.feature_mean_error),
        ("features",),
    ),
    SetDistance(
        "feature_deviation_error",
        "deviations",
        "mean over features of |difference of standard deviations|",
        unseeded(features.feature_deviation_error),
        ("features",),
    ),
    SetDistance(
        "feature_correlation_error",
        "",
        "mean over features of |difference of correlations across edges|",
        unseeded(features.feature_correlation_error),
        ("features",),
    ),
)

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
    "min_degree",
    "num_components",
    "wedges",
    "claws",
    "squares",
    "gini",
    "degree_entropy",
    "characteristic_path_length",
    "effective_diameter",
)
"""What is reported of sets by default; `degree_tv` compares two sets, the others describe one graph."""

_ENTRIES: dict[str, Statistic | SetDistance] = {entry.name: entry for entry in (*OF_GRAPHS, *BETWEEN_SETS)}

TABLE = {name: _ENTRIES[name] for name in dict.fromkeys((*STATISTICS, *_ENTRIES))}
"""Every statistic and distance by name, in the order of reports."""

GRAPH_STATISTICS = tuple(entry.name for entry in TABLE.values() if isinstance(entry, Statistic))
"""Everything that describes one graph, for single large ones."""

DISTANCES = tuple(entry.name for entry in TABLE.values() if isinstance(entry, SetDistance))
"""Everything that compares a generated set with a reference."""
