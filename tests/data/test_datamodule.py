"""The data module on small files."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch

from sbgd.data.datamodule import BlockDataModule
from sbgd.errors import InputError
from sbgd.formats import save
from sbgd.graph import Graph
from sbgd.partition import MetisPartitioner

SMALL = MetisPartitioner(block_size=8, merge_below=2)


def random_graph(num_nodes: int, seed: int, num_features: int = 0) -> Graph:
    edges = list(nx.barabasi_albert_graph(num_nodes, 2, seed=seed).edges)
    features = np.random.default_rng(seed).normal(5, 3, (num_nodes, num_features)) if num_features else None
    return Graph.from_edges(edges, num_nodes, features=features)


@pytest.fixture
def edge_list(tmp_path: Path) -> str:
    path = tmp_path / "graph.txt"
    path.write_text("".join(f"{u} {v}\n" for u, v in random_graph(60, 0).edges))
    return str(path)


@pytest.fixture
def with_features(tmp_path: Path) -> str:
    path = tmp_path / "features.npz"
    save([random_graph(40, seed, num_features=3) for seed in range(2)], path)
    return str(path)


def test_every_cut_holds_all_edges_of_the_file(edge_list: str) -> None:
    module = BlockDataModule(edge_list, partitioner=SMALL, num_partitions=3)
    module.setup()
    assert len(module.block_graphs) == 3
    assert all(graph.assemble().num_edges == random_graph(60, 0).num_edges for graph in module.block_graphs)
    assert max(np.diff(graph.offsets).max() for graph in module.block_graphs) <= SMALL.size_limit


def test_cuts_and_validation_cuts_come_from_different_seeds(edge_list: str) -> None:
    module = BlockDataModule(edge_list, partitioner=SMALL, num_partitions=2)
    module.setup()
    orders = [graph.node_order.tolist() for graph in module.block_graphs]
    assert orders[0] != orders[1]
    validation = next(iter(module.val_dataloader()))
    training = next(iter(module.train_dataloader()))
    assert not torch.equal(validation["pairs"].left_stubs, training["pairs"].left_stubs)


def test_partitions_are_cached_where_asked(edge_list: str, tmp_path: Path) -> None:
    for _ in range(2):
        BlockDataModule(edge_list, partitioner=SMALL, num_partitions=2, cache_dir=str(tmp_path / "cache")).setup()
    assert len(list((tmp_path / "cache" / "partitions").iterdir())) == 3


def test_setup_runs_once(edge_list: str) -> None:
    module = BlockDataModule(edge_list, partitioner=SMALL)
    module.setup("fit")
    first = module.block_graphs
    module.setup("validate")
    assert module.block_graphs is first


def test_batches_have_the_sizes_asked_for(edge_list: str) -> None:
    module = BlockDataModule(
        edge_list, partitioner=SMALL, batch_size=2, pair_batch_size=5, steps_per_epoch=7, val_batches=3
    )
    module.setup()
    batches = list(module.train_dataloader())
    assert len(batches) == 7
    assert all(len(batch["pairs"]) == 5 and 1 <= len(batch["blocks"]) <= 2 for batch in batches)
    assert len(list(module.val_dataloader())) == 3


def test_features_are_left_out_unless_asked_for(with_features: str) -> None:
    module = BlockDataModule(with_features, partitioner=SMALL)
    module.setup()
    assert module.num_features == 0
    assert next(iter(module.train_dataloader()))["blocks"].features.shape[-1] == 0


def test_features_are_standardised_when_asked_for(with_features: str) -> None:
    module = BlockDataModule(with_features, partitioner=SMALL, features=True)
    module.setup()
    assert module.num_features == 3
    features = np.concatenate([random_graph(40, seed, num_features=3).features for seed in range(2)])
    np.testing.assert_allclose(module.scaler.mean, features.mean(0))
    np.testing.assert_allclose(module.scaler.scale, features.std(0))


def test_a_validation_set_is_read_and_scaled_like_the_training_set(with_features: str, tmp_path: Path) -> None:
    save([random_graph(30, 9, num_features=3)], tmp_path / "val.npz")
    module = BlockDataModule(
        with_features, str(tmp_path / "val.npz"), partitioner=SMALL, features=True, batch_size=99, val_batches=20
    )
    module.setup()
    graph = random_graph(30, 9, num_features=3)
    expected = np.unique(module.scaler.standardise(graph.features, 30), axis=0)
    seen = torch.cat([batch["blocks"].features[batch["blocks"].mask > 0] for batch in module.val_dataloader()])
    assert np.array_equal(np.unique(seen.numpy(), axis=0), expected)


def test_graphs_without_nodes_are_left_out(tmp_path: Path) -> None:
    save([Graph.from_edges([], 0), random_graph(20, 0)], tmp_path / "some.npz")
    module = BlockDataModule(str(tmp_path / "some.npz"), partitioner=SMALL, num_partitions=1)
    module.setup()
    assert [graph.num_nodes for graph in module.block_graphs] == [20]


def test_only_graphs_without_nodes_are_refused(tmp_path: Path) -> None:
    save([Graph.from_edges([], 0)], tmp_path / "none.npz")
    with pytest.raises(InputError, match="expected graphs with nodes"):
        BlockDataModule(str(tmp_path / "none.npz")).setup()


def test_features_that_are_not_there_are_refused(edge_list: str) -> None:
    with pytest.raises(InputError, match="expected node features"):
        BlockDataModule(edge_list, features=True).setup()


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        BlockDataModule(str(tmp_path / "nothing.txt")).setup()


def test_self_loops_are_refused_or_dropped_as_asked(tmp_path: Path) -> None:
    path = tmp_path / "loops.txt"
    path.write_text("0 0\n0 1\n1 2\n")
    with pytest.raises(InputError, match="self-loop"):
        BlockDataModule(str(path)).setup()
    module = BlockDataModule(str(path), self_loops="drop", num_partitions=1)
    module.setup()
    assert module.block_graphs[0].num_edges == 2


def test_a_graph_without_edges_trains_blocks_alone(tmp_path: Path) -> None:
    save([Graph.from_edges([], 9)], tmp_path / "isolated.npz")
    module = BlockDataModule(str(tmp_path / "isolated.npz"), partitioner=SMALL)
    module.setup()
    assert list(next(iter(module.train_dataloader()))) == ["blocks"]


def test_a_validation_set_of_another_width_is_refused(with_features: str, tmp_path: Path) -> None:
    save([random_graph(30, 9, num_features=2)], tmp_path / "val.npz")
    try:
        BlockDataModule(with_features, str(tmp_path / "val.npz"), partitioner=SMALL, features=True).setup()
    except InputError:
        return
    pytest.fail("accepted")


@pytest.mark.parametrize(
    "arguments",
    [
        {"num_partitions": 0},
        {"batch_size": 0},
        {"steps_per_epoch": 0},
        {"val_batches": 0},
        {"pair_batch_size": -1},
        {"empty_pair_share": 1.0},
        {"empty_pair_share": -0.1},
    ],
    ids=str,
)
def test_numbers_out_of_range_are_refused_by_name(arguments: dict[str, float]) -> None:
    (name,) = arguments
    with pytest.raises(InputError, match=name):
        BlockDataModule("cora", **arguments)


def test_an_unknown_self_loop_policy_is_refused(edge_list: str) -> None:
    with pytest.raises(InputError):
        BlockDataModule(edge_list, self_loops="keep").setup()
