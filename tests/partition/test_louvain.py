import networkx as nx
import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.graph import Graph
from sbgd.partition import LouvainPartitioner, kway, refine


def test_planted_cliques_are_the_blocks() -> None:
    ring = Graph.from_networkx(nx.convert_node_labels_to_integers(nx.ring_of_cliques(6, 12)))
    partition = LouvainPartitioner(max_block_size=12)(ring)
    assert np.array_equal(partition.assignment, np.repeat(np.arange(6), 12))


def test_it_works_without_pymetis(monkeypatch: pytest.MonkeyPatch, scale_free: Graph) -> None:
    for module in (kway, refine):
        monkeypatch.setattr(module, "has_metis", lambda: False)
    sizes = LouvainPartitioner(max_block_size=20)(scale_free).sizes
    assert sizes.max() <= 20
    assert sizes.sum() == 400


def test_a_higher_resolution_gives_more_blocks() -> None:
    grid = Graph.from_networkx(nx.convert_node_labels_to_integers(nx.grid_2d_graph(20, 20)))
    coarse = LouvainPartitioner(max_block_size=400, resolution=0.1)(grid)
    fine = LouvainPartitioner(max_block_size=400, resolution=5.0)(grid)
    assert coarse.num_blocks < fine.num_blocks


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_block_size": 0}, "max_block_size of at least 1, got 0"),
        ({"resolution": 0.0}, "positive resolution, got 0.0"),
        ({"resolution": float("nan")}, "positive resolution, got nan"),
        ({"merge_below": -1}, "merge_below of at least 0, got -1"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        LouvainPartitioner(**options)
