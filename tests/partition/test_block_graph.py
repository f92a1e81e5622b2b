import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sbgd.errors import InputError
from sbgd.graph import Graph
from sbgd.partition import BlockGraph, Partition, assemble_blocks

# A square 0-1-2-3 with the diagonal 0-2 and a pendant node 4 at node 1; blocks {0, 2} and {1, 3, 4}.
EDGES = [(0, 1), (1, 2), (2, 3), (0, 3), (0, 2), (1, 4)]
BLOCKS = [0, 1, 0, 1, 1]


@pytest.fixture
def square() -> BlockGraph:
    graph = Graph.from_edges(EDGES, 5, features=np.arange(10.0).reshape(5, 2), labels=range(5), node_ids=list("abcde"))
    return BlockGraph.split(graph, Partition.from_assignment(BLOCKS))


@st.composite
def partitioned_graphs(draw: st.DrawFn) -> tuple[Graph, Partition]:
    n = draw(st.integers(0, 14))
    pairs = [(u, v) for u in range(n) for v in range(u + 1, n)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    labels = draw(st.lists(st.integers(0, n), min_size=n, max_size=n))
    graph = Graph.from_edges(edges, n, features=np.arange(2.0 * n).reshape(n, 2), labels=np.arange(n) % 3)
    return graph.replace(node_ids=np.arange(n)[::-1] + 5), Partition.from_assignment(labels)


def test_split_writes_local_indices_sorted_by_block_and_pair(square: BlockGraph) -> None:
    assert square.node_order.tolist() == [0, 2, 1, 3, 4]
    assert square.offsets.tolist() == [0, 2, 5]
    assert square.inner_edges.tolist() == [[0, 1], [0, 2]]
    assert square.inner_offsets.tolist() == [0, 1, 2]
    assert square.pairs.tolist() == [[0, 1]]
    assert square.pair_edges.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert square.pair_offsets.tolist() == [0, 4]
    assert square.pair(0).tolist() == square.pair_edges.tolist()


def test_a_block_is_the_induced_subgraph_with_its_attributes(square: BlockGraph) -> None:
    block = square.block(1)
    expected = Graph.from_edges(
        [(0, 2)], 3, features=[[2.0, 3.0], [6.0, 7.0], [8.0, 9.0]], labels=[1, 3, 4], node_ids=list("bde")
    )
    assert block == expected


def test_blocks_equal_the_induced_subgraphs_of_networkx(scale_free: Graph) -> None:
    partition = Partition.from_assignment(np.arange(400) % 13)
    block_graph = BlockGraph.split(scale_free, partition)
    whole = scale_free.to_networkx()
    for i in range(13):
        nodes = np.flatnonzero(partition.assignment == i)
        assert np.array_equal(block_graph.node_order[block_graph.offsets[i] : block_graph.offsets[i + 1]], nodes)
        names = dict(zip(nodes.tolist(), range(len(nodes)), strict=True))
        expected = nx.relabel_nodes(whole.subgraph(nodes.tolist()), names)
        assert nx.utils.graphs_equal(nx.Graph(expected), block_graph.block(i).to_networkx())


@given(partitioned_graphs())
@settings(max_examples=150, deadline=None)
def test_split_then_assemble_is_lossless(case: tuple[Graph, Partition]) -> None:
    graph, partition = case
    block_graph = BlockGraph.split(graph, partition)
    assert block_graph.assemble() == graph
    assert np.array_equal(block_graph.partition().assignment, partition.assignment)
    block_graph.quotient().check()


def test_split_is_lossless_for_every_number_of_blocks(karate: Graph) -> None:
    rng = np.random.default_rng(0)
    for k in range(1, karate.num_nodes + 1):
        labels = rng.permutation(np.arange(karate.num_nodes) % k)
        block_graph = BlockGraph.split(karate, Partition.from_assignment(labels))
        assert block_graph.num_blocks == k
        assert block_graph.assemble() == karate


def test_one_block_keeps_the_graph_and_has_no_pairs(karate: Graph) -> None:
    block_graph = BlockGraph.split(karate, Partition.from_assignment(np.zeros(34, int)))
    assert block_graph.block(0) == karate
    assert block_graph.num_pairs == 0


def test_assemble_blocks_returns_the_graph_in_block_order(square: BlockGraph) -> None:
    edges = assemble_blocks(
        square.offsets,
        square.inner_edges,
        square.inner_offsets,
        square.pairs,
        square.pair_edges,
        square.pair_offsets,
    )
    place = np.argsort(square.node_order)
    assert np.array_equal(edges, Graph.from_edges(place[np.array(EDGES)], 5).edges)


def test_assemble_blocks_of_nothing_has_no_edges() -> None:
    none, start = np.zeros((0, 2), np.int64), np.zeros(1, np.int64)
    assert assemble_blocks(start, none, start, none, none, start).shape == (0, 2)


def test_split_refuses_a_partition_of_another_graph(karate: Graph) -> None:
    with pytest.raises(InputError, match="partition of 34 nodes, got one of 33"):
        BlockGraph.split(karate, Partition.from_assignment(np.zeros(33, int)))
