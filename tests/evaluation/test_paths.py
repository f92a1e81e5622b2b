import networkx as nx
import numpy as np
import pytest

from sbgd.evaluation.paths import largest_component, mean_path_length
from sbgd.graph import Graph

GENERATOR = np.random.default_rng(0)


def test_path_lengths_of_small_shapes(shapes):
    expected = {"triangle": 1, "square": 4 / 3, "star": 1.5, "k4": 1, "path": 5 / 3, "edge": 1}
    for shape, mean in expected.items():
        graph = shapes[shape]
        length = mean_path_length(graph, np.arange(graph.num_nodes), generator=GENERATOR)
        assert (length.mean, length.standard_error) == (pytest.approx(mean), None)


def test_exact_length_equals_networkx(hub_graph):
    component = largest_component(hub_graph)
    other = hub_graph.to_networkx().subgraph(component.tolist())
    length = mean_path_length(hub_graph, component, generator=GENERATOR)
    assert length.mean == pytest.approx(nx.average_shortest_path_length(other), rel=1e-12)


def test_sampled_length_is_within_its_standard_error():
    generator = np.random.default_rng(1)
    ring = np.stack([np.arange(3000), (np.arange(3000) + 1) % 3000], axis=1)
    graph = Graph.from_edges(np.concatenate([ring, random_chords(generator)]), 3000)
    nodes = np.arange(3000)
    exact = mean_path_length(graph, nodes, generator=generator)
    sampled = mean_path_length(graph, nodes, max_exact_nodes=100, num_batches=8, generator=generator)
    assert 0 < sampled.standard_error < 0.1
    assert abs(sampled.mean - exact.mean) < 5 * sampled.standard_error


def random_chords(generator):
    ends = generator.integers(0, 3000, size=(1500, 2))
    return ends[ends[:, 0] != ends[:, 1]]


def test_largest_component_is_the_first_of_equals():
    graph = Graph.from_edges([(1, 2), (3, 4)], 5)
    assert largest_component(graph).tolist() == [1, 2]
