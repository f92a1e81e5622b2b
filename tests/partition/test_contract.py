"""What every partitioner promises, on every graph."""

import importlib
import inspect
import pkgutil

import networkx as nx
import numpy as np
import pytest

import sbgd.partition
from sbgd.graph import Graph
from sbgd.partition import BlockGraph, LouvainPartitioner, MetisPartitioner, Partition, Partitioner

PARTITIONERS = [
    MetisPartitioner(),
    MetisPartitioner(block_size=1),
    MetisPartitioner(block_size=2),
    MetisPartitioner(block_size=7, max_block_size=7),
    MetisPartitioner(block_size=10_000),
    MetisPartitioner(connected=False),
    MetisPartitioner(block_size=3, max_block_size=30, merge_below=0),
    LouvainPartitioner(),
    LouvainPartitioner(max_block_size=1),
    LouvainPartitioner(max_block_size=5, connected=False),
]


@pytest.fixture(params=PARTITIONERS, ids=repr, scope="session")
def partitioner(request: pytest.FixtureRequest) -> Partitioner:
    return request.param


@pytest.fixture(scope="session")
def partition(graph: Graph, partitioner: Partitioner) -> Partition:
    return partitioner(graph, seed=7)


def test_every_partitioner_of_the_package_is_tested() -> None:
    modules = [
        importlib.import_module(f"sbgd.partition.{m.name}") for m in pkgutil.iter_modules(sbgd.partition.__path__)
    ]
    classes = {kind for module in modules for _, kind in inspect.getmembers(module, inspect.isclass)}
    concrete = {kind for kind in classes if issubclass(kind, Partitioner) and not inspect.isabstract(kind)}
    assert concrete == {type(partitioner) for partitioner in PARTITIONERS}


def test_every_node_is_in_a_block_and_no_block_is_empty(graph: Graph, partition: Partition) -> None:
    assert partition.assignment.dtype == np.int64
    assert partition.num_nodes == graph.num_nodes
    assert np.array_equal(np.unique(partition.assignment), np.arange(partition.num_blocks))


def test_no_block_exceeds_the_size_limit(partition: Partition, partitioner: Partitioner) -> None:
    assert partition.sizes.max(initial=0) <= partitioner.size_limit


def test_blocks_are_connected_where_promised(graph: Graph, partition: Partition, partitioner: Partitioner) -> None:
    block_graph = BlockGraph.split(graph, partition)
    blocks = [block_graph.block(i).to_networkx() for i in range(block_graph.num_blocks)]
    assert not partitioner.connected or all(nx.is_connected(block) for block in blocks)


def test_split_then_assemble_is_lossless(graph: Graph, partition: Partition) -> None:
    assert BlockGraph.split(graph, partition).assemble() == graph


def test_inner_and_outer_edges_are_all_edges(graph: Graph, partition: Partition) -> None:
    quotient = BlockGraph.split(graph, partition).quotient()
    quotient.check()
    assert quotient.total_edges == graph.num_edges
    assert quotient.total_nodes == graph.num_nodes


def test_a_seed_fixes_the_partition(graph: Graph, partition: Partition, partitioner: Partitioner) -> None:
    assert np.array_equal(partitioner(graph, seed=7).assignment, partition.assignment)


def test_blocks_are_numbered_by_their_first_node(partition: Partition) -> None:
    _, first = np.unique(partition.assignment, return_index=True)
    assert np.all(np.diff(first) > 0)


@pytest.mark.parametrize("seed", [-1, 0, 2**40])
def test_any_integer_is_a_seed(seed: int, karate: Graph, partitioner: Partitioner) -> None:
    assert partitioner(karate, seed=seed).num_nodes == 34


def test_attributes_do_not_change_the_partition(partitioner: Partitioner, karate: Graph) -> None:
    named = karate.replace(node_ids=np.arange(34) * 3 + 1, labels=np.zeros(34, np.int64))
    assert np.array_equal(partitioner(named).assignment, partitioner(karate).assignment)


def test_the_representation_rebuilds_the_partitioner(partitioner: Partitioner) -> None:
    kinds = {kind.__name__: kind for kind in (MetisPartitioner, LouvainPartitioner)}
    assert eval(repr(partitioner), kinds) == partitioner  # noqa: S307


@pytest.mark.parametrize(
    "partitioner", [MetisPartitioner(block_size=64, max_block_size=64), LouvainPartitioner(max_block_size=64)], ids=repr
)
@pytest.mark.parametrize("size", [64, 65, 600])
def test_a_clique_is_cut_only_if_it_exceeds_the_limit(size: int, partitioner: Partitioner) -> None:
    clique = Graph.from_networkx(nx.complete_graph(size))
    block_graph = BlockGraph.split(clique, partitioner(clique))
    assert (block_graph.num_blocks == 1) == (size <= 64)
    assert np.diff(block_graph.offsets).max() <= 64
    assert block_graph.assemble() == clique
