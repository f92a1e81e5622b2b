"""A simple undirected graph G = (V, E, X) stored sparsely, with exact conversions to NetworkX, PyG and SciPy."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from sbgd.errors import InputError
from sbgd.graph_checks import Ids, checked_features, checked_ids, checked_labels, checked_types

if TYPE_CHECKING:
    import networkx as nx
    from torch_geometric.data import Data

__all__ = ["Graph", "Ids", "SparseMatrix"]

SparseMatrix = sparse.csr_array[Any] | sparse.coo_array[Any] | sparse.csr_matrix[Any]


@dataclass(frozen=True, eq=False)
class Graph:
    """A simple undirected graph: no self-loop, no multiple edge, isolated nodes allowed.

    Build one with `Graph.from_edges`, which checks; the constructor trusts its arguments.

    Attributes:
        num_nodes: Number of nodes N; nodes are 0 .. N-1.
        edges: int64 array (M, 2), each edge once as u < v, sorted by (u, v).
        features: Optional float64 array (N, F) of real-valued node features X.
        labels: Optional int64 array (N,) of node classes.
        node_ids: Optional int64 or unicode array (N,): what the nodes were called where the graph came from.
        edge_types: Optional int64 array (M,) of edge classes, e.g. bond orders, at least 0.
    """

    num_nodes: int
    edges: NDArray[np.int64]
    features: NDArray[np.float64] | None = None
    labels: NDArray[np.int64] | None = None
    node_ids: Ids | None = None
    edge_types: NDArray[np.int64] | None = None

    @classmethod
    def from_edges(
        cls,
        edges: ArrayLike,
        num_nodes: int,
        *,
        features: ArrayLike | None = None,
        labels: ArrayLike | None = None,
        node_ids: ArrayLike | None = None,
        edge_types: ArrayLike | None = None,
    ) -> Graph:
        """Builds a graph from edges in any order and direction; duplicates are merged.

        Args:
            edges: Integer array (M, 2) of node indices below `num_nodes`.
            num_nodes: Number of nodes N, at least 0.
            features: Real-valued (N, F) or (N,) array; every entry finite.
            labels: Integer (N,) array.
            node_ids: (N,) array of distinct integers or strings.
            edge_types: Integer (M,) array, one a row of `edges`; duplicates must agree.

        Raises:
            InputError: An index is out of range, an edge is a self-loop, or an attribute does not match the nodes or
                the edges.
        """
        if num_nodes < 0:
            raise InputError(f"expected num_nodes of at least 0, got {num_nodes}")
        pairs = np.asarray(edges, dtype=np.int64).reshape(-1, 2)
        if pairs.size and (pairs.min() < 0 or pairs.max() >= num_nodes):
            raise InputError(
                f"expected node indices in 0..{num_nodes - 1}, got {pairs.min()}..{pairs.max()}; "
                "give the number of nodes or relabel the nodes"
            )
        loops = int((pairs[:, 0] == pairs[:, 1]).sum())
        if loops:
            raise InputError(f"expected a graph without self-loops, got {loops}; drop them first (self_loops=drop)")
        low, high = pairs.min(axis=1, initial=num_nodes), pairs.max(axis=1, initial=-1)
        keys, first, entry = np.unique(low * max(num_nodes, 1) + high, return_index=True, return_inverse=True)
        canonical = np.stack([keys // max(num_nodes, 1), keys % max(num_nodes, 1)], axis=1)
        return cls(
            num_nodes,
            canonical,
            checked_features(features, num_nodes),
            checked_labels(labels, num_nodes),
            checked_ids(node_ids, num_nodes),
            checked_types(edge_types, first, entry),
        )

    @property
    def num_edges(self) -> int:
        """Number of edges M, each counted once."""
        return len(self.edges)

    @property
    def num_features(self) -> int:
        """Number of feature columns F, 0 without features."""
        return 0 if self.features is None else self.features.shape[1]

    @property
    def degrees(self) -> NDArray[np.int64]:
        """Degree of every node, int64 (N,)."""
        return np.bincount(self.edges.ravel(), minlength=self.num_nodes).astype(np.int64)

    def replace(self, **changes: Any) -> Graph:
        """Returns a copy with the named attributes changed, unchecked."""
        return replace(self, **changes)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Graph)
            and self.num_nodes == other.num_nodes
            and np.array_equal(self.edges, other.edges)
            and _equal(self.features, other.features)
            and _equal(self.labels, other.labels)
            and _equal(self.node_ids, other.node_ids)
            and _equal(self.edge_types, other.edge_types)
        )

    def __repr__(self) -> str:
        extras = f", num_features={self.num_features}" if self.num_features else ""
        return f"Graph(num_nodes={self.num_nodes}, num_edges={self.num_edges}{extras})"

    def to_scipy(self) -> sparse.csr_array:
        """Returns the symmetric adjacency as a float64 CSR array (N, N) with sorted indices."""
        rows = np.concatenate([self.edges[:, 0], self.edges[:, 1]])
        cols = np.concatenate([self.edges[:, 1], self.edges[:, 0]])
        shape = (self.num_nodes, self.num_nodes)
        adjacency = sparse.csr_array((np.ones(len(rows)), (rows, cols)), shape=shape)
        adjacency.sort_indices()
        return adjacency

    @classmethod
    def from_scipy(cls, adjacency: SparseMatrix, **attributes: ArrayLike | None) -> Graph:
        """Builds a graph from a square symmetric sparse adjacency; stored zeros are no edges.

        Args:
            adjacency: Sparse (N, N); every entry 0 or 1.
            attributes: `features`, `labels`, `node_ids` as in `from_edges`.

        Raises:
            InputError: The matrix is not square, not symmetric or not binary.
        """
        matrix = sparse.csr_array(adjacency)
        if matrix.shape[0] != matrix.shape[1]:
            raise InputError(f"expected a square adjacency, got shape {matrix.shape}")
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        if matrix.nnz and not np.all(matrix.data == 1):
            raise InputError("expected adjacency entries 0 or 1, got weights; threshold them first")
        if abs(matrix - matrix.T).nnz:
            raise InputError("expected a symmetric adjacency, got a directed one; symmetrise it first")
        coo = matrix.tocoo()
        return cls.from_edges(np.stack([coo.row, coo.col], axis=1), matrix.shape[0], **attributes)

    def to_networkx(self) -> nx.Graph[Hashable]:
        """Returns an `nx.Graph` whose nodes are `node_ids` (else 0 .. N-1), with attributes `x` (list) and `y`.

        Edges have the attribute `edge_type` where the graph has edge types.
        """
        import networkx as nx

        names: list[Hashable] = list(range(self.num_nodes)) if self.node_ids is None else self.node_ids.tolist()
        graph: nx.Graph[Hashable] = nx.Graph()
        graph.add_nodes_from(names)
        graph.add_edges_from((names[u], names[v]) for u, v in self.edges.tolist())
        if self.edge_types is not None:
            pairs = [(names[u], names[v]) for u, v in self.edges.tolist()]
            nx.set_edge_attributes(graph, dict(zip(pairs, self.edge_types.tolist(), strict=True)), "edge_type")
        if self.features is not None:
            nx.set_node_attributes(graph, dict(zip(names, self.features.tolist(), strict=True)), "x")
        if self.labels is not None:
            nx.set_node_attributes(graph, dict(zip(names, self.labels.tolist(), strict=True)), "y")
        return graph

    @classmethod
    def from_networkx(cls, graph: nx.Graph[Any]) -> Graph:
        """Builds a graph from NetworkX; node names become `node_ids` unless they are 0 .. N-1 in order.

        Node attributes `x` (number or list) and `y` (integer) become features and labels, the edge attribute
        `edge_type` (integer) edge types.

        Raises:
            InputError: The graph is directed, has self-loops, or some nodes or edges lack an attribute that others
                have.
        """
        if graph.is_directed():
            raise InputError("expected an undirected graph, got a directed one; call to_undirected() first")
        names = list(graph.nodes)
        index = {name: position for position, name in enumerate(names)}
        edges = np.array([(index[u], index[v]) for u, v in graph.edges()], dtype=np.int64).reshape(-1, 2)
        return cls.from_edges(
            edges,
            len(names),
            features=_attribute([data.get("x") for _, data in graph.nodes(data=True)], "x", "node"),
            labels=_attribute([data.get("y") for _, data in graph.nodes(data=True)], "y", "node"),
            node_ids=_ids_from_names(names),
            edge_types=_attribute([data.get("edge_type") for *_, data in graph.edges(data=True)], "edge_type", "edge"),
        )

    def to_pyg(self) -> Data:
        """Returns a PyG `Data` with both directions in `edge_index`, and `x`, `y`, `node_ids` where present."""
        import torch
        from torch_geometric.data import Data

        both = np.concatenate([self.edges, self.edges[:, ::-1]])
        order = np.lexsort((both[:, 1], both[:, 0]))
        data = Data(edge_index=torch.from_numpy(both[order].T.copy()), num_nodes=self.num_nodes)
        if self.features is not None:
            data.x = torch.from_numpy(self.features)
        if self.labels is not None:
            data.y = torch.from_numpy(self.labels)
        if self.node_ids is not None:
            data.node_ids = self.node_ids.tolist()
        if self.edge_types is not None:
            data.edge_type = torch.from_numpy(np.tile(self.edge_types, 2)[order])
        return data

    @classmethod
    def from_pyg(cls, data: Data) -> Graph:
        """Builds a graph from a PyG `Data` whose `edge_index` holds both directions of every edge.

        Raises:
            InputError: The edges are directed or have self-loops, or `num_nodes` does not match the attributes.
        """
        if data.num_nodes is None:
            raise InputError("expected a Data object with num_nodes, got none; set data.num_nodes")
        num_nodes = int(data.num_nodes)
        edges = np.zeros((0, 2), np.int64) if data.edge_index is None else data.edge_index.cpu().numpy().T
        keys = np.unique(edges[:, 0].astype(np.int64) * num_nodes + edges[:, 1])
        mirrored = np.unique(edges[:, 1].astype(np.int64) * num_nodes + edges[:, 0])
        if not np.array_equal(keys, mirrored):
            raise InputError("expected both directions of every edge, got a directed graph; call to_undirected first")
        return cls.from_edges(
            edges,
            num_nodes,
            features=None if data.x is None else data.x.detach().cpu().numpy(),
            labels=None if data.y is None or len(data.y) != num_nodes else data.y.cpu().numpy(),
            node_ids=getattr(data, "node_ids", None),
            edge_types=None if getattr(data, "edge_type", None) is None else data.edge_type.cpu().numpy(),
        )


def _equal(left: NDArray[Any] | None, right: NDArray[Any] | None) -> bool:
    if left is None or right is None:
        return left is right
    return bool(np.array_equal(left, right))


def _ids_from_names(names: list[Hashable]) -> Ids | None:
    if names == list(range(len(names))):
        return None
    if all(isinstance(name, int | np.integer) for name in names):
        return np.array(names, dtype=np.int64)
    texts = [str(name) for name in names]
    if len(set(texts)) != len(texts):
        raise InputError("expected node names that differ as text, got two names with the same text; rename them")
    return np.array(texts, dtype=np.str_)


def _attribute(values: list[Any], key: str, bearer: str) -> list[Any] | None:
    missing = sum(value is None for value in values)
    if missing == len(values):
        return None
    if missing:
        raise InputError(f"expected attribute {key!r} on every {bearer}, got {missing} of {len(values)} without it")
    return values
