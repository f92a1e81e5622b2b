import numpy as np
import pytest

from sbgd.evaluation.statistics import modularity
from sbgd.graph import Graph


def test_two_cliques_have_the_modularity_of_two_communities():
    clique = np.stack(np.triu_indices(5, 1), axis=1)
    graph = Graph.from_edges(np.concatenate([clique, clique + 5]), 10)
    assert modularity(graph).value == pytest.approx(0.5)


def test_modularity_of_a_large_graph_is_skipped_with_a_reason(hub_graph):
    assert modularity(hub_graph, max_nodes=100).reason == "Louvain is limited to 100 nodes, got 400"
