import networkx as nx
import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.graph import Graph
from sbgd.partition import kway
from sbgd.partition.csr import Adjacency


def _cut_share(graph: Graph, labels: np.ndarray) -> float:
    return float((labels[graph.edges[:, 0]] != labels[graph.edges[:, 1]]).mean())


def test_planted_blocks_are_found() -> None:
    cliques = Graph.from_networkx(nx.convert_node_labels_to_integers(nx.ring_of_cliques(8, 10)))
    labels = kway.metis_cut(Adjacency.of(cliques), 10, seed=0)
    assert _cut_share(cliques, labels) == 8 / cliques.num_edges


def test_two_levels_cut_about_as_well_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    grid = Graph.from_networkx(nx.convert_node_labels_to_integers(nx.grid_2d_graph(60, 60)))
    adjacency = Adjacency.of(grid)
    one_level = kway.metis_cut(adjacency, 16, seed=0)
    monkeypatch.setattr(kway, "MOST_PARTS_AT_ONCE", 32)
    two_levels = kway.metis_cut(adjacency, 16, seed=0)
    assert not np.array_equal(one_level, two_levels)
    assert _cut_share(grid, two_levels) < 1.1 * _cut_share(grid, one_level)
    sizes = np.bincount(two_levels)
    assert sizes.min() >= 8
    assert sizes.max() <= 20


@pytest.mark.parametrize("most", [1, 2, 8])
def test_a_cut_of_any_depth_covers_every_node(most: int, graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kway, "MOST_PARTS_AT_ONCE", most)
    labels = kway.metis_cut(Adjacency.of(graph), 4, seed=0)
    assert labels.shape == (graph.num_nodes,)
    assert labels.min(initial=0) == 0


def test_seeds_give_different_cuts(scale_free: Graph) -> None:
    adjacency = Adjacency.of(scale_free)
    cuts = {kway.metis_cut(adjacency, 32, seed=seed).tobytes() for seed in range(6)}
    assert len(cuts) == 6


def test_halves_of_a_path_are_its_ends() -> None:
    halves = kway.breadth_first_halves(Adjacency.of(Graph.from_networkx(nx.path_graph(10))))
    assert halves.tolist() in ([0] * 5 + [1] * 5, [1] * 5 + [0] * 5)


def test_halves_are_even_on_every_graph(graph: Graph) -> None:
    if graph.num_nodes:
        zeros = int((kway.breadth_first_halves(Adjacency.of(graph)) == 0).sum())
        assert zeros == (graph.num_nodes + 1) // 2


def test_missing_pymetis_names_the_alternative(monkeypatch: pytest.MonkeyPatch, karate: Graph) -> None:
    monkeypatch.setattr(kway, "has_metis", lambda: False)
    with pytest.raises(InputError, match="use LouvainPartitioner"):
        kway.metis_cut(Adjacency.of(karate), 8, seed=0)
