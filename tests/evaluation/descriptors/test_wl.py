import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.evaluation.descriptors.wl import WLHistogram
from sbgd.graph import Graph

HEXAGON = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)], 6)
TWO_TRIANGLES = Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)], 6)


def rounds(vector, num_buckets=512):
    return vector[1:].reshape(-1, num_buckets)


def test_every_round_holds_an_equal_share_of_the_nodes(random_graphs):
    for vector in WLHistogram(iterations=2)(random_graphs):
        assert rounds(vector).sum(axis=1) == pytest.approx([1 / 3] * 3)


def test_the_classes_of_a_path_split_from_its_ends():
    path = Graph.from_edges([(i, i + 1) for i in range(6)], 7)
    (vector,) = WLHistogram(iterations=3)([path])
    classes = [sorted((28 * row[row > 0]).round().astype(int)) for row in rounds(vector)]
    assert classes == [[2, 5], [2, 2, 3], [1, 2, 2, 2], [1, 2, 2, 2]]


def test_degrees_at_the_start_are_one_round_ahead_of_one_colour_for_all(random_graphs):
    by_degree = [WLHistogram(iterations=1)([graph])[0] for graph in random_graphs]
    by_constant = [WLHistogram(iterations=2, start="constant")([graph])[0] for graph in random_graphs]
    for ahead, behind in zip(by_degree, by_constant, strict=True):
        assert np.count_nonzero(rounds(behind)[0]) == 1
        for one, other in zip(rounds(ahead), rounds(behind)[1:], strict=True):
            assert sorted(one[one > 0] * 2) == pytest.approx(sorted(other[other > 0] * 3))


def test_refinement_cannot_tell_regular_graphs_of_one_degree():
    hexagon, triangles = WLHistogram()([HEXAGON, TWO_TRIANGLES])
    assert np.array_equal(hexagon, triangles)


def test_labels_tell_them_apart():
    labelled = [graph.replace(labels=np.array([0, 1, 0, 1, 0, 1])) for graph in (HEXAGON, TWO_TRIANGLES)]
    hexagon, triangles = WLHistogram(start="label")(labelled)
    assert np.array_equal(rounds(hexagon)[0], rounds(triangles)[0])
    assert not np.array_equal(rounds(hexagon)[1], rounds(triangles)[1])


def test_missing_labels_are_reported():
    with pytest.raises(InputError, match="got 1 of 2 graphs without any"):
        WLHistogram(start="label")([HEXAGON.replace(labels=np.zeros(6, dtype=np.int64)), TWO_TRIANGLES])


def test_buckets_are_the_same_on_every_machine(shapes):
    (vector,) = WLHistogram(iterations=2, num_buckets=64)([shapes["star"]])
    assert np.flatnonzero(vector).tolist() == [2, 46, 94, 107, 132, 185]
