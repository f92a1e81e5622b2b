"""Node features: mean and deviation over the nodes, and correlation across edges, of every feature.

With m and s^2 the mean and variance of x over all ends of edges, the correlation across M edges is
1 / M sum_{uv in E} (x_u - m) (x_v - m) / s^2, the assortativity of a numerical attribute (Newman, 2003,
arXiv:cond-mat/0209450, eq. 21).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.evaluation.descriptors.features import node_features
from sbgd.evaluation.graph_set import GraphSet
from sbgd.evaluation.statistics.measurement import Measurement, mean_over_graphs, undefined
from sbgd.graph import Graph

Floats = NDArray[np.float64]

_COLUMNS = 32
"""Features centred at once, which bounds the memory."""
_ROUNDING = 1e-9
"""A feature whose deviation is below this share of its size is constant."""


@dataclass(frozen=True)
class FeatureMoments:
    """Moments of F features.

    Attributes:
        means: Mean over nodes, (F,).
        deviations: Standard deviation over nodes, (F,).
        correlations: Pearson correlation over the ends of edges, (F,); 0 where it is undefined.
        is_correlated: Whether the feature varies over the ends of edges, so that it has a correlation, bool (F,).
    """

    means: Floats
    deviations: Floats
    correlations: Floats
    is_correlated: NDArray[np.bool_]


def feature_moments(graph: Graph, features: Floats) -> FeatureMoments:
    """Returns the moments of features (N, F), F >= 1, over the N >= 1 nodes and the edges of a graph."""
    A, degrees = graph.to_scipy(), graph.degrees.astype(float)
    correlations, is_correlated = [], []
    for start in range(0, features.shape[1], _COLUMNS):
        x = features[:, start : start + _COLUMNS]
        size = np.sqrt(degrees @ x**2)
        x = x - degrees @ x / max(degrees.sum(), 1)
        variance = degrees @ x**2
        varies = np.sqrt(variance) > _ROUNDING * size
        covariance = np.einsum("nf,nf->f", x, A @ x)
        correlations.append(np.where(varies, covariance / np.where(varies, variance, 1), 0))
        is_correlated.append(varies)
    return FeatureMoments(
        features.mean(axis=0), features.std(axis=0), np.concatenate(correlations), np.concatenate(is_correlated)
    )


def feature_mean(graph: Graph) -> Measurement:
    """Returns the mean over features of the mean over nodes."""
    if not graph.num_features or graph.features is None:
        return undefined("the graph has no features")
    return Measurement(float(graph.features.mean()))


def feature_deviation(graph: Graph) -> Measurement:
    """Returns the mean over features of the standard deviation over nodes."""
    if not graph.num_features or graph.features is None:
        return undefined("the graph has no features")
    return Measurement(float(graph.features.std(axis=0).mean()))


def feature_edge_correlation(graph: Graph) -> Measurement:
    """Returns the mean of the correlation across edges over the features that vary; the reason counts the others."""
    if not graph.num_features or graph.features is None:
        return undefined("the graph has no features")
    if graph.num_edges == 0:
        return undefined("the graph has no edges")
    moments = feature_moments(graph, graph.features)
    return _mean_correlation(moments.correlations, moments.is_correlated)


FEATURE_STATISTICS = {
    "feature_mean": feature_mean,
    "feature_deviation": feature_deviation,
    "feature_edge_correlation": feature_edge_correlation,
}


def feature_statistics(graphs: Sequence[Graph]) -> dict[str, Measurement]:
    """Returns the statistics of node features by name, means over the graphs where they are defined."""
    measured = {name: [measure(graph) for graph in graphs] for name, measure in FEATURE_STATISTICS.items()}
    return {name: rows[0] if len(rows) == 1 else mean_over_graphs(rows) for name, rows in measured.items()}


def feature_mean_error(generated: Sequence[Graph], reference: Sequence[Graph]) -> Measurement:
    """Returns the mean over features of |difference of means| in standard deviations of the reference.

    Nodes of all graphs of a set are pooled; a feature that is constant in the reference keeps its own unit.
    """
    moments = _both(generated, reference)
    if isinstance(moments, Measurement):
        return moments
    ours, theirs = moments
    return Measurement(float((np.abs(ours.means - theirs.means) / _scale(theirs)).mean()))


def feature_deviation_error(generated: Sequence[Graph], reference: Sequence[Graph]) -> Measurement:
    """Returns the mean over features of |difference of standard deviations|, in units as in `feature_mean_error`."""
    moments = _both(generated, reference)
    if isinstance(moments, Measurement):
        return moments
    ours, theirs = moments
    return Measurement(float((np.abs(ours.deviations - theirs.deviations) / _scale(theirs)).mean()))


def feature_correlation_error(generated: Sequence[Graph], reference: Sequence[Graph]) -> Measurement:
    """Returns the mean of |difference of the correlations across edges| over the features that vary in both sets."""
    moments = _both(generated, reference)
    if isinstance(moments, Measurement):
        return moments
    ours, theirs = moments
    return _mean_correlation(np.abs(ours.correlations - theirs.correlations), ours.is_correlated & theirs.is_correlated)


def _mean_correlation(values: Floats, kept: NDArray[np.bool_]) -> Measurement:
    if not kept.any():
        return undefined("every feature is constant over the ends of edges")
    left_out = int((~kept).sum())
    reason = f"left out {left_out} of {len(kept)} features, constant over the ends of edges" if left_out else None
    return Measurement(float(values[kept].mean()), reason=reason)


def _both(
    generated: Sequence[Graph], reference: Sequence[Graph]
) -> tuple[FeatureMoments, FeatureMoments] | Measurement:
    """Returns the moments of both sets, or why they cannot be compared."""
    found = []
    for graphs in (generated, reference):
        pooled = GraphSet.of(graphs)
        try:
            features = node_features(pooled)
        except InputError:
            return undefined("not every graph has the same features")
        if not features.size:
            return undefined("a set has no node with features")
        found.append(feature_moments(pooled.union, features))
    if len(found[0].means) != len(found[1].means):
        return undefined(f"the sets have {len(found[0].means)} and {len(found[1].means)} features")
    return found[0], found[1]


def _scale(reference: FeatureMoments) -> Floats:
    return np.where(reference.deviations > _ROUNDING * np.abs(reference.means), reference.deviations, 1.0)
