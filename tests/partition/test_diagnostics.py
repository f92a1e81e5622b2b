import json

import pytest

from sbgd.graph import Graph
from sbgd.partition import BlockGraph, Partition, PartitionSummary


def _split(edges: list[tuple[int, int]], blocks: list[int]) -> BlockGraph:
    return BlockGraph.split(Graph.from_edges(edges, len(blocks)), Partition.from_assignment(blocks))


def test_figures_of_a_triangle_beside_two_unjoined_nodes() -> None:
    # Block 0 is the triangle 0-1-2, block 1 the nodes 3 and 4, each joined to the triangle but not to each other.
    summary = PartitionSummary.of([_split([(0, 1), (1, 2), (0, 2), (2, 3), (2, 4)], [0, 0, 0, 1, 1])])
    assert (summary.num_graphs, summary.num_nodes, summary.num_edges) == (1, 5, 5)
    assert (summary.num_blocks, summary.num_pairs) == (2, 1)
    assert (summary.size_min, summary.size_median, summary.size_max) == (2, 2.5, 3)
    assert summary.size_histogram == ((1, 1, 0), (2, 3, 2))
    assert summary.cut_share == pytest.approx(2 / 5)
    assert summary.inner_density == pytest.approx(3 / 4)
    assert summary.outer_density == pytest.approx(2 / 6)
    assert summary.connected_share == pytest.approx(1 / 2)
    assert summary.edges_per_pair == pytest.approx(2)


def test_several_graphs_are_taken_together() -> None:
    single, pair = _split([], [0]), _split([(0, 1)], [0, 1])
    summary = PartitionSummary.of([single, pair])
    assert (summary.num_graphs, summary.num_blocks, summary.num_pairs) == (2, 3, 1)
    assert summary.outer_density == 1
    assert summary.inner_density is None
    assert summary.connected_share == 1


@pytest.mark.parametrize("blocks", [[], [0]])
def test_what_is_undefined_is_none(blocks: list[int]) -> None:
    summary = PartitionSummary.of([_split([], blocks)])
    assert summary.cut_share is None
    assert summary.inner_density is None
    assert summary.edges_per_pair is None
    written = json.loads(json.dumps(summary.to_dict()))
    assert written["num_nodes"] == len(blocks)
    assert "cut_share" not in written
