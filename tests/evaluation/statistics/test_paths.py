import networkx as nx
import numpy as np
import pytest

from sbgd.evaluation.statistics.paths import components, distance_law
from sbgd.evaluation.statistics.profile import Profile
from sbgd.graph import Graph

GENERATOR = np.random.default_rng(0)


def law(graph, **options):
    return distance_law(graph, np.flatnonzero(graph.degrees), generator=GENERATOR, **options)


def ring_with_chords():
    generator = np.random.default_rng(1)
    ring = np.stack([np.arange(3000), (np.arange(3000) + 1) % 3000], axis=1)
    ends = generator.integers(0, 3000, size=(1500, 2))
    return Graph.from_edges(np.concatenate([ring, ends[ends[:, 0] != ends[:, 1]]]), 3000)


def test_path_lengths_of_small_shapes(shapes):
    expected = {"triangle": 1, "square": 4 / 3, "star": 1.5, "k4": 1, "path": 5 / 3, "edge": 1}
    for shape, mean in expected.items():
        length = law(shapes[shape]).mean()
        assert (length.value, length.spread) == (pytest.approx(mean), None)


def test_effective_diameter_is_interpolated(shapes):
    # of the 12 ordered pairs of a star half are at distance 1, so 90 % are reached 4/5 of the way from 1 to 2
    assert law(shapes["star"]).effective_diameter().value == pytest.approx(1.8)
    assert law(shapes["k4"]).effective_diameter().value == pytest.approx(0.9)


def test_exact_law_equals_networkx_on_all_components(hub_graph):
    other = hub_graph.to_networkx()
    lengths = [d for _, row in nx.all_pairs_shortest_path_length(other) for d in row.values() if d]
    found = Profile.of(hub_graph).distances
    assert found.counts.sum(axis=0).tolist() == np.bincount(lengths)[1:].tolist()
    assert found.longest == max(lengths)


def test_exact_length_in_the_largest_component_equals_networkx(hub_graph):
    other = hub_graph.to_networkx()
    largest = other.subgraph(max(nx.connected_components(other), key=len))
    length = Profile.of(hub_graph).distances_in_largest.mean()
    assert length.value == pytest.approx(nx.average_shortest_path_length(largest), rel=1e-12)


def test_sampled_law_is_within_its_standard_error():
    graph = ring_with_chords()
    exact, sampled = law(graph), law(graph, max_exact_nodes=100, num_batches=8)
    assert exact.is_exact
    assert not sampled.is_exact
    for name in ("mean", "effective_diameter"):
        truth, estimate = getattr(exact, name)(), getattr(sampled, name)()
        assert 0 < estimate.spread < 0.1
        assert abs(estimate.value - truth.value) < 5 * estimate.spread
    assert sampled.longest <= exact.longest


def test_the_standard_error_is_the_spread_of_estimates():
    graph = ring_with_chords()
    draws = [
        distance_law(
            graph, np.arange(3000), max_exact_nodes=0, num_batches=4, generator=np.random.default_rng(seed)
        ).mean()
        for seed in range(60)
    ]
    spread = np.std([draw.value for draw in draws], ddof=1)
    # chi-square quotients of 59 and 60 x 3 degrees of freedom; sources are drawn without replacement, .96 of the error
    assert 0.6 < spread / np.sqrt(np.mean([draw.spread**2 for draw in draws])) < 1.5


def test_largest_component_is_the_first_of_equals():
    graph = Graph.from_edges([(1, 2), (3, 4), (4, 5), (6, 7), (7, 8)], 9)
    assert components(graph).tolist() == [0, 1, 1, 2, 2, 2, 3, 3, 3]
    assert Profile.of(graph).component_sizes.tolist() == [1, 2, 3, 3]
