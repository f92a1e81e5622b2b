"""TUDataset collections: `NAME_A.txt` and its companions, zipped or in a folder.

`A` lists pairs of nodes counted from 1 over all graphs, `graph_indicator` the graph of every node. Edges stand in both
directions, in some sets twice.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.formats.files import Source, read_source
from sbgd.formats.raw import RawGraphs
from sbgd.formats.report import ReadReport

COMPANIONS = ("graph_indicator", "graph_labels", "node_labels", "node_attributes")


def is_folder(path: Path) -> bool:
    """Whether a folder holds the parts of a collection."""
    return any(path.glob("*_A.txt")) and any(path.glob("*_graph_indicator.txt"))


def holds(data: bytes) -> bool:
    """Whether a zip archive holds a collection."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return any(name.endswith("_A.txt") for name in archive.namelist())
    except zipfile.BadZipFile:
        return False


def read(source: Source) -> RawGraphs:
    """Reads a zipped collection, whatever folders and stray files lie in it.

    Raises:
        InputError: The archive is damaged, or its parts do not match.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            parts = {
                name.rsplit("/", 1)[-1]: archive.read(name) for name in archive.namelist() if name.endswith(".txt")
            }
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise InputError(f"expected a complete zip archive, got {error}: {source.path}; fetch it again") from None
    return _parse(parts, source.path)


def read_folder(path: Path) -> RawGraphs:
    """Reads an unpacked collection."""
    return _parse({file.name: read_source(file).data for file in sorted(path.glob("*.txt"))}, path)


def _parse(parts: Mapping[str, bytes], path: Path) -> RawGraphs:
    names = sorted(part.removesuffix("_A.txt") for part in parts if part.endswith("_A.txt"))
    if len(names) != 1 or f"{names[0]}_graph_indicator.txt" not in parts:
        raise InputError(
            f"expected one NAME_A.txt with its NAME_graph_indicator.txt, got {sorted(parts)[:6]} in {path}"
        )
    tables = {
        key: _table(parts[f"{names[0]}_{key}.txt"], f"{names[0]}_{key}.txt", path)
        for key in ("A", *COMPANIONS)
        if f"{names[0]}_{key}.txt" in parts
    }
    indicator = _integers(tables["graph_indicator"][:, 0], "graph_indicator", path)
    if len(indicator) == 0 or indicator.min() < 1 or np.any(np.diff(indicator) < 0):
        raise InputError(f"expected graph numbers from 1 in rising order in graph_indicator, got others in {path}")
    for key in ("node_labels", "node_attributes"):
        if key in tables and len(tables[key]) != len(indicator):
            raise InputError(f"expected {len(indicator)} lines of {key}, got {len(tables[key])} in {path}")
    num_nodes = np.bincount(indicator - 1)
    graph_of_edge, edges = _local_edges(tables["A"], indicator, num_nodes, path)
    labels = tables.get("node_labels")
    return RawGraphs(
        num_nodes,
        graph_of_edge,
        edges,
        lines=np.arange(1, len(edges) + 1),
        both_directions=True,
        features=tables.get("node_attributes"),
        labels=None if labels is None else _integers(labels[:, 0], "node_labels", path),
        extras=_graph_labels(tables, len(num_nodes), path),
        report=ReadReport(lines_read=len(edges), columns_ignored=_ignored(parts, names[0])),
    )


def _table(data: bytes, name: str, path: Path) -> NDArray[np.float64]:
    if not data.strip():
        return np.zeros((0, 2))
    try:
        return np.loadtxt(io.BytesIO(data), delimiter=",", ndmin=2)
    except ValueError as error:
        raise InputError(f"expected numbers in {name}, got {str(error).split(';')[0]} in {path}") from None


def _integers(column: NDArray[np.float64], name: str, path: Path) -> NDArray[np.int64]:
    if np.any(column != np.round(column)):
        raise InputError(f"expected integers in {name}, got {column[column != np.round(column)][0]} in {path}")
    return column.astype(np.int64)


def _local_edges(
    table: NDArray[np.float64], indicator: NDArray[np.int64], num_nodes: NDArray[np.int64], path: Path
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if table.shape[1] != 2:
        raise InputError(f"expected two nodes a line of A, got {table.shape[1]} in {path}")
    nodes = _integers(table, "A", path) - 1
    outside = np.flatnonzero(((nodes < 0) | (nodes >= len(indicator))).any(axis=1))
    if len(outside):
        raise InputError(
            f"expected nodes in 1..{len(indicator)}, got {nodes[outside[0]] + 1} at line {outside[0] + 1} "
            f"of A in {path}"
        )
    graphs = indicator[nodes] - 1
    crossing = np.flatnonzero(graphs[:, 0] != graphs[:, 1])
    if len(crossing):
        raise InputError(f"expected edges inside a graph, got one between two at line {crossing[0] + 1} of A in {path}")
    starts = np.cumsum(num_nodes) - num_nodes
    return graphs[:, 0], nodes - starts[graphs]


def _graph_labels(tables: Mapping[str, NDArray[np.float64]], num_graphs: int, path: Path) -> dict[str, NDArray[Any]]:
    if "graph_labels" not in tables:
        return {}
    labels = _integers(tables["graph_labels"][:, 0], "graph_labels", path)
    if len(labels) != num_graphs:
        raise InputError(f"expected {num_graphs} graph labels, got {len(labels)} in {path}")
    return {"graph_label": labels}


def _ignored(parts: Mapping[str, bytes], name: str) -> tuple[str, ...]:
    used = {f"{name}_{key}.txt" for key in ("A", *COMPANIONS)}
    return tuple(sorted(part for part in parts if part.startswith(f"{name}_") and part not in used))
