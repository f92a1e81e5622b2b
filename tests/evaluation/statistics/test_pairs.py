import networkx as nx
import numpy as np
import pytest
from scipy import stats

from sbgd.evaluation.graph_set import laplacian_spectrum
from sbgd.evaluation.statistics import degree_tv
from sbgd.evaluation.statistics.pairs import (
    degree_emd,
    degree_ks,
    edge_overlap,
    joint_degree_log_tv,
    joint_degree_tv,
    spectral_distance,
)
from sbgd.graph import Graph


def test_degree_tv_by_hand(shapes):
    assert degree_tv([shapes["star"]], [shapes["square"]]).value == 1
    assert degree_tv([shapes["path"]], [shapes["square"]]).value == 0.5
    assert degree_tv([shapes["path"]], [shapes["path"], shapes["path"]]).value == 0
    assert degree_tv([shapes["nothing"]], [shapes["path"]]).reason == "a set has no nodes"


def test_degree_distances_equal_scipy(fixture_sets):
    for name in ("planar", "sbm", "rgg_er"):
        sets = fixture_sets[f"{name}:gen"], fixture_sets[f"{name}:ref"]
        degrees = [np.concatenate([graph.degrees for graph in graphs]) for graphs in sets]
        assert degree_emd(*sets).value == pytest.approx(stats.wasserstein_distance(*degrees))
        assert degree_ks(*sets).value == pytest.approx(stats.ks_2samp(*degrees).statistic)


def test_joint_degrees_by_hand(shapes):
    # a path has edges of degrees (1, 2), (2, 2), (1, 2), a square (2, 2) only
    assert joint_degree_tv([shapes["path"]], [shapes["square"]]).value == pytest.approx(2 / 3)
    # in bins [1, 2), [2, 4) the edges (1, 3) of a star fall together with (1, 2)
    assert joint_degree_tv([shapes["star"]], [shapes["path"]]).value == pytest.approx(1)
    assert joint_degree_log_tv([shapes["star"]], [shapes["path"]]).value == pytest.approx(1 / 3)
    assert joint_degree_tv([shapes["point"]], [shapes["path"]]).reason == "a set has no edges"


def test_joint_degree_distance_equals_the_matrix_of_networkx(random_graphs):
    first, second = random_graphs[2], random_graphs[3]
    laws = []
    for graph in (first, second):
        mixing = nx.degree_mixing_matrix(graph.to_networkx(), mapping={d: d for d in range(12)})
        laws.append(mixing / mixing.sum())
    expected = np.abs(laws[0] - laws[1]).sum() / 2
    assert joint_degree_tv([first], [second]).value == pytest.approx(expected)


def test_spectral_distance_is_that_of_the_eigenvalues(fixture_sets):
    sets = fixture_sets["sbm:gen"][:1], fixture_sets["planar:ref"][:1]
    expected = stats.wasserstein_distance(*[laplacian_spectrum(graphs[0]) for graphs in sets])
    found = spectral_distance(*sets)
    assert found.value == pytest.approx(expected, abs=0.005)
    assert found.spread is None


def test_spectral_distance_of_large_graphs_is_small_between_draws_of_one_law_and_large_between_laws():
    def draw(degree, seed):
        generator = np.random.default_rng(seed)
        ends = generator.integers(0, 2000, (1000 * degree, 2))
        return [Graph.from_edges(ends[ends[:, 0] != ends[:, 1]], 2000)]

    same, other = spectral_distance(draw(6, 0), draw(6, 1)), spectral_distance(draw(6, 0), draw(20, 1))
    assert same.value < 5 * same.spread < 0.1 < other.value


def test_edge_overlap_is_the_share_of_the_reference_kept():
    path = [Graph.from_edges([(0, 1), (1, 2), (2, 3)], 4)]
    assert edge_overlap([Graph.from_edges([(1, 0), (3, 2), (0, 3)], 4)], path).value == pytest.approx(2 / 3)
    assert edge_overlap([Graph.from_edges([(0, 1)], 5)], path).reason.startswith("the graphs have 5 and 4 nodes")
    assert edge_overlap(path, [*path, *path]).reason.startswith("edges are compared between one graph and another")
