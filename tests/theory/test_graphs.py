import networkx as nx
import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.graph import Graph
from sbgd.theory.graphs import disjoint_union, graph_of_degrees, power_law_degrees, power_law_graph, regular_graph
from sbgd.theory.spectrum import exact_spectrum


@pytest.mark.parametrize(("num_nodes", "degree"), [(6, 5), (50, 3), (500, 10), (7, 0)])
def test_every_node_of_a_regular_graph_has_its_degree(num_nodes: int, degree: int) -> None:
    graph = regular_graph(num_nodes, degree, rng=np.random.default_rng(0))
    assert (graph.degrees == degree).all()
    assert graph.num_edges == num_nodes * degree // 2


def test_a_random_regular_graph_has_the_bulk_of_kesten_and_mckay() -> None:
    eigenvalues = exact_spectrum(regular_graph(1000, 10, rng=np.random.default_rng(0)), "adjacency").eigenvalues
    assert eigenvalues[-1] == pytest.approx(10)
    assert np.abs(eigenvalues[:-1]).max() == pytest.approx(2 * np.sqrt(9), rel=0.03)
    # the second and fourth moments of the density: walks of a tree, d and d (2 d - 1)
    assert (eigenvalues**2).mean() == pytest.approx(10)
    assert (eigenvalues**4).mean() == pytest.approx(190, rel=0.05)


@pytest.mark.parametrize("num_nodes", [100, 1000])
@pytest.mark.parametrize("exponent", [2.2, 2.5, 3.5])
def test_power_law_graphs_have_the_mean_degree_asked_for(num_nodes: int, exponent: float) -> None:
    graph = power_law_graph(num_nodes, 8, exponent, rng=np.random.default_rng(0))
    assert graph.num_edges == 4 * num_nodes
    assert 1 <= graph.degrees.min() < 8 < graph.degrees.max() <= np.sqrt(8 * num_nodes) + 1


def test_degrees_follow_the_exponent() -> None:
    degrees = power_law_degrees(200_000, 10, 2.5, rng=np.random.default_rng(0))
    tail = degrees[(degrees >= 15) & (degrees < 400)]
    # maximum likelihood for a density d^-a on [14.5, 399.5] by bisection of the score
    grid = np.linspace(2.0, 3.0, 2001)
    norms = (14.5 ** (1 - grid) - 399.5 ** (1 - grid)) / (grid - 1)
    exponent = grid[np.argmin(grid * np.log(tail).mean() + np.log(norms))]
    assert exponent == pytest.approx(2.5, abs=0.05)


def test_degrees_are_kept_exactly() -> None:
    degrees = np.array([5, 4, 3, 3, 2, 2, 2, 1, 1, 1])
    np.testing.assert_array_equal(graph_of_degrees(degrees, rng=np.random.default_rng(0)).degrees, degrees)


def test_the_generator_decides_the_graph() -> None:
    first, second, other = (power_law_graph(50, 4, rng=np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == second
    assert first != other


def test_a_union_has_the_spectra_of_its_parts() -> None:
    parts = [Graph.from_networkx(nx.path_graph(n)).replace(features=np.full((n, 2), float(n))) for n in (3, 5)]
    union = disjoint_union(parts)
    both = np.sort(np.concatenate([exact_spectrum(part).eigenvalues for part in parts]))
    np.testing.assert_allclose(exact_spectrum(union).eigenvalues, both, atol=1e-12)
    assert union.features is not None
    np.testing.assert_array_equal(union.features[:, 0], [3, 3, 3, 5, 5, 5, 5, 5])


def test_graphs_that_do_not_exist_are_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match="even product"):
        regular_graph(5, 3, rng=rng)
    with pytest.raises(InputError, match="even product"):
        regular_graph(5, 6, rng=rng)
    with pytest.raises(InputError, match="even sum"):
        graph_of_degrees(np.array([1, 1, 1]), rng=rng)
    with pytest.raises(InputError, match="lower the largest"):
        graph_of_degrees(np.array([4, 1, 1]), rng=rng)
    with pytest.raises(InputError, match="exponent above 1"):
        power_law_graph(50, 4, 1.0, rng=rng)
    with pytest.raises(InputError, match="mean degree in"):
        power_law_graph(50, 40, rng=rng)
    with pytest.raises(InputError, match="at least one graph"):
        disjoint_union([])
    with pytest.raises(InputError, match="equally many"):
        disjoint_union([Graph.from_edges([], 1), Graph.from_edges([], 1, features=[1.0])])
