from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.graph import Graph
from sbgd.partition import BlockGraph, MetisPartitioner, Partition, Quotient


@pytest.fixture
def quotient() -> Quotient:
    # Two triangles 0-1-2 and 3-4-5 joined by 2-3 and 1-3, and an isolated node 6.
    edges = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3), (1, 3)]
    return BlockGraph.split(Graph.from_edges(edges, 7), Partition.from_assignment([0, 0, 0, 1, 1, 1, 2])).quotient()


def test_counts_of_two_joined_triangles(quotient: Quotient) -> None:
    assert quotient.num_nodes.tolist() == [3, 3, 1]
    assert quotient.num_edges.tolist() == [3, 3, 0]
    assert quotient.pairs.tolist() == [[0, 1]]
    assert quotient.pair_edges.tolist() == [2]
    assert quotient.inner_degree.tolist() == [2, 2, 2, 2, 2, 2, 0]
    assert quotient.outer_degree.tolist() == [0, 1, 1, 2, 0, 0, 0]
    assert quotient.offsets.tolist() == [0, 3, 6, 7]
    assert (quotient.num_blocks, quotient.num_pairs) == (3, 1)
    assert (quotient.total_nodes, quotient.total_edges) == (7, 8)


def test_pairs_equal_the_quotient_of_networkx(scale_free: Graph) -> None:
    partition = MetisPartitioner(block_size=20)(scale_free)
    quotient = BlockGraph.split(scale_free, partition).quotient()
    blocks = [set(np.flatnonzero(partition.assignment == i).tolist()) for i in range(partition.num_blocks)]
    reference = nx.quotient_graph(scale_free.to_networkx(), blocks, relabel=True)
    expected = sorted((min(i, j), max(i, j), int(e)) for i, j, e in reference.edges(data="weight"))
    found = [(i, j, e) for (i, j), e in zip(quotient.pairs.tolist(), quotient.pair_edges.tolist(), strict=True)]
    assert found == expected


def test_inner_and_outer_degrees_add_up_to_the_degrees(scale_free: Graph) -> None:
    block_graph = BlockGraph.split(scale_free, MetisPartitioner()(scale_free))
    quotient = block_graph.quotient()
    total = quotient.inner_degree + quotient.outer_degree
    assert np.array_equal(total, scale_free.degrees[block_graph.node_order])


def test_arrays_rebuild_the_quotient(quotient: Quotient) -> None:
    arrays = quotient.to_arrays()
    rebuilt = Quotient.from_arrays({**arrays, "unrelated": np.zeros(3, np.int64)}).to_arrays()
    assert list(rebuilt) == ["num_nodes", "num_edges", "pairs", "pair_edges", "inner_degree", "outer_degree"]
    assert all(np.array_equal(rebuilt[name], arrays[name]) for name in arrays)


def test_from_arrays_names_what_is_missing(quotient: Quotient) -> None:
    arrays = quotient.to_arrays()
    del arrays["pairs"]
    with pytest.raises(InputError, match="got none named pairs"):
        Quotient.from_arrays(arrays)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_nodes": [3, 4, 0]}, "num_nodes of at least 1 in a quotient, got 0 at index 2"),
        ({"num_edges": [4, 3, 0]}, "num_edges of 0 to"),
        ({"num_edges": [2, 3, 0]}, "sum to 2 m_i"),
        ({"num_edges": [3, 3]}, r"num_edges of shape \(3,\)"),
        ({"pairs": [[1, 0]]}, "pairs 0 <= i < j < k"),
        ({"pairs": [[0, 1], [0, 1]], "pair_edges": [1, 1]}, "distinct pairs in order"),
        ({"pair_edges": [0]}, "1 <= e_ij <= n_i n_j"),
        ({"pair_edges": [10]}, "1 <= e_ij <= n_i n_j"),
        ({"pair_edges": [3]}, "sum to the e_ij"),
        ({"outer_degree": [-1, 2, 1, 2, 0, 0, 0]}, r"outer degrees of at least 0 in a quotient, got -1 at index 0"),
    ],
)
def test_check_names_what_does_not_hold(quotient: Quotient, changes: dict[str, list[int]], message: str) -> None:
    broken = replace(quotient, **{name: np.array(value, np.int64) for name, value in changes.items()})
    with pytest.raises(InputError, match=message):
        broken.check()
