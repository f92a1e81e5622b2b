"""What of whole graphs is modelled: features, node categories and edge types, and their dense form and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sbgd.data.batch import GraphBatch
from sbgd.data.scaler import FeatureScaler
from sbgd.errors import InputError
from sbgd.graph import Graph

Ints = NDArray[np.int64]
Categories = Literal["none", "labels", "degrees"]


@dataclass(frozen=True, eq=False)
class GraphSchema:
    """The parts of a graph that a model of whole graphs knows.

    Attributes:
        scaler: Standardises real-valued features; the identity for binary ones.
        is_binary: Whether every feature is 0 or 1.
        categories: Where node categories come from.
        classes: int64 (c,) values of the categories, increasing; the last degree stands for all larger ones.
        edge_types: int64 (k,) types of edges, increasing; one entry where types are not modelled.
    """

    scaler: FeatureScaler
    is_binary: bool
    categories: Categories
    classes: Ints
    edge_types: Ints

    @classmethod
    def fit(
        cls,
        graphs: Sequence[Graph],
        *,
        features: bool = False,
        categories: Categories = "none",
        edge_types: bool = False,
        max_degree: int = 15,
    ) -> GraphSchema:
        """Reads widths, scales and classes off the training graphs.

        Args:
            graphs: Training graphs.
            features: Whether node features are modelled.
            categories: `labels` for the nodes' labels, `degrees` for their degrees, `none` for neither.
            edge_types: Whether edge types are modelled.
            max_degree: Degree at and above which all nodes are of one category.

        Raises:
            InputError: What is to be modelled is missing in a graph.
        """
        if categories not in get_args(Categories):
            raise InputError(f"expected categories none, labels or degrees, got {categories!r}")
        _check_present(graphs, features=features, labels=categories == "labels", edge_types=edge_types)
        columns = [graph.features for graph in graphs] if features else [None]
        scaler = FeatureScaler.fit(columns)
        is_binary = features and all(bool(np.isin(column, (0, 1)).all()) for column in columns if column is not None)
        if is_binary:
            scaler = FeatureScaler(np.zeros(scaler.num_features), np.ones(scaler.num_features))
        classes = np.zeros(0, np.int64)
        if categories == "labels":
            classes = np.unique(np.concatenate([graph.labels for graph in graphs if graph.labels is not None]))
        elif categories == "degrees":
            classes = np.arange(min(max_degree, max(int(graph.degrees.max(initial=0)) for graph in graphs)) + 1)
        types = np.ones(1, np.int64)
        if edge_types:
            present = [graph.edge_types for graph in graphs if graph.edge_types is not None]
            types = np.unique(np.concatenate([types[:0], *present]))
        return cls(scaler, is_binary, categories, classes, types if len(types) else np.ones(1, np.int64))

    @property
    def num_features(self) -> int:
        """Number of feature columns f."""
        return self.scaler.num_features

    @property
    def num_classes(self) -> int:
        """Number of node categories c, 0 without."""
        return len(self.classes)

    @property
    def num_edge_types(self) -> int:
        """Number of edge types k, 1 without."""
        return len(self.edge_types)

    def shares(self, graphs: Sequence[Graph]) -> tuple[Tensor, Tensor, Tensor]:
        """Returns the share of every value in some graphs, each at least 1e-4 where it is a share of pairs.

        Returns:
            Of pairs of nodes without an edge and of every edge type (1 + k,), of ones in every feature column (f,), and
            of every node category (c,).
        """
        kinds = np.concatenate([self._edge_classes(graph) for graph in graphs])
        pairs = sum(graph.num_nodes * (graph.num_nodes - 1) // 2 for graph in graphs)
        typed = np.bincount(kinds, minlength=self.num_edge_types) / max(pairs, 1)
        bounds = (1e-4 / self.num_edge_types, (1 - 1e-4) / self.num_edge_types)
        if not bounds[0] < typed.sum() < 1 - 1e-4:
            typed = typed.clip(*bounds)
        columns = np.concatenate(
            [graph.features for graph in graphs if graph.features is not None] or [np.zeros((1, 0))]
        )
        means = columns.mean(axis=0) if self.num_features else np.zeros(0)
        classes = np.zeros(0)
        if self.num_classes:
            nodes = np.concatenate([self._node_classes(graph) for graph in graphs])
            classes = np.bincount(nodes, minlength=self.num_classes) / max(len(nodes), 1)
        parts = (np.concatenate([[1 - typed.sum()], typed]), means, classes)
        return tuple(torch.from_numpy(part).float() for part in parts)  # type: ignore[return-value]

    def batch(
        self,
        graphs: Sequence[Graph],
        padded: int,
        *,
        nodes: bool = True,
        edges: bool = True,
        is_dense: bool = True,
    ) -> GraphBatch:
        """Returns graphs as a dense batch.

        Args:
            graphs: Graphs of at most `padded` nodes.
            padded: Nodes to pad to.
            nodes: Whether features and categories are read; zeros without.
            edges: Whether edges are read; none without.
            is_dense: Whether the adjacency is made; without, edges are listed only.

        Raises:
            InputError: A graph lacks what is modelled, or has a label or edge type that training had not.
        """
        shape = (len(graphs), padded)
        adjacency = np.zeros((*shape, padded) if is_dense else (len(graphs), 0, 0), np.float32)
        mask = np.zeros(shape, np.float32)
        features = np.zeros((*shape, self.num_features), np.float32)
        categories = np.zeros(shape, np.int64)
        index = [np.zeros((2, 0), np.int64)]
        for row, graph in enumerate(graphs):
            n = graph.num_nodes
            mask[row, :n] = 1
            if edges:
                u, v = graph.edges.T
                index.append(np.stack([np.concatenate([u, v]), np.concatenate([v, u])]) + row * padded)
                if is_dense:
                    adjacency[row, u, v] = adjacency[row, v, u] = 1 + self._edge_classes(graph)
            if nodes and self.num_features:
                features[row, :n] = self._standardised(graph)
            if nodes and self.num_classes:
                categories[row, :n] = self._node_classes(graph)
        return GraphBatch(
            edges=torch.from_numpy(adjacency),
            mask=torch.from_numpy(mask),
            features=torch.from_numpy(features),
            categories=torch.from_numpy(categories),
            edge_index=torch.from_numpy(np.concatenate(index, axis=1)),
        )

    def node_attributes(self, features: NDArray[np.float32], classes: Ints) -> dict[str, NDArray[Any]]:
        """Returns features in their original scale and labels, as far as they are modelled.

        Args:
            features: float32 (n, f), standardised.
            classes: int64 (n,) index of the category of each node.
        """
        found: dict[str, NDArray[Any]] = {}
        if self.num_features:
            found["features"] = self.scaler.restore(features)
        if self.categories == "labels":
            found["labels"] = self.classes[classes]
        return found

    def structure(self, kinds: Ints) -> dict[str, NDArray[Any]]:
        """Returns edges and, if they are modelled, edge types.

        Args:
            kinds: int64 (n, n), symmetric: 0 for no edge, else 1 + the index of its type.
        """
        upper = np.triu(kinds, 1)
        edges = np.argwhere(upper > 0)
        found: dict[str, NDArray[Any]] = {"edges": edges}
        if self.num_edge_types > 1:
            found["edge_types"] = self.edge_types[upper[tuple(edges.T)] - 1]
        return found

    def _standardised(self, graph: Graph) -> NDArray[np.float32]:
        if graph.num_features != self.num_features:
            raise InputError(f"expected {self.num_features} features on every graph, got {graph.num_features}")
        return self.scaler.standardise(graph.features, graph.num_nodes)

    def _edge_classes(self, graph: Graph) -> Ints:
        if self.num_edge_types == 1:
            return np.zeros(graph.num_edges, np.int64)
        return _positions(graph.edge_types, self.edge_types, "edge type")

    def _node_classes(self, graph: Graph) -> Ints:
        if self.categories == "degrees":
            return np.minimum(graph.degrees, len(self.classes) - 1)
        return _positions(graph.labels, self.classes, "label")


def _positions(values: Ints | None, known: Ints, what: str) -> Ints:
    """Returns where each value stands among the known ones."""
    if values is None:
        raise InputError(f"expected a graph with {what}s, got one without")
    found = np.searchsorted(known, values).clip(max=len(known) - 1)
    unknown = values[known[found] != values]
    if len(unknown):
        raise InputError(f"expected a {what} out of {known.tolist()} as in training, got {unknown[0]}")
    return found


def _check_present(graphs: Sequence[Graph], *, features: bool, labels: bool, edge_types: bool) -> None:
    for wanted, what, switch, lacking in (
        (features, "node features", "features", [graph.num_features == 0 for graph in graphs]),
        (labels, "node labels", "categories", [graph.labels is None for graph in graphs]),
        (edge_types, "edge types", "edge_types", [graph.edge_types is None for graph in graphs]),
    ):
        if wanted and any(lacking):
            raise InputError(
                f"expected {what} on every graph since data.{switch} asks for them, got {sum(lacking)} of "
                f"{len(graphs)} graphs without; add them or change data.{switch}"
            )
