import networkx as nx
import numpy as np
import pytest

from sbgd.evaluation.descriptors import (
    BudgetError,
    ClusteringHistogram,
    DegreeHistogram,
    SpectrumHistogram,
)
from sbgd.evaluation.graph_set import laplacian_spectrum
from sbgd.graph import Graph


def test_degree_shares_of_small_shapes(shapes):
    vectors = DegreeHistogram()([shapes["triangle"], shapes["star"], shapes["point"], shapes["nothing"]])
    assert vectors.tolist() == [[0, 0, 0, 1, 0], [0, 0, 0.75, 0, 0.25], [0, 1, 0, 0, 0], [1, 0, 0, 0, 0]]


def test_clustering_bins_of_small_shapes(shapes):
    vectors = ClusteringHistogram()([shapes["triangle"], shapes["star"], shapes["nothing"]])
    assert [np.flatnonzero(vector).tolist() for vector in vectors] == [[100], [1], [0]]
    assert vectors.sum(axis=1).tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("shape", "eigenvalues"),
    [
        ("triangle", [0, 1.5, 1.5]),
        ("square", [0, 1, 1, 2]),
        ("star", [0, 1, 1, 2]),
        ("k4", [0, 4 / 3, 4 / 3, 4 / 3]),
        ("path", [0, 0.5, 1.5, 2]),
        ("two_points", [0, 0]),
        ("nothing", []),
    ],
)
def test_spectra_of_small_shapes(shapes, shape, eigenvalues):
    assert laplacian_spectrum(shapes[shape]) == pytest.approx(eigenvalues, abs=1e-12)


def test_the_eigenvalue_two_of_a_bipartite_graph_stays_in_the_last_bin(shapes):
    for shape in ("square", "star", "path", "edge"):
        (vector,) = SpectrumHistogram()([shapes[shape]])
        assert vector[-1] == 1 / shapes[shape].num_nodes
        assert vector.sum() == pytest.approx(1)


@pytest.mark.parametrize("lowest", [-1e-5, 0.0])
def test_rational_eigenvalues_fall_in_one_bin_however_they_are_rounded(lowest):
    """Eigenvalues 0, 1/2, 1, 3/2 and 2 lie on edges of bins; the order of nodes changes their last digits."""
    shapes = [
        nx.star_graph(6),
        nx.complete_bipartite_graph(3, 4),
        nx.path_graph(4),
        nx.cycle_graph(12),
        nx.path_graph(7),
    ]
    rng = np.random.default_rng(0)
    for shape in shapes:
        orders = [rng.permutation(len(shape)).tolist() for _ in range(20)]
        drawn = [Graph.from_edges([(order[u], order[v]) for u, v in shape.edges], len(shape)) for order in orders]
        assert len(np.unique(SpectrumHistogram(lowest=lowest)(drawn), axis=0)) == 1


def test_spectrum_equals_networkx_where_no_node_is_isolated(hub_graph):
    other = hub_graph.to_networkx()
    assert laplacian_spectrum(hub_graph) == pytest.approx(nx.normalized_laplacian_spectrum(other), abs=1e-10)


def test_a_large_spectrum_is_refused(shapes):
    with pytest.raises(BudgetError, match="limited to 3 nodes, got 4"):
        SpectrumHistogram(max_nodes=3)([shapes["k4"]])


@pytest.mark.parametrize("descriptor", [DegreeHistogram(), ClusteringHistogram(), SpectrumHistogram()])
def test_a_graph_without_nodes_is_at_distance_one_from_every_other(descriptor, shapes):
    nothing, point, star = descriptor([shapes["nothing"], shapes["point"], shapes["star"]])
    assert abs(nothing - point).sum() / 2 == 1
    assert abs(nothing - star).sum() / 2 == pytest.approx(1)
