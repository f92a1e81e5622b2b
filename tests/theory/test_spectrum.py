import networkx as nx
import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.graph import Graph
from sbgd.theory.graphs import power_law_graph, regular_graph
from sbgd.theory.spectrum import MATRICES, GraphMatrix, Spectrum, exact_spectrum, graph_matrix

GRAPH = power_law_graph(80, 5, rng=np.random.default_rng(0))


def test_a_cycle_has_its_cosines() -> None:
    cycle = Graph.from_networkx(nx.cycle_graph(7))
    cosines = np.sort(np.cos(2 * np.pi * np.arange(7) / 7))
    np.testing.assert_allclose(exact_spectrum(cycle).eigenvalues, cosines, atol=1e-12)
    np.testing.assert_allclose(exact_spectrum(cycle, "adjacency").eigenvalues, 2 * cosines, atol=1e-12)
    np.testing.assert_allclose(exact_spectrum(cycle, "laplacian").eigenvalues, np.sort(2 - 2 * cosines), atol=1e-12)


def test_a_star_reaches_the_root_of_its_degree() -> None:
    star = Graph.from_networkx(nx.star_graph(16))
    assert exact_spectrum(star, "adjacency").radius == pytest.approx(4)
    assert exact_spectrum(star).radius == pytest.approx(1)


@pytest.mark.parametrize("matrix", MATRICES)
def test_matrices_are_those_of_networkx(matrix: GraphMatrix) -> None:
    whole = GRAPH.to_networkx()
    expected = {
        "normalised": np.eye(80) - nx.normalized_laplacian_matrix(whole).toarray(),
        "adjacency": nx.to_numpy_array(whole),
        "laplacian": nx.laplacian_matrix(whole).toarray(),
    }
    np.testing.assert_allclose(graph_matrix(GRAPH, matrix).toarray(), expected[matrix], atol=1e-12)


def test_isolated_nodes_have_eigenvalue_zero() -> None:
    lonely = Graph.from_edges([(0, 1)], 4)
    np.testing.assert_allclose(exact_spectrum(lonely).eigenvalues, [-1, 0, 0, 1], atol=1e-12)


def test_the_radius_of_the_adjacency_lies_between_its_bounds_and_that_of_s_is_one() -> None:
    for seed in range(5):
        graph = power_law_graph(300, 6, rng=np.random.default_rng(seed))
        largest = graph.degrees.max()
        radius = exact_spectrum(graph, "adjacency").radius
        assert max(np.sqrt(largest), graph.degrees.mean()) <= radius <= largest
        assert exact_spectrum(graph).radius == pytest.approx(1)


def test_the_adjacency_of_a_regular_graph_is_its_degree_times_s() -> None:
    graph = regular_graph(50, 6, rng=np.random.default_rng(0))
    np.testing.assert_allclose(
        exact_spectrum(graph, "adjacency").eigenvalues, 6 * exact_spectrum(graph).eigenvalues, atol=1e-10
    )


def test_a_histogram_is_scaled_to_the_nodes_and_empty_bins_are_dropped() -> None:
    spectrum = Spectrum.of([-0.5, 0.0, 0.5], [1.0, 0.0, 3.0], num_nodes=1000)
    np.testing.assert_array_equal([spectrum.eigenvalues, spectrum.weights], [[-0.5, 0.5], [250, 750]])
    assert spectrum.num_nodes == 1000


@pytest.mark.parametrize(
    "arguments", [([], None), ([np.nan], None), ([1.0], [-1.0]), ([1.0], [0.0]), ([1.0, 2.0], [1.0])]
)
def test_spectra_that_are_none_are_refused(arguments: tuple[list[float], list[float] | None]) -> None:
    with pytest.raises(InputError, match="expected"):
        Spectrum.of(*arguments)


def test_graphs_and_matrices_that_do_not_serve_are_refused() -> None:
    with pytest.raises(InputError, match="among normalised"):
        graph_matrix(GRAPH, "random_walk")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="an empty one"):
        graph_matrix(Graph.from_edges([], 0))
    with pytest.raises(InputError, match="use lanczos_spectrum"):
        exact_spectrum(Graph.from_edges([], 6000))
