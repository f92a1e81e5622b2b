import networkx as nx
import numpy as np

from sbgd.evaluation import triangles
from sbgd.evaluation.triangles import degree_ordered, local_clustering, masked_product, triangles_per_node


def test_triangles_of_small_shapes(shapes):
    assert triangles_per_node(shapes["triangle"]).tolist() == [1, 1, 1]
    assert triangles_per_node(shapes["k4"]).tolist() == [3, 3, 3, 3]
    assert triangles_per_node(shapes["square"]).tolist() == [0, 0, 0, 0]
    assert triangles_per_node(shapes["nothing"]).tolist() == []


def test_triangles_and_clustering_equal_networkx(hub_graph, random_graphs):
    for graph in [hub_graph, *random_graphs]:
        other = graph.to_networkx()
        assert triangles_per_node(graph).tolist() == list(nx.triangles(other).values())
        assert local_clustering(graph).tolist() == [float(c) for c in nx.clustering(other).values()]


def test_row_chunks_do_not_change_a_product(hub_graph, monkeypatch):
    directed = degree_ordered(hub_graph)
    whole = masked_product(directed, directed, directed)
    monkeypatch.setattr(triangles, "_CHUNK_WORK", 7)
    chunked = masked_product(directed, directed, directed)
    assert np.array_equal(whole.toarray(), chunked.toarray())


def test_degree_order_holds_every_edge_once_towards_the_higher_degree(hub_graph):
    rows, cols = degree_ordered(hub_graph).nonzero()
    degrees = hub_graph.degrees
    assert len(rows) == hub_graph.num_edges
    assert np.all(degrees[rows] <= degrees[cols])
