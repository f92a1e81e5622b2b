from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from sbgd.evaluation import cliques
from sbgd.evaluation.graph_set import GraphSet
from sbgd.graph import Graph


def listed(graphs):
    """All triangles and 4-cliques as sets of sorted nodes, after checking that none is listed twice."""
    lister = graphs.cliques
    tails, heads = lister.edges
    triples, quadruples = [], []
    for found in lister.triangles():
        u, v, w = found.u, found.v, found.w
        for edge, low, high in ((found.uv, u, v), (found.vw, v, w), (found.uw, u, w)):
            assert np.array_equal(tails[edge], low)
            assert np.array_equal(heads[edge], high)
        triples += zip(u.tolist(), v.tolist(), w.tolist(), strict=True)
        for index, top in lister.four_cliques(found):
            corners = [u[index], v[index], w[index], top]
            quadruples += zip(*[corner.tolist() for corner in corners], strict=True)
    sets = [{tuple(sorted(clique)) for clique in found} for found in (triples, quadruples)]
    assert [len(found) for found in sets] == [len(triples), len(quadruples)]
    return sets


@pytest.fixture(params=["table", "bisection"])
def way(request, monkeypatch):
    if request.param == "bisection":
        monkeypatch.setattr(cliques, "_TABLE_ENTRIES", 0)


@pytest.mark.usefixtures("way")
def test_cliques_are_those_of_every_choice_of_nodes(random_graphs, shapes):
    graphs = GraphSet([*random_graphs, *shapes.values()])
    edges = {tuple(edge) for edge in graphs.union.edges.tolist()}

    def of_size(k):
        blocks = [range(start, stop) for start, stop in zip(graphs.ends[:-1], graphs.ends[1:], strict=True)]
        choices = (choice for block in blocks for choice in combinations(block, k))
        return {choice for choice in choices if all(pair in edges for pair in combinations(choice, 2))}

    assert listed(graphs) == [of_size(3), of_size(4)]


@pytest.mark.usefixtures("way")
def test_parts_of_any_size_list_the_same(hub_graph, monkeypatch):
    whole = listed(GraphSet([hub_graph]))
    monkeypatch.setattr("sbgd.evaluation.triangles._CHUNK_WORK", 50)
    assert listed(GraphSet([hub_graph])) == whole


def test_triangles_equal_networkx(hub_graph):
    expected = nx.triangles(hub_graph.to_networkx())
    assert GraphSet([hub_graph]).triangles.tolist() == [expected[node] for node in range(hub_graph.num_nodes)]


@pytest.mark.parametrize("graphs", [[], [Graph.from_edges([], 0)], [Graph.from_edges([], 3)]])
def test_nothing_has_no_cliques(graphs):
    assert listed(GraphSet(graphs)) == [set(), set()]
