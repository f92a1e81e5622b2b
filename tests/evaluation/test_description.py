import numpy as np
import pytest

from sbgd.evaluation.description import CHUNK_NODES, describe, workers
from sbgd.evaluation.descriptors import (
    BudgetError,
    ClusteringHistogram,
    DegreeHistogram,
    OrbitCounts,
    SpectrumHistogram,
    WaveletHistogram,
)
from sbgd.evaluation.graph_set import GraphSet
from sbgd.graph import Graph

DESCRIPTORS = [DegreeHistogram(), ClusteringHistogram(), OrbitCounts(), SpectrumHistogram(), WaveletHistogram()]


@pytest.fixture(scope="module")
def many(fixture_sets):
    graphs = fixture_sets["sbm:ref"] + fixture_sets["rgg_er:ref"] + fixture_sets["planar:ref"]
    assert sum(graph.num_nodes for graph in graphs) < CHUNK_NODES < 2 * sum(graph.num_nodes for graph in graphs)
    return graphs * 2


@pytest.mark.parametrize("descriptor", DESCRIPTORS, ids=repr)
def test_chunks_change_nothing(descriptor, many):
    found = describe(many, [descriptor])[descriptor]
    assert np.array_equal(found, descriptor(GraphSet(many)))


def test_processes_change_nothing(many):
    with workers(2) as executor:
        apart = describe(many, DESCRIPTORS, executor=executor)
    alone = describe(many, DESCRIPTORS)
    assert all(np.array_equal(apart[descriptor], alone[descriptor]) for descriptor in DESCRIPTORS)


def test_one_job_needs_no_process():
    with workers(1) as executor:
        assert executor is None


def test_spectra_with_and_without_eigenvectors_agree(many):
    with_vectors, without = (GraphSet(many[:20], eigenvectors=wanted) for wanted in (True, False))
    for one, other in zip(with_vectors.spectra, without.spectra, strict=True):
        assert one == pytest.approx(other, abs=1e-12)


def test_a_refusal_concerns_one_descriptor():
    large = Graph.from_edges([(0, 1)], 1600)
    found = describe([large, Graph.from_edges([(0, 1)], 2)], [DegreeHistogram(), SpectrumHistogram()])
    assert isinstance(found[SpectrumHistogram()], BudgetError)
    assert found[DegreeHistogram()].shape == (2, 3)


def test_no_graphs_have_no_vectors():
    assert describe([], [DegreeHistogram()])[DegreeHistogram()].shape[0] == 0
