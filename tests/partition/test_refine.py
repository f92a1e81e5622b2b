import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sbgd.graph import Graph
from sbgd.partition import refine as refining
from sbgd.partition.csr import Adjacency
from sbgd.partition.refine import merge_small, refine, split_oversize


def _groups(labels: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


@st.composite
def labelled_graphs(draw: st.DrawFn) -> tuple[Graph, np.ndarray]:
    n = draw(st.integers(1, 20))
    pairs = [(u, v) for u in range(n) for v in range(u + 1, n)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=40)) if pairs else []
    labels = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    return Graph.from_edges(edges, n), np.array(labels, np.int64)


@given(labelled_graphs(), st.integers(1, 12), st.integers(0, 12), st.booleans(), st.booleans())
@settings(max_examples=200, deadline=None)
def test_any_labels_become_blocks_that_keep_the_promises(
    case: tuple[Graph, np.ndarray], size_limit: int, merge_below: int, connected: bool, metis: bool
) -> None:
    graph, labels = case
    adjacency = Adjacency.of(graph)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(refining, "has_metis", lambda: metis)
        found = refine(adjacency, labels, size_limit=size_limit, connected=connected, merge_below=merge_below, seed=0)
    sizes = np.bincount(found)
    assert sizes.min() >= 1
    assert sizes.max() <= size_limit
    if connected:
        assert len(np.unique(adjacency.within(found).components())) == len(sizes)
    u, v = found[graph.edges].T
    apart = u != v
    mergeable = np.minimum(sizes[u], sizes[v]) < merge_below
    assert not np.any(apart & mergeable & (sizes[u] + sizes[v] <= size_limit))


def test_good_blocks_are_left_alone() -> None:
    ring = Graph.from_networkx(nx.convert_node_labels_to_integers(nx.ring_of_cliques(4, 8)))
    labels = np.repeat([3, 1, 0, 2], 8)
    found = refine(Adjacency.of(ring), labels, size_limit=8, connected=True, merge_below=8, seed=0)
    assert _groups(found) == _groups(labels)


def test_a_disconnected_block_becomes_its_components() -> None:
    path = Graph.from_networkx(nx.path_graph(6))
    labels = np.array([0, 0, 1, 1, 0, 0])
    found = refine(Adjacency.of(path), labels, size_limit=6, connected=True, merge_below=0, seed=0)
    assert _groups(found) == {frozenset({0, 1}), frozenset({2, 3}), frozenset({4, 5})}


def test_a_fragment_joins_the_block_with_which_it_shares_most_edges() -> None:
    # Node 8 has one edge to the clique 0-3 and two to the clique 4-7.
    cliques = nx.disjoint_union(nx.complete_graph(4), nx.complete_graph(4))
    cliques.add_edges_from([(8, 0), (8, 4), (8, 5)])
    labels = np.array([0] * 4 + [1] * 4 + [2])
    found = merge_small(Adjacency.of(Graph.from_networkx(cliques)), labels, size_limit=5, merge_below=4, seed=0)
    assert _groups(found) == {frozenset(range(4)), frozenset(range(4, 9))}


def test_a_fragment_without_room_beside_it_stays() -> None:
    star = Adjacency.of(Graph.from_networkx(nx.star_graph(9)))
    found = merge_small(star, np.arange(10), size_limit=4, merge_below=4, seed=0)
    assert sorted(np.bincount(found).tolist()) == [1] * 6 + [4]


def test_a_long_path_of_single_nodes_merges_in_few_rounds() -> None:
    path = Adjacency.of(Graph.from_networkx(nx.path_graph(3000)))
    sizes = np.bincount(merge_small(path, np.arange(3000), size_limit=32, merge_below=16, seed=0))
    assert sizes.min() >= 16 or len(sizes) <= 3000 // 16 + 1
    assert sizes.max() <= 32


@pytest.mark.parametrize("metis", [True, False])
def test_cliques_are_cut_to_the_limit_with_and_without_metis(metis: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refining, "has_metis", lambda: metis)
    clique = Adjacency.of(Graph.from_networkx(nx.complete_graph(100)))
    labels = split_oversize(clique, np.zeros(100, np.int64), size_limit=9, connected=True, seed=0)
    assert np.bincount(labels).max() <= 9
