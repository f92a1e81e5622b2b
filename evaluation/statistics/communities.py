"""How well a graph falls apart into communities."""

from __future__ import annotations

import networkx as nx

from sbgd.evaluation.statistics.measurement import Measurement, undefined
from sbgd.graph import Graph

MAX_MODULARITY_NODES = 50_000
"""NetworkX takes half a minute for 100,000 nodes with clear communities and over six minutes for a graph without."""


def modularity(graph: Graph, *, max_nodes: int = MAX_MODULARITY_NODES) -> Measurement:
    """Returns the modularity of the graph's own Louvain communities (seed 0), not of given classes or blocks.

    References:
        Blondel et al., 2008, arXiv:0803.0476.
    """
    if graph.num_edges == 0:
        return undefined("the graph has no edges")
    if graph.num_nodes > max_nodes:
        return undefined(f"Louvain is limited to {max_nodes} nodes, got {graph.num_nodes}")
    plain = graph.replace(features=None, labels=None, node_ids=None).to_networkx()
    communities = nx.community.louvain_communities(plain, seed=0)
    return Measurement(float(nx.community.modularity(plain, communities)))
