import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.evaluation.descriptors.features import FeatureMoments, node_features
from sbgd.graph import Graph


def test_moments_of_a_path_by_hand():
    path = Graph.from_edges([(0, 1), (1, 2)], 3, features=[[0.0, 5.0], [3.0, 5.0], [3.0, 5.0]])
    # z = (-2, 1, 1) / sqrt(2); edges -1 and 1/2
    assert FeatureMoments()([path])[0] == pytest.approx([0, 2, 5, np.sqrt(2), 0, -0.25, 0])


def test_a_feature_that_agrees_along_edges_has_correlation_one_and_one_that_alternates_minus_one(shapes):
    edges = [(0, 1), (2, 3)]
    agreeing = Graph.from_edges(edges, 4, features=[1.0, 1.0, 2.0, 2.0])
    alternating = Graph.from_edges(edges, 4, features=[1.0, 2.0, 1.0, 2.0])
    assert FeatureMoments()([agreeing, alternating])[:, 3] == pytest.approx([1, -1])


def test_shift_and_scale_leave_the_correlation(random_graphs):
    x = np.random.default_rng(0).normal(size=(random_graphs[0].num_nodes, 3))
    before, after = FeatureMoments()([random_graphs[0].replace(features=y) for y in (x, 4 * x + 1)])
    assert after[1:4] == pytest.approx(4 * before[1:4] + 1)
    assert after[4:7] == pytest.approx(4 * before[4:7])
    assert after[7:] == pytest.approx(before[7:])


def test_a_constant_feature_and_a_graph_without_edges_have_no_correlation():
    constant = Graph.from_edges([(0, 1), (1, 2)], 3, features=[0.1 + 0.2] * 3)
    edgeless = Graph.from_edges([], 2, features=[1.0, 2.0])
    assert FeatureMoments()([constant, edgeless])[:, 3].tolist() == [0, 0]


def test_graphs_without_nodes_are_marked_and_need_no_features(shapes):
    point = shapes["point"].replace(features=np.array([[2.0]]))
    assert FeatureMoments()([shapes["nothing"], point]).tolist() == [[1, 0, 0, 0], [0, 2, 0, 0]]
    assert node_features([shapes["nothing"]]).shape == (0, 0)


def test_missing_features_are_reported(shapes):
    with pytest.raises(InputError, match="got 2 of 2 graphs without any, the first at position 0"):
        FeatureMoments()([shapes["k4"], shapes["path"]])
