"""Communities of a graph by the Louvain method, as blocks where none are given."""

from __future__ import annotations

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.graph import Graph

Ints = NDArray[np.int64]

MAX_NODES = 50_000
"""Largest graph whose communities are looked for: NetworkX needs up to two minutes for it."""


def louvain_communities(graph: Graph) -> Ints:
    """Returns the community of every node, (N,); every isolated node is one of its own.

    Raises:
        InputError: The graph has more than `MAX_NODES` nodes.

    References:
        Blondel et al., 2008, "Fast unfolding of communities in large networks", arXiv:0803.0476.
    """
    if graph.num_nodes > MAX_NODES:
        raise InputError(
            f"expected at most {MAX_NODES} nodes to find communities in, got {graph.num_nodes}; pass assignments or "
            "leave out the baselines sbm and dcsbm"
        )
    bare = nx.empty_graph(graph.num_nodes)
    bare.add_edges_from(graph.edges.tolist())
    assignment = np.zeros(graph.num_nodes, dtype=np.int64)
    for community, nodes in enumerate(nx.community.louvain_communities(bare, seed=0)):
        assignment[list(nodes)] = community
    return assignment
