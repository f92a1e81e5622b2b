"""Definitions of other sources that differ from ours, by name; none is reported unless it is asked for.

* NetGAN's "square count" counts 4-cliques. Its Gini coefficient numbers the sorted degrees from 0 and is lower by
  exactly 2 / N; its entropy has ln((d + 0.0001) / 2 M) for ln(d / 2 M), to bear isolated nodes.
* NetGAN counts a common edge in both directions, CELL and EDGE once; neither divides by the number of edges.
* GraphMaker takes its earth mover's distances in bins, of histograms divided by sum + 1e-6, as means over all pairs of
  graphs; the orbits are bins too, in the order of their numbers. Its homophily at two steps takes every node with an
  edge for its own neighbour.

Other than in GraphMaker, graphs with many edges are not thinned out before they are measured.

References:
    Bojchevski et al., 2018, "NetGAN", arXiv:1803.00816; Rendsburg et al., 2020, "NetGAN without GAN" (CELL); Chen et
    al., 2023, "EDGE", arXiv:2305.04111; Li et al., 2024, "GraphMaker", arXiv:2310.13833.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from sbgd.evaluation.descriptors.clustering import ClusteringHistogram
from sbgd.evaluation.descriptors.degree import DegreeHistogram
from sbgd.evaluation.descriptors.descriptor import BudgetError
from sbgd.evaluation.descriptors.orbits import OrbitCounts
from sbgd.evaluation.distances import EarthMovers, padded
from sbgd.evaluation.graph_set import GraphSet
from sbgd.evaluation.statistics import degrees, homophily
from sbgd.evaluation.statistics.cycles import four_clique_count
from sbgd.evaluation.statistics.entry import SetDistance, Statistic, unseeded
from sbgd.evaluation.statistics.measurement import Measurement, undefined
from sbgd.evaluation.statistics.pairs import shared_edges
from sbgd.evaluation.statistics.profile import Profile
from sbgd.graph import Graph

Floats = NDArray[np.float64]


def orbit_law(graphs: Sequence[Graph]) -> Floats:
    """Returns the 15 mean orbit counts divided by their sum if that is at least 1, as in GraphMaker, (G, 15)."""
    counts = OrbitCounts()(GraphSet.of(graphs))
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)


def _netgan_gini(g: Profile) -> Measurement:
    ours = degrees.gini(g.degrees)
    return ours if ours.value is None else Measurement(ours.value - 2 / g.graph.num_nodes)


def _netgan_entropy(g: Profile) -> Measurement:
    if not g.degrees.any():
        return undefined("the graph has no edges")
    total = g.degrees.sum()
    logs = np.log((g.degrees + 1e-4) / total)
    return Measurement(float(-(g.degrees / total) @ logs / np.log(g.graph.num_nodes)))


def _cell_edge_overlap(generated: Sequence[Graph], reference: Sequence[Graph]) -> Measurement:
    shared = shared_edges(generated, reference)
    return shared if isinstance(shared, Measurement) else Measurement(float(shared))


def _netgan_edge_overlap(generated: Sequence[Graph], reference: Sequence[Graph]) -> Measurement:
    shared = shared_edges(generated, reference)
    return shared if isinstance(shared, Measurement) else Measurement(2.0 * shared)


def _mean_emd(x: Floats, y: Floats) -> Measurement:
    if not len(x) or not len(y):
        return undefined("a set has no graphs")
    return Measurement(float(EarthMovers()(x, y).mean()))


def _mean_emd_of_float32(x: Floats, y: Floats) -> Measurement:
    """Returns the mean EMD with histograms and running sums rounded as in the source, which moves the seventh digit."""
    if not len(x) or not len(y):
        return undefined("a set has no graphs")
    ours, theirs = (
        np.cumsum(part.astype(np.float32), axis=1, dtype=np.float64).astype(np.float32) for part in padded(x, y)
    )
    return Measurement(float(cdist(ours, theirs, "cityblock").mean()))


def _graphmaker_degree_emd(generated: Sequence[Graph], reference: Sequence[Graph]) -> Measurement:
    histogram = DegreeHistogram(smoothing=1e-6)
    return _mean_emd_of_float32(histogram(GraphSet.of(generated)), histogram(GraphSet.of(reference)))


def _graphmaker_clustering_emd(generated: Sequence[Graph], reference: Sequence[Graph]) -> Measurement:
    histogram = ClusteringHistogram(smoothing=1e-6)
    return _mean_emd_of_float32(histogram(GraphSet.of(generated)), histogram(GraphSet.of(reference)))


def _graphmaker_orbit_emd(generated: Sequence[Graph], reference: Sequence[Graph]) -> Measurement:
    try:
        return _mean_emd(orbit_law(generated), orbit_law(reference))
    except BudgetError as error:
        return undefined(str(error))


_VARIANTS: tuple[Statistic | SetDistance, ...] = (
    Statistic("netgan_square_count", "4-cliques", "4-cliques, not squares", lambda g: four_clique_count(g.graph)),
    Statistic("netgan_gini", "", "gini - 2 / N", _netgan_gini),
    Statistic("netgan_entropy", "", "degree_entropy with 0.0001 added to degrees in the logarithm", _netgan_entropy),
    SetDistance("netgan_edge_overlap", "directed edges", "common edges, each twice", unseeded(_netgan_edge_overlap)),
    SetDistance("cell_edge_overlap", "edges", "common edges", unseeded(_cell_edge_overlap)),
    SetDistance("graphmaker_degree_emd", "edges", "EMD of degrees", unseeded(_graphmaker_degree_emd)),
    SetDistance("graphmaker_clustering_emd", "bins", "EMD of clustering in bins", unseeded(_graphmaker_clustering_emd)),
    SetDistance("graphmaker_orbit_emd", "orbits", "EMD over orbit numbers", unseeded(_graphmaker_orbit_emd)),
    Statistic(
        "graphmaker_homophily_2hop",
        "",
        "class_homophily_2hop where every node with an edge is its own neighbour",
        lambda g: homophily.class_homophily_2hop(g.graph, with_self=True, generator=g.generator),
        ("labels",),
    ),
)

VARIANTS = {entry.name: entry for entry in _VARIANTS}
"""Statistics and distances of other sources by name."""
