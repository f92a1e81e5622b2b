import networkx as nx
import numpy as np
import pytest

from sbgd.evaluation.statistics.homophily import (
    class_homophily,
    class_homophily_2hop,
    edge_homophily,
    label_assortativity,
)
from sbgd.graph import Graph


def by_definition(A, labels):
    """Class-insensitive homophily, written from eq. 2 of Lim et al., of a dense relation between nodes."""
    classes = np.unique(labels)
    total = 0.0
    for k in classes:
        inside = labels == k
        if A[inside].any():
            total += max(0.0, A[inside][:, inside].sum() / A[inside].sum() - inside.mean())
    return total / (len(classes) - 1)


@pytest.fixture(scope="module")
def labelled(random_graphs, hub_graph):
    generator = np.random.default_rng(5)
    return [g.replace(labels=generator.integers(0, 3, g.num_nodes) * 7 - 2) for g in [*random_graphs, hub_graph]]


def test_homophily_equals_its_definition(labelled):
    for graph in labelled:
        A = graph.to_scipy().toarray() > 0
        assert class_homophily(graph).value == pytest.approx(by_definition(A, graph.labels))
        squared = A.astype(int) @ A.astype(int) > 0
        assert class_homophily_2hop(graph, with_self=True).value == pytest.approx(by_definition(squared, graph.labels))
        np.fill_diagonal(squared, False)
        assert class_homophily_2hop(graph).value == pytest.approx(by_definition(squared, graph.labels))


def test_label_assortativity_and_edge_homophily_equal_networkx(labelled):
    for graph in labelled:
        other = graph.to_networkx()
        assert label_assortativity(graph).value == pytest.approx(nx.attribute_assortativity_coefficient(other, "y"))
        same = [other.nodes[u]["y"] == other.nodes[v]["y"] for u, v in other.edges]
        assert edge_homophily(graph).value == pytest.approx(np.mean(same))


def test_homophily_of_pure_and_of_bipartite_classes(shapes):
    pure = Graph.from_edges([(0, 1), (2, 3)], 4, labels=[0, 0, 1, 1])
    assert edge_homophily(pure).value == 1
    assert class_homophily(pure).value == 1
    assert label_assortativity(pure).value == 1
    crossed = shapes["square"].replace(labels=np.array([0, 1, 0, 1]))
    assert class_homophily(crossed).value == 0
    assert class_homophily_2hop(crossed).value == 1
    assert label_assortativity(crossed).value == -1


def test_a_class_without_edges_contributes_nothing():
    graph = Graph.from_edges([(0, 1)], 3, labels=[0, 0, 1])
    assert class_homophily(graph).value == pytest.approx(1 - 2 / 3)


def test_what_is_missing_is_said(shapes):
    assert edge_homophily(shapes["star"]).reason == "the graph has no labels"
    assert class_homophily(shapes["star"].replace(labels=np.zeros(4, int))).reason == "all labels are equal"
    assert class_homophily_2hop(shapes["two_points"].replace(labels=np.arange(2))).reason == "the graph has no edges"


def test_sampled_homophily_is_within_its_standard_error():
    generator = np.random.default_rng(2)
    labels = np.repeat(np.arange(4), 750)
    ends = np.concatenate([generator.integers(0, 3000, (6000, 2)), generator.integers(0, 750, (9000, 2))])
    ends[6000:] += 750 * generator.integers(0, 4, (9000, 1))
    graph = Graph.from_edges(ends[ends[:, 0] != ends[:, 1]], 3000, labels=labels)
    exact = class_homophily_2hop(graph)
    sampled = class_homophily_2hop(graph, max_work=1000, generator=generator)
    assert exact.spread is None
    assert 0 < sampled.spread < 0.05
    assert abs(sampled.value - exact.value) < 5 * sampled.spread
