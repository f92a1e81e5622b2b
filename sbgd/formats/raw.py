"""Graphs as a file states them, and the one place where the policies turn them into simple undirected graphs.

A collection is stored end to end: node v of graph g is row `offset[g] + v` of the node arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.formats.options import ReadOptions
from sbgd.formats.report import ReadReport
from sbgd.graph import Graph, Ids


@dataclass(frozen=True)
class RawGraphs:
    """What a file says, before any policy.

    Attributes:
        num_nodes: int64 (G,).
        graph_of_edge: int64 (E,), the graph each entry belongs to.
        edges: int64 (E, 2), node indices within the graph.
        lines: int64 (E,) line numbers, where the file is text.
        directed: Whether the file declares its edges directed.
        both_directions: Whether the format lists each undirected edge once in either direction.
        weights: float64 (E,).
        edge_types: int64 (E,) classes of edges.
        features: float64 (N, F) over all graphs.
        labels: int64 (N,) over all graphs.
        node_ids: For each graph its ids or none; an empty sequence means none at all.
        splits: Recipe name to int8 array: 0 train, 1 val, 2 test, -1 outside.
        extras: Arrays with one row a graph, by name.
        report: What the parser counted.
    """

    num_nodes: NDArray[np.int64]
    graph_of_edge: NDArray[np.int64]
    edges: NDArray[np.int64]
    lines: NDArray[np.int64] | None = None
    directed: bool = False
    both_directions: bool = False
    weights: NDArray[np.float64] | None = None
    edge_types: NDArray[np.int64] | None = None
    features: NDArray[np.float64] | None = None
    labels: NDArray[np.int64] | None = None
    node_ids: Sequence[Ids | None] = ()
    splits: Mapping[str, NDArray[np.int8]] = field(default_factory=dict)
    extras: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    report: ReadReport = field(default_factory=ReadReport)

    @classmethod
    def single(cls, edges: NDArray[np.int64], num_nodes: int, **attributes: Any) -> RawGraphs:
        """Holds one graph; `attributes` are those of the class."""
        return cls(np.array([num_nodes]), np.zeros(len(edges), np.int64), edges.reshape(-1, 2), **attributes)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """int64 (G + 1,): where each graph's nodes start."""
        return np.concatenate([[0], np.cumsum(self.num_nodes)])

    def place(self, entry: int) -> str:
        """Says where an entry stands: its line, else its graph."""
        if self.lines is not None:
            return f"line {self.lines[entry]}"
        return f"graph {self.graph_of_edge[entry]}"

    def name_of(self, entry: int) -> str:
        """Names the first endpoint of an entry as its source does."""
        ids = self.node_ids[self.graph_of_edge[entry]] if self.node_ids else None
        node = self.edges[entry, 0]
        return f"node {node if ids is None else ids[node]}"

    def only(self, keep: NDArray[np.bool_]) -> RawGraphs:
        """Keeps the entries marked in the boolean array (E,)."""
        return replace(
            self,
            graph_of_edge=self.graph_of_edge[keep],
            edges=self.edges[keep],
            lines=None if self.lines is None else self.lines[keep],
            weights=None if self.weights is None else self.weights[keep],
            edge_types=None if self.edge_types is None else self.edge_types[keep],
        )


def build(raw: RawGraphs, options: ReadOptions, where: str) -> tuple[list[Graph], ReadReport]:
    """Applies the policies and returns simple undirected graphs with the completed report.

    Args:
        raw: The file's content.
        options: The policies.
        where: The file's name, for errors.

    Raises:
        InputError: The content is inconsistent, or a policy says error.
    """
    _check_range(raw, where)
    raw, below = _apply_weights(raw, options, where)
    if raw.directed and options.directed == "error":
        raise InputError(
            f"expected undirected graphs, got directed ones in {where}; pass directed=symmetrise to forget directions"
        )
    raw, loops = _apply_self_loops(raw, options, where)
    features, filled = _apply_non_finite(raw, options, where)
    keys, num_distinct = _unique_edges(raw)
    types = _types_of_edges(raw, keys, where)
    report = raw.report + ReadReport(
        edges_kept=len(keys),
        duplicates_merged=len(raw.edges) - num_distinct,
        self_loops_dropped=loops,
        edges_below_threshold=below,
        graphs_symmetrised=len(raw.num_nodes) if raw.directed else 0,
        features_filled=filled,
        zero_node_graphs=int((raw.num_nodes == 0).sum()),
    )
    return _cut(raw, keys, features, types), report


def stack(graphs: Sequence[Graph]) -> RawGraphs:
    """Puts graphs end to end, the inverse of `build`.

    Raises:
        InputError: There is no graph, or only some graphs have features, labels or edge types.
    """
    if not graphs:
        raise InputError("expected at least one graph to write, got none")
    sizes = np.array([graph.num_edges for graph in graphs])
    return RawGraphs(
        np.array([graph.num_nodes for graph in graphs]),
        np.repeat(np.arange(len(graphs)), sizes),
        np.concatenate([graph.edges for graph in graphs]),
        features=_joined("features", [graph.features for graph in graphs]),
        labels=_joined("labels", [graph.labels for graph in graphs]),
        edge_types=_joined("edge types", [graph.edge_types for graph in graphs]),
        node_ids=[graph.node_ids for graph in graphs] if any(graph.node_ids is not None for graph in graphs) else (),
    )


def canonical_ids(ids: NDArray[Any]) -> Ids | None:
    """Returns the ids, or none where they say no more than the order: 0 .. N-1."""
    if ids.dtype.kind in "iu":
        return None if np.array_equal(ids, np.arange(len(ids))) else ids.astype(np.int64)
    return ids


def _joined(name: str, arrays: Sequence[NDArray[Any] | None]) -> NDArray[Any] | None:
    present = [array for array in arrays if array is not None]
    if not present:
        return None
    if len(present) < len(arrays):
        raise InputError(f"expected {name} on every graph or on none, got {len(present)} of {len(arrays)}")
    widths = {array.shape[1:] for array in present}
    if len(widths) > 1:
        raise InputError(f"expected as many {name} on every graph, got {sorted(width[0] for width in widths)}")
    return np.concatenate(present)


def _check_range(raw: RawGraphs, where: str) -> None:
    owners = raw.graph_of_edge
    if len(owners) and (owners.min() < 0 or owners.max() >= len(raw.num_nodes)):
        raise InputError(
            f"expected graphs in 0..{len(raw.num_nodes) - 1}, got {owners.min()}..{owners.max()} in {where}"
        )
    outside = (raw.edges < 0) | (raw.edges >= raw.num_nodes[raw.graph_of_edge][:, None])
    bad = np.flatnonzero(outside.any(axis=1))
    if len(bad):
        u, v = raw.edges[bad[0]]
        limit = raw.num_nodes[raw.graph_of_edge[bad[0]]] - 1
        raise InputError(f"expected node indices in 0..{limit}, got edge {u} {v} at {raw.place(bad[0])} of {where}")


def _apply_weights(raw: RawGraphs, options: ReadOptions, where: str) -> tuple[RawGraphs, int]:
    if raw.weights is None:
        return raw, 0
    if options.weight_threshold is not None:
        keep = raw.weights > options.weight_threshold
        return raw.only(keep), int((~keep).sum())
    odd = np.flatnonzero(raw.weights != 1)
    if len(odd) and options.weights == "error":
        raise InputError(
            f"expected unweighted edges, got weight {raw.weights[odd[0]]:g} at {raw.place(odd[0])} of {where} "
            f"({len(odd)} edges not 1); pass weights=ignore to keep all or weight_threshold=T to keep those above T"
        )
    ignored = ("weight",) if len(odd) else ()
    return replace(raw, report=raw.report + ReadReport(columns_ignored=ignored)), 0


def _apply_self_loops(raw: RawGraphs, options: ReadOptions, where: str) -> tuple[RawGraphs, int]:
    loops = raw.edges[:, 0] == raw.edges[:, 1]
    if not loops.any():
        return raw, 0
    if options.self_loops == "error":
        first = int(np.argmax(loops))
        raise InputError(
            f"expected no self-loops, got {raw.name_of(first)} to itself at {raw.place(first)} of {where} "
            f"({loops.sum()} in all); pass self_loops=drop to remove them"
        )
    return raw.only(~loops), int(loops.sum())


def _apply_non_finite(raw: RawGraphs, options: ReadOptions, where: str) -> tuple[NDArray[np.float64] | None, int]:
    if raw.features is None or np.isfinite(raw.features).all():
        return raw.features, 0
    bad = ~np.isfinite(raw.features)
    row, column = np.argwhere(bad)[0]
    if options.non_finite == "error":
        graph = int(np.searchsorted(raw.offsets, row, side="right")) - 1
        raise InputError(
            f"expected finite features, got {raw.features[row, column]} at graph {graph}, node "
            f"{row - raw.offsets[graph]}, column {column} of {where} ({bad.sum()} in all); pass non_finite=mean to fill"
        )
    counts = (~bad).sum(axis=0)
    means = np.where(bad, 0.0, raw.features).sum(axis=0) / np.maximum(counts, 1)
    return np.where(bad, means, raw.features), int(bad.sum())


def _unique_edges(raw: RawGraphs) -> tuple[NDArray[np.int64], int]:
    """Returns sorted keys low * N + high over collection-wide nodes, and how many entries are no repetition."""
    total = max(int(raw.num_nodes.sum()), 1)
    keys = np.unique(_keys(raw))
    if raw.both_directions:
        nodes = raw.edges + raw.offsets[raw.graph_of_edge][:, None]
        return keys, len(np.unique(nodes[:, 0] * total + nodes[:, 1]))
    return keys, len(keys)


def _keys(raw: RawGraphs) -> NDArray[np.int64]:
    total = max(int(raw.num_nodes.sum()), 1)
    nodes = raw.edges + raw.offsets[raw.graph_of_edge][:, None]
    return np.asarray(nodes.min(axis=1) * total + nodes.max(axis=1))


def _types_of_edges(raw: RawGraphs, keys: NDArray[np.int64], where: str) -> NDArray[np.int64] | None:
    """Returns the type of every distinct edge."""
    if raw.edge_types is None:
        return None
    edge = np.searchsorted(keys, _keys(raw))
    types = np.zeros(len(keys), np.int64)
    types[edge] = raw.edge_types
    odd = np.flatnonzero((types[edge] != raw.edge_types) | (raw.edge_types < 0))
    if len(odd):
        raise InputError(
            f"expected one type of at least 0 for every edge, got {raw.edge_types[odd[0]]} at {raw.place(odd[0])} of "
            f"{where} ({len(odd)} entries that are negative or differ from another entry of their edge)"
        )
    return types


def _cut(
    raw: RawGraphs,
    keys: NDArray[np.int64],
    features: NDArray[np.float64] | None,
    types: NDArray[np.int64] | None,
) -> list[Graph]:
    total = max(int(raw.num_nodes.sum()), 1)
    low, high = keys // total, keys % total
    offsets = raw.offsets
    bounds = np.searchsorted(low, offsets)
    owner = np.repeat(offsets[:-1], np.diff(bounds))
    local = np.stack([low - owner, high - owner], axis=1)
    ids: Sequence[Ids | None] = raw.node_ids or [None] * len(raw.num_nodes)
    graphs = []
    for g, num_nodes in enumerate(raw.num_nodes.tolist()):
        rows = slice(offsets[g], offsets[g + 1])
        graphs.append(
            Graph(
                num_nodes,
                local[bounds[g] : bounds[g + 1]],
                None if features is None else features[rows],
                None if raw.labels is None else raw.labels[rows],
                ids[g],
                None if types is None else types[bounds[g] : bounds[g + 1]],
            )
        )
    return graphs
