"""Graphs that have broken partitioners, by name."""

from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest

from sbgd.graph import Graph


def _from(graph: nx.Graph) -> Graph:
    return Graph.from_networkx(nx.convert_node_labels_to_integers(graph))


def _with_attributes() -> Graph:
    rng = np.random.default_rng(3)
    bare = _from(nx.gnp_random_graph(50, 0.1, seed=3))
    return Graph.from_edges(
        bare.edges,
        50,
        features=rng.normal(size=(50, 3)),
        labels=rng.integers(0, 4, 50),
        node_ids=[f"node {i}" for i in rng.permutation(50)],
    )


GRAPHS: dict[str, Callable[[], Graph]] = {
    "empty": lambda: Graph.from_edges([], 0),
    "one_node": lambda: Graph.from_edges([], 1),
    "two_nodes": lambda: Graph.from_edges([], 2),
    "one_edge": lambda: Graph.from_edges([(0, 1)], 2),
    "trailing_isolated_nodes": lambda: Graph.from_edges([(0, 1)], 5),
    "no_edges": lambda: Graph.from_edges([], 100),
    "two_components": lambda: _from(nx.disjoint_union(nx.cycle_graph(20), nx.complete_graph(20))),
    "many_components": lambda: _from(nx.disjoint_union_all([nx.path_graph(n) for n in range(1, 25)])),
    "karate": lambda: _from(nx.karate_club_graph()),
    "clique": lambda: _from(nx.complete_graph(90)),
    "star": lambda: _from(nx.star_graph(100)),
    "path": lambda: _from(nx.path_graph(150)),
    "tree": lambda: _from(nx.random_labeled_tree(150, seed=0)),
    "grid": lambda: _from(nx.grid_2d_graph(12, 12)),
    "scale_free": lambda: _from(nx.barabasi_albert_graph(400, 3, seed=0)),
    "attributes": _with_attributes,
}


@pytest.fixture(params=list(GRAPHS), scope="session")
def graph(request: pytest.FixtureRequest) -> Graph:
    return GRAPHS[request.param]()


@pytest.fixture
def karate() -> Graph:
    return GRAPHS["karate"]()


@pytest.fixture
def scale_free() -> Graph:
    return GRAPHS["scale_free"]()
