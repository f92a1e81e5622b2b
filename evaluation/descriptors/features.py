"""Moments of node features: mean and spread over the nodes, and correlation along the edges, of every feature.

With z = (x - mean) / deviation over the nodes of one graph, the correlation along its M edges is
1 / M sum_{uv in E} z_u z_v, Moran's I.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.evaluation.descriptors.descriptor import Vectors
from sbgd.evaluation.graph_set import GraphSet

Floats = NDArray[np.float64]

_ROUNDING = 1e-9
"""A feature whose deviation is below this share of its size is constant."""


@dataclass(frozen=True)
class FeatureMoments:
    """Mean, standard deviation and edge correlation of F node features, (G, 1 + 3 F); column 0 marks empty graphs.

    A feature that is constant over a graph, and every feature of a graph without edges, has correlation 0.

    References:
        Moran, 1950, "Notes on continuous stochastic phenomena", doi 10.1093/biomet/37.1-2.17.
    """

    uses_eigenvectors: ClassVar[bool] = False

    def __call__(self, graphs: GraphSet) -> Vectors:
        """Returns the moments, float64 (G, 1 + 3 F): an indicator of no nodes, F means, F deviations, F correlations.

        Raises:
            InputError: A graph has nodes and no features, or not as many features as another graph.
        """
        graphs = GraphSet.of(graphs)
        x = node_features(graphs)
        empty = (graphs.sizes == 0).astype(float)[:, None]
        means = _node_means(graphs, x)
        centred = x - means[graphs.owner]
        deviations = np.sqrt(_node_means(graphs, centred**2))
        constant = deviations <= _ROUNDING * np.sqrt(_node_means(graphs, x**2))
        z = centred / np.where(constant, np.inf, deviations)[graphs.owner]
        return np.concatenate([empty, means, deviations, _edge_means(graphs, z)], axis=1)


def node_features(graphs: GraphSet) -> Floats:
    """Returns the features of all nodes, graph after graph, (sum of N, F); (0, 0) if there are no nodes.

    Raises:
        InputError: A graph has nodes and no features, or not as many features as another graph.
    """
    occupied = [(index, graph) for index, graph in enumerate(graphs) if graph.num_nodes]
    lacking = [index for index, graph in occupied if graph.features is None]
    if lacking:
        raise InputError(
            f"expected node features on every graph, got {len(lacking)} of {len(graphs)} graphs without any, the first "
            f"at position {lacking[0]}; give them features or leave feature metrics out"
        )
    widths = sorted({graph.num_features for _, graph in occupied})
    if len(widths) > 1:
        raise InputError(f"expected as many features on every graph, got {widths}; choose common columns")
    stacked = [graph.features for _, graph in occupied if graph.features is not None]
    return np.concatenate(stacked) if stacked else np.zeros((0, 0))


def _node_means(graphs: GraphSet, values: Floats) -> Floats:
    sums: Floats = np.asarray(graphs.sums(values), dtype=np.float64)
    return sums / np.maximum(graphs.sizes, 1)[:, None]


def _edge_means(graphs: GraphSet, z: Floats) -> Floats:
    """Returns the mean over the edges of every graph of z_u z_v, 0 without edges, (G, F)."""
    neighbours = graphs.union.to_scipy() @ z
    num_ends = np.asarray(graphs.sums(graphs.union.degrees), dtype=np.int64)
    return np.asarray(graphs.sums(z * neighbours), dtype=np.float64) / np.maximum(num_ends, 1)[:, None]
