import numpy as np
import pytest
import torch

from sbgd.data.blocks import BlockTable, padded_size, ranges
from sbgd.data.scaler import FeatureScaler
from sbgd.graph import Graph
from sbgd.partition import BlockGraph, Partition


@pytest.mark.parametrize(("size", "padded"), [(0, 4), (1, 4), (4, 4), (5, 8), (32, 32), (33, 36)])
def test_padded_size_is_the_next_multiple_of_four(size: int, padded: int) -> None:
    assert padded_size(size) == padded


def test_ranges_are_concatenated_with_their_row_and_empty_ones_are_skipped() -> None:
    rows, index = ranges(np.array([5, 3, 0, 9]), np.array([7, 3, 3, 10]))
    assert rows.tolist() == [0, 0, 2, 2, 2, 3]
    assert index.tolist() == [5, 6, 0, 1, 2, 9]


def test_no_ranges_give_no_indices() -> None:
    rows, index = ranges(np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert len(rows) == len(index) == 0


@pytest.mark.parametrize("padded", [None, 20])
def test_batch_holds_the_induced_subgraph_of_every_block(cut, padded: int | None) -> None:
    ids = np.array([3, 8, 0, 3, 10])
    batch = cut.data.blocks.batch(ids, padded)
    size = padded or padded_size(max(cut.data.blocks.sizes[ids]))
    for row, block in enumerate(ids.tolist()):
        nodes = cut.nodes(block)
        inner = cut.adjacency[nodes, nodes]
        n = len(inner)
        outer = cut.adjacency[nodes].sum(1) - inner.sum(1)
        expected = np.zeros((size, size))
        expected[:n, :n] = inner
        assert np.array_equal(batch.edges[row], expected)
        assert batch.mask[row].tolist() == [1] * n + [0] * (size - n)
        assert np.array_equal(batch.degrees[row, :n], np.stack([inner.sum(1), outer], axis=1))
        assert not batch.degrees[row, n:].any()
        assert batch.num_edges[row] == inner.sum() / 2
        assert batch.num_outer[row] == outer.sum()


def test_blocks_of_several_graphs_follow_each_other(cut) -> None:
    first, second = cut.graphs
    for index in range(second.num_blocks):
        batch = cut.data.blocks.batch(np.array([first.num_blocks + index]))
        block = second.block(index)
        dense = block.to_scipy().toarray()
        assert np.array_equal(batch.edges[0, : block.num_nodes, : block.num_nodes], dense)


def test_features_are_standardised_over_all_graphs_and_zero_at_padding(cut) -> None:
    batch = cut.data.blocks.batch(np.arange(cut.data.blocks.num_blocks))
    real = batch.features[batch.mask > 0].double()
    torch.testing.assert_close(real.mean(0), torch.zeros(2).double(), rtol=0, atol=1e-6)
    torch.testing.assert_close(real.std(0, correction=0), torch.ones(2).double(), rtol=0, atol=1e-6)
    assert not batch.features[batch.mask == 0].any()


def test_blocks_without_edges_or_features_make_an_empty_batch() -> None:
    graph = Graph.from_edges([], 3)
    block_graph = BlockGraph.split(graph, Partition.from_assignment([0, 1, 1]))
    table = BlockTable.from_block_graphs([block_graph], FeatureScaler.fit([None]))
    batch = table.batch(np.array([1, 0]))
    assert batch.mask.tolist() == [[1, 1, 0, 0], [1, 0, 0, 0]]
    assert not batch.edges.any()
    assert batch.features.numel() == 0
