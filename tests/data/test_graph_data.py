"""Whole graphs as training data: batches of one size, the same for the same seed, and positions that are restored."""

import networkx as nx
import numpy as np
import pytest
import torch

from sbgd.data.graph_data import GraphDataModule, GraphStream
from sbgd.data.graph_schema import GraphSchema
from sbgd.errors import InputError
from sbgd.formats import save
from sbgd.graph import Graph

GRAPHS = [Graph.from_networkx(nx.cycle_graph(n)) for n in (3, 5, 7, 9, 9, 9, 18)]
SCHEMA = GraphSchema.fit(GRAPHS)


def stream(**arguments):
    return GraphStream(GRAPHS, SCHEMA, **{"batch_size": 2, "num_batches": 6, **arguments})


def edges(batches):
    return [batch["graphs"].edges for batch in batches]


def test_an_epoch_is_the_same_for_the_same_seed_and_process():
    assert all(torch.equal(a, b) for a, b in zip(edges(stream()), edges(stream()), strict=True))
    for other in (stream(seed=1), stream(rank=1)):
        pairs = zip(edges(stream()), edges(other), strict=True)
        assert not all(a.shape == b.shape and torch.equal(a, b) for a, b in pairs)


@pytest.mark.parametrize("position", [0, 1, 4, 6, 8])
def test_a_restored_stream_goes_on_where_it_stopped(position):
    expected = [stream().batch(number)["graphs"].edges for number in range(12)]
    interrupted, seen = stream(), []
    while len(seen) < position:
        seen += [batch["graphs"].edges for _, batch in zip(range(position - len(seen)), interrupted, strict=False)]
    restored = stream()
    restored.load_state_dict(interrupted.state_dict())
    rest = edges(restored)
    assert len(rest) == 6 - position % 6
    assert all(torch.equal(a, b) for a, b in zip(seen + rest, expected, strict=False))


def test_graphs_of_a_batch_are_padded_to_the_largest_of_their_bucket():
    widths = {batch["graphs"].mask.shape[1] for batch in (stream().batch(i) for i in range(60))}
    assert widths <= {graph.num_nodes for graph in GRAPHS}
    assert 9 in widths
    assert 12 not in widths


def test_sizes_come_in_proportion_to_their_number():
    sizes = [int(stream(batch_size=1).batch(i)["graphs"].mask.sum()) for i in range(700)]
    share = np.mean([size == 18 for size in sizes])
    assert share == pytest.approx(1 / 7, abs=0.05)


@pytest.fixture
def typed(tmp_path):
    graphs = [Graph.from_edges([(0, 1)], 2, labels=[1, 2], edge_types=[1], features=[[0.5], [1.5]])] * 3
    save(graphs, tmp_path / "typed.npz")
    return str(tmp_path / "typed.npz")


def test_what_is_there_and_not_modelled_is_said(typed, monkeypatch):
    said = []
    monkeypatch.setattr("sbgd.data.graph_data.rank_zero_info", lambda text, *parts: said.append(text % parts))
    GraphDataModule(typed).setup()
    assert [line.partition(": not modelled: ")[2].partition(";")[0] for line in said] == [
        "node features", "node labels", "edge types",
    ]  # fmt: skip


def test_validation_features_have_to_be_of_the_same_width(typed, tmp_path):
    save([Graph.from_edges([], 1, features=[[1.0, 2.0]])], tmp_path / "wide.npz")
    with pytest.raises(InputError, match=r"expected 1 feature columns in .* as in training, got"):
        GraphDataModule(typed, str(tmp_path / "wide.npz"), features=True).setup()


@pytest.mark.parametrize("name", ["batch_size", "steps_per_epoch", "val_batches", "max_degree"])
def test_numbers_below_one_are_refused(name):
    with pytest.raises(InputError, match=f"expected data.{name} of at least 1, got 0"):
        GraphDataModule("x", **{name: 0})
