import networkx as nx
import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.graph import Graph
from sbgd.partition import BlockGraph, MetisPartitioner, kway


def test_the_limit_is_a_quarter_over_the_wanted_size_unless_given() -> None:
    assert MetisPartitioner(block_size=32).size_limit == 40
    assert MetisPartitioner(block_size=1).size_limit == 1
    assert MetisPartitioner(block_size=32, max_block_size=64).size_limit == 64


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"block_size": 0}, "block_size of at least 1, got 0"),
        ({"block_size": 32, "max_block_size": 31}, "at least block_size = 32, got 31"),
        ({"merge_below": -1}, "merge_below of at least 0, got -1"),
    ],
)
def test_impossible_sizes_are_refused(options: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        MetisPartitioner(**options)


def test_seventeen_blocks_of_karate_are_at_most_so_many_and_none_is_empty(karate: Graph) -> None:
    partition = MetisPartitioner(block_size=2, connected=False)(karate)
    assert partition.sizes.min() >= 1
    assert partition.sizes.max() <= 2


def test_a_graph_that_fits_is_one_block(karate: Graph) -> None:
    assert MetisPartitioner(block_size=34)(karate).num_blocks == 1


def test_blocks_of_one_node_are_the_nodes(karate: Graph) -> None:
    assert np.array_equal(MetisPartitioner(block_size=1)(karate).assignment, np.arange(34))


def test_connected_blocks_of_a_tree_form_a_tree() -> None:
    tree = Graph.from_networkx(nx.random_labeled_tree(500, seed=1))
    quotient = BlockGraph.split(tree, MetisPartitioner(block_size=16)(tree)).quotient()
    assert np.array_equal(quotient.num_edges, quotient.num_nodes - 1)
    assert np.all(quotient.pair_edges == 1)
    assert quotient.num_pairs == quotient.num_blocks - 1


def test_isolated_nodes_share_blocks_where_blocks_need_not_be_connected() -> None:
    isolated = Graph.from_edges([], 100)
    assert MetisPartitioner(block_size=25, connected=False)(isolated).sizes.tolist() == [25] * 4
    assert MetisPartitioner(block_size=25)(isolated).num_blocks == 100


def test_a_tight_limit_still_gives_blocks_near_it(scale_free: Graph) -> None:
    sizes = MetisPartitioner(block_size=30, max_block_size=30)(scale_free).sizes
    assert sizes.max() <= 30
    assert np.median(sizes) >= 20


def test_missing_pymetis_names_the_alternative(monkeypatch: pytest.MonkeyPatch, karate: Graph) -> None:
    monkeypatch.setattr(kway, "has_metis", lambda: False)
    with pytest.raises(InputError, match="use LouvainPartitioner"):
        MetisPartitioner()(karate)
