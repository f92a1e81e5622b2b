"""What of whole graphs is modelled: dense form and back, classes, shares, and what is refused."""

import networkx as nx
import numpy as np
import pytest
import torch

from sbgd.data.graph_schema import GraphSchema
from sbgd.errors import InputError
from sbgd.graph import Graph

MOLECULES = [
    Graph.from_edges([(0, 1), (1, 2)], 3, labels=[6, 8, 6], edge_types=[1, 2], features=[[0.0], [2.0], [4.0]]),
    Graph.from_edges([(0, 1)], 2, labels=[6, 9], edge_types=[2], features=[[1.0], [3.0]]),
]
EVERYTHING = {"features": True, "categories": "labels", "edge_types": True}


def test_graphs_come_back_from_a_batch():
    schema = GraphSchema.fit(MOLECULES, **EVERYTHING)
    batch = schema.batch(MOLECULES, 4)
    for row, graph in enumerate(MOLECULES):
        n = graph.num_nodes
        made = schema.structure(batch.edges[row, :n, :n].numpy().astype(np.int64))
        made |= schema.node_attributes(batch.features[row, :n].numpy(), batch.categories[row, :n].numpy())
        built = Graph.from_edges([], n).replace(**made)
        assert built.edges.tolist() == graph.edges.tolist()
        assert built.edge_types.tolist() == graph.edge_types.tolist()
        assert built.labels.tolist() == graph.labels.tolist()
        assert built.features == pytest.approx(graph.features, abs=1e-6)
    assert batch.mask.tolist() == [[1, 1, 1, 0], [1, 1, 0, 0]]
    assert float(batch.edges[1, 2:].abs().sum()) == 0


def test_edges_are_listed_as_they_are_dense():
    schema = GraphSchema.fit(MOLECULES, **EVERYTHING)
    batch = schema.batch(MOLECULES, 4)
    dense = {(b * 4 + u, b * 4 + v) for b, u, v in torch.nonzero(batch.edges).tolist()}
    assert {tuple(pair) for pair in batch.edge_index.T.tolist()} == dense
    sparse = schema.batch(MOLECULES, 4, is_dense=False)
    assert torch.equal(sparse.edge_index, batch.edge_index)
    assert sparse.edges.numel() == 0


def test_shares_are_those_of_the_graphs():
    edges, features, categories = GraphSchema.fit(MOLECULES, **EVERYTHING).shares(MOLECULES)
    assert edges.tolist() == pytest.approx([1 / 4, 1 / 4, 2 / 4])
    assert features.shape == (1,)
    assert categories.tolist() == pytest.approx([3 / 5, 1 / 5, 1 / 5])


def test_binary_features_are_found_and_left_as_they_are():
    graph = Graph.from_edges([(0, 1)], 2, features=[[0.0, 1.0], [1.0, 1.0]])
    schema = GraphSchema.fit([graph], features=True)
    assert schema.is_binary
    assert schema.batch([graph], 2).features[0].tolist() == [[0, 1], [1, 1]]
    assert schema.shares([graph])[1].tolist() == [0.5, 1]
    assert not GraphSchema.fit(MOLECULES, **EVERYTHING).is_binary


def test_degrees_as_categories_are_capped():
    star = Graph.from_networkx(nx.star_graph(9))
    schema = GraphSchema.fit([star], categories="degrees", max_degree=4)
    assert schema.classes.tolist() == [0, 1, 2, 3, 4]
    assert schema.batch([star], 10).categories[0].tolist() == [4, *[1] * 9]
    assert schema.node_attributes(np.zeros((10, 0), np.float32), np.ones(10, np.int64)) == {}


@pytest.mark.parametrize("graphs", [[Graph.from_edges([], 3)], [Graph.from_networkx(nx.complete_graph(4))]])
def test_shares_of_edges_are_never_zero_or_one(graphs):
    edges, _, _ = GraphSchema.fit(graphs).shares(graphs)
    assert float(edges.min()) > 0
    assert float(edges.sum()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"features": True}, "expected node features on every graph since data.features asks for them, got 1 of 2"),
        ({"categories": "labels"}, "expected node labels on every graph since data.categories asks for them"),
        ({"edge_types": True}, "expected edge types on every graph since data.edge_types asks for them"),
        ({"categories": "colours"}, "expected categories none, labels or degrees, got 'colours'"),
    ],
)
def test_what_is_asked_for_and_missing_is_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        GraphSchema.fit([MOLECULES[0], Graph.from_edges([(0, 1)], 2)], **arguments)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": [6, 7]}, r"expected a label out of \[6, 8, 9\] as in training, got 7"),
        ({"edge_types": [3]}, r"expected a edge type out of \[1, 2\] as in training, got 3"),
        ({"labels": None}, "expected a graph with labels, got one without"),
        ({"features": [[1.0, 2.0], [3.0, 4.0]]}, "expected 1 features on every graph, got 2"),
    ],
)
def test_values_that_training_had_not_are_refused(change, message):
    schema = GraphSchema.fit(MOLECULES, **EVERYTHING)
    change = {name: None if value is None else np.array(value) for name, value in change.items()}
    with pytest.raises(InputError, match=message):
        schema.batch([MOLECULES[1].replace(**change)], 4)
