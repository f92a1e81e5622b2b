import networkx as nx
import numpy as np
import pytest

from sbgd.evaluation.statistics.degrees import (
    assortativity,
    claw_count,
    continuous_power_law_alpha,
    degree_entropy,
    gini,
    power_law_exponent,
    wedge_count,
)
from sbgd.graph import Graph


def test_wedges_and_claws_are_pairs_and_triples_of_neighbours():
    degrees = np.array([0, 1, 2, 3, 5])
    assert wedge_count(degrees) == 0 + 0 + 1 + 3 + 10
    assert claw_count(degrees) == 0 + 0 + 0 + 1 + 10


def test_claws_of_a_huge_hub_do_not_overflow():
    assert claw_count(np.array([4_000_000])) == 4_000_000 * 3_999_999 * 3_999_998 // 6


def test_gini_is_half_the_relative_mean_difference():
    degrees = np.random.default_rng(0).integers(0, 20, 50)
    differences = np.abs(degrees[:, None] - degrees[None]).mean()
    assert gini(degrees).value == pytest.approx(differences / (2 * degrees.mean()))
    assert gini(np.array([3, 3, 3])).value == pytest.approx(0)
    assert gini(np.array([0, 0])).reason == "the graph has no edges"


def test_entropy_is_1_for_equal_degrees_and_unmoved_by_how_isolated_nodes_are_written():
    assert degree_entropy(np.array([2, 2, 2])).value == pytest.approx(1)
    assert degree_entropy(np.array([1, 1, 0, 0])).value == pytest.approx(np.log(2) / np.log(4))


def test_the_exponent_of_a_power_law_is_recovered():
    degrees = np.arange(3, 200_000)
    law = degrees**-2.5
    drawn = np.random.default_rng(0).choice(degrees, size=20_000, p=law / law.sum())
    fitted = power_law_exponent(np.concatenate([drawn, [0, 1, 2, 2]])).value
    # standard error (alpha - 1) / sqrt(n) of Clauset et al., eq. 3.6, is .011
    assert fitted == pytest.approx(2.5, abs=5 * 0.011)


def test_the_continuous_exponent_is_that_of_a_continuous_law():
    # inverse transform of a Pareto law from 1000 on, where rounding to integers changes little
    drawn = 1000 * (1 - np.random.default_rng(0).random(20_000)) ** (-1 / 1.5)
    assert continuous_power_law_alpha(drawn.astype(np.int64)).value == pytest.approx(2.5, abs=5 * 0.011)
    assert continuous_power_law_alpha(np.array([0, 1, np.e**2 // 1])).value == pytest.approx(1 + 2 / np.log(7))
    assert continuous_power_law_alpha(np.array([0, 1, 1])).reason.endswith("so the exponent is infinite")


def test_assortativity_equals_networkx(hub_graph, random_graphs):
    for graph in [hub_graph, *random_graphs[:-1]]:
        expected = nx.degree_assortativity_coefficient(graph.to_networkx())
        assert assortativity(graph).value == pytest.approx(expected, abs=1e-12)


def test_assortativity_of_two_stars_is_minus_1():
    star = np.array([(0, 1), (0, 2), (0, 3)])
    assert assortativity(Graph.from_edges(np.concatenate([star, star + 4]), 8)).value == pytest.approx(-1)
