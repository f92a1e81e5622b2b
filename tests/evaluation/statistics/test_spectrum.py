import numpy as np
import pytest

from sbgd.evaluation.graph_set import laplacian_spectrum
from sbgd.evaluation.statistics.spectrum import chebyshev_moments, jackson_damping, mean_density, spectral_density
from sbgd.graph import Graph


@pytest.fixture(scope="module")
def sparse_graph():
    ends = np.random.default_rng(4).integers(0, 900, (2500, 2))
    return Graph.from_edges(ends[ends[:, 0] != ends[:, 1]], 1000)


def test_exact_density_is_the_histogram_of_the_eigenvalues(shapes):
    # a star of 3 leaves has eigenvalues 0, 1, 1, 2; a triangle 0, 3/2, 3/2; isolated nodes 0
    density = spectral_density(shapes["star"], bins=4)
    assert density.histogram.tolist() == [0.25, 0.5, 0, 0.25]
    assert density.edges.tolist() == [0, 0.5, 1, 1.5, 2]
    assert spectral_density(shapes["triangle"], bins=4).histogram.tolist() == pytest.approx([1 / 3, 0, 2 / 3, 0])
    assert spectral_density(shapes["two_points"], bins=4).histogram.tolist() == [1, 0, 0, 0]


def test_equal_eigenvalues_fall_into_one_bin_whatever_rounding_does():
    star = Graph.from_edges([(0, leaf) for leaf in range(1, 200)], 200)
    assert np.count_nonzero(spectral_density(star, bins=200).histogram) == 3


def test_moments_are_those_of_the_eigenvalues(sparse_graph):
    moments = chebyshev_moments(sparse_graph, num_moments=40, num_probes=64, generator=np.random.default_rng(0))
    # every isolated node adds an eigenvalue 0 to those of the others
    values = np.sort(laplacian_spectrum(sparse_graph))[np.count_nonzero(sparse_graph.degrees == 0) :]
    angles = np.arccos(np.clip(1 - values, -1, 1))
    expected = np.cos(np.outer(np.arange(40), angles)).mean(axis=1)
    error = moments.std(axis=0, ddof=1) / 8
    assert moments[:, 0] == pytest.approx(1)
    assert np.all(np.abs(moments.mean(axis=0) - expected) < 5 * error + 1e-5)


def test_estimated_shares_are_within_their_error_of_the_exact_ones(sparse_graph):
    exact = spectral_density(sparse_graph, bins=10)
    estimated = spectral_density(sparse_graph, bins=10, max_exact_nodes=0, num_moments=400, num_probes=32)
    # smoothing moves at most the eigenvalues within pi / 400 of an edge, a few per cent of them, across it
    assert np.all(np.abs(estimated.cumulative - exact.cumulative) < 5 * estimated.standard_error + 0.03)
    assert estimated.cumulative[[0, -1]] == pytest.approx([0, 1])
    assert np.all(np.diff(estimated.cumulative) > -1e-6)


def test_isolated_nodes_have_eigenvalue_0():
    density = spectral_density(Graph.from_edges(np.arange(1200).reshape(-1, 2), 2000), bins=20)
    expected = np.append(0, np.full(20, 0.7))
    expected[-1] = 1
    assert np.all(np.abs(density.cumulative - expected) <= 5 * density.standard_error + 1e-3)
    assert spectral_density(Graph.from_edges([], 2000), bins=20).histogram.tolist() == [1, *[0] * 19]


def test_the_seed_makes_it_reproducible(sparse_graph):
    first, second = (
        spectral_density(sparse_graph, max_exact_nodes=0, generator=np.random.default_rng(1)) for _ in range(2)
    )
    assert np.array_equal(first.cumulative, second.cumulative)


def test_jackson_damping_keeps_the_delta_function_positive():
    damping = jackson_damping(50)
    assert damping[0] == pytest.approx(1)
    k, angles = np.arange(1, 50), np.linspace(0, np.pi, 1001)
    delta = 1 + 2 * (damping[1:] * np.cos(k * np.pi / 3)) @ np.cos(np.outer(k, angles))
    assert delta.min() > -1e-9


def test_the_mean_of_densities_has_the_error_of_a_mean(sparse_graph):
    one = spectral_density(sparse_graph, max_exact_nodes=0)
    mean = mean_density([one, one, one, one])
    np.testing.assert_allclose(mean.cumulative, one.cumulative)
    np.testing.assert_allclose(mean.standard_error, one.standard_error / 2)
