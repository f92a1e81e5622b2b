from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.evaluation.descriptors.gin import Affine, GINWeights, RandomGIN
from sbgd.evaluation.standardisation import Standardisation
from sbgd.graph import Graph

DATA = Path(__file__).parents[2] / "data_files" / "evaluation"


def with_features(graph, seed, width=2):
    return graph.replace(features=np.random.default_rng(seed).normal(size=(graph.num_nodes, width)))


def test_standardised_embeddings_equal_those_of_ggm_metrics(fixture_sets):
    with np.load(DATA / "gin_planar_seed0.npz") as stored:
        network = RandomGIN(weights=GINWeights.from_state(stored))
        reference = network(fixture_sets["planar:ref"])
        standardised = Standardisation.fitted(reference)
        # the source computes in single precision
        np.testing.assert_allclose(standardised(reference), stored["R"], atol=1e-4)
        np.testing.assert_allclose(standardised(network(fixture_sets["planar:gen"])), stored["G"], atol=1e-4)


def test_an_embedding_by_hand():
    one = Affine(np.array([[1.0], [-1.0]]), np.array([0.0, 7.0]))
    two = Affine(np.array([[1.0, 1.0], [-1.0, 0.0]]), np.array([1.0, 0.0]))
    star = Graph.from_edges([(0, 1), (0, 2), (0, 3)], 4)
    (found,) = RandomGIN(weights=GINWeights(((one, two),)))([star])
    # doubled degrees 6, 2, 2, 2; with neighbours 12, 8, 8, 8; hidden (12, 0) and (8, 0) times c
    c = 1 / np.sqrt(1 + 1e-5)
    assert found == pytest.approx([c**2 * (36 * c + 4), 0.0])


def test_random_weights_are_orthogonal_with_bounded_biases():
    weights = GINWeights.random(3, generator=np.random.default_rng(0))
    assert weights.num_inputs == 3
    assert weights.num_outputs == 70
    for layer in weights.layers:
        for affine in layer:
            num_inputs = affine.weight.shape[1]
            np.testing.assert_allclose(affine.weight.T @ affine.weight, np.eye(num_inputs), atol=1e-12)
            assert np.abs(affine.bias).max() <= 1 / np.sqrt(num_inputs)
    wide = Affine.random(5, 2, np.random.default_rng(0)).weight
    np.testing.assert_allclose(wide @ wide.T, np.eye(2), atol=1e-12)


def test_seeds_draw_different_networks_and_each_seed_the_same(random_graphs):
    network = RandomGIN()
    assert np.array_equal(network(random_graphs), RandomGIN(seed=0)(random_graphs))
    assert not np.allclose(network(random_graphs), replace(network, seed=1)(random_graphs))


def test_features_change_embeddings_and_their_place_among_nodes_counts(random_graphs):
    network = RandomGIN(features=True)
    # the last graph is complete, where all places are alike
    graphs = [with_features(graph, seed) for seed, graph in enumerate(random_graphs[:-1])]
    moved = [graph.replace(features=graph.features[::-1]) for graph in graphs]
    assert network(graphs).shape == (len(graphs), 70)
    assert np.abs(network(graphs) - network(moved)).max(axis=1).min() > 1e-3


def test_missing_features_are_reported(random_graphs):
    graphs = [with_features(random_graphs[0], 0), random_graphs[1]]
    with pytest.raises(InputError, match="1 of 2 graphs without any, the first at position 1"):
        RandomGIN(features=True)(graphs)
    with pytest.raises(InputError, match=r"as many features on every graph, got \[1, 2\]"):
        RandomGIN(features=True)([graphs[0], with_features(random_graphs[1], 0, width=1)])


def test_weights_of_another_input_are_refused(random_graphs):
    weights = GINWeights.random(1, generator=np.random.default_rng(0))
    with pytest.raises(InputError, match="expected weights for 3 inputs"):
        RandomGIN(features=True, weights=weights)([with_features(random_graphs[0], 0)])
    with pytest.raises(InputError, match="pass the GIN's state dict"):
        GINWeights.from_state({"weight": np.ones(3)})
