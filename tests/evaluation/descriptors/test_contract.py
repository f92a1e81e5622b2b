"""What every descriptor owes to those who compare its vectors."""

import numpy as np
import pytest

from sbgd.evaluation.descriptors.clustering import ClusteringHistogram
from sbgd.evaluation.descriptors.components import ComponentStatistics
from sbgd.evaluation.descriptors.degree import DegreeHistogram
from sbgd.evaluation.descriptors.features import FeatureMoments
from sbgd.evaluation.descriptors.gin import RandomGIN
from sbgd.evaluation.descriptors.motif import FourCycles
from sbgd.evaluation.descriptors.orbits import OrbitCounts
from sbgd.evaluation.descriptors.orbits5 import OrbitCounts5
from sbgd.evaluation.descriptors.paths import ShortestPathHistogram
from sbgd.evaluation.descriptors.spectrum import SpectrumHistogram
from sbgd.evaluation.descriptors.wavelet import WaveletHistogram
from sbgd.evaluation.descriptors.wl import WLHistogram
from sbgd.evaluation.graph_set import GraphSet
from sbgd.graph import Graph

DESCRIPTORS = [
    ClusteringHistogram(),
    ComponentStatistics(),
    DegreeHistogram(),
    FeatureMoments(),
    FourCycles(),
    OrbitCounts(),
    OrbitCounts5(),
    RandomGIN(),
    RandomGIN(features=True),
    ShortestPathHistogram(),
    SpectrumHistogram(),
    WaveletHistogram(),
    WLHistogram(),
    WLHistogram(start="constant"),
    WLHistogram(start="label"),
]


@pytest.fixture(params=DESCRIPTORS, ids=repr)
def descriptor(request):
    return request.param


@pytest.fixture
def graphs(shapes, random_graphs):
    generator = np.random.default_rng(3)
    return [
        graph.replace(
            features=generator.normal(size=(graph.num_nodes, 2)), labels=generator.integers(0, 3, graph.num_nodes)
        )
        for graph in [*shapes.values(), *random_graphs]
    ]


def renumbered(graph):
    order = np.random.default_rng(graph.num_nodes).permutation(graph.num_nodes)
    place = np.argsort(order)
    return Graph.from_edges(
        place[graph.edges], graph.num_nodes, features=graph.features[order], labels=graph.labels[order]
    )


def test_vectors_do_not_depend_on_the_numbering_of_nodes(descriptor, graphs):
    renamed = descriptor(GraphSet([renumbered(graph) for graph in graphs]))
    # an eigenvalue that is the edge of a bin may fall on either side of it, and eigenvectors of equal eigenvalues too
    if isinstance(descriptor, SpectrumHistogram | WaveletHistogram):
        graphs, renamed = graphs[-6:-1], renamed[-6:-1]
    np.testing.assert_allclose(descriptor(GraphSet(graphs)), renamed, rtol=1e-10, atol=1e-10)


def test_vectors_do_not_depend_on_the_other_graphs(descriptor, graphs):
    together = descriptor(GraphSet(graphs))
    for graph, expected in zip(graphs, together, strict=True):
        (alone,) = descriptor(GraphSet([graph]))
        np.testing.assert_allclose(alone, expected[: len(alone)], rtol=1e-10, atol=1e-12)
        assert not expected[len(alone) :].any()


def test_every_graph_has_a_finite_row_of_doubles(descriptor, graphs):
    vectors = descriptor(GraphSet(graphs))
    assert vectors.dtype == np.float64
    assert len(vectors) == len(graphs)
    assert np.isfinite(vectors).all()


def test_sets_without_nodes_and_without_graphs_have_vectors(descriptor):
    assert np.isfinite(descriptor(GraphSet([Graph.from_edges([], 0)] * 2))).all()
    assert len(descriptor(GraphSet([]))) == 0


def test_a_plain_list_of_graphs_is_a_set(descriptor, graphs):
    assert np.array_equal(descriptor(graphs), descriptor(GraphSet(graphs)))


def test_equal_descriptors_are_one(descriptor):
    assert hash(descriptor) == hash(type(descriptor)(**vars(descriptor)))
