"""Parquet edges: columns `graph`, `source`, `target`, and `edge_type` where edges have types.

Such a table is ready for DuckDB, Spark, Dask and Polars.

`source` and `target` are positions 0 .. N-1 within their graph. What edges cannot say is in the file's metadata under
the key `sbgd` (JSON: node counts, kinds of ids) and, where nodes have ids, features or labels, in a second file
`NAME.nodes.parquet` with columns `graph`, `node`, `id`, `y`, `x0`, `x1`, ...; its digest in the metadata ties the two.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.formats.files import Source, read_source, write_file
from sbgd.formats.node_ids import joined_ids, parted_ids
from sbgd.formats.raw import RawGraphs, canonical_ids, stack
from sbgd.formats.report import ReadReport
from sbgd.formats.shard_tables import SHARD_KEY
from sbgd.graph import Graph

if TYPE_CHECKING:
    import pyarrow as pa

ENDPOINTS = (("source", "target"), ("src", "dst"), ("from", "to"))
GRAPH_COLUMNS = ("graph", "graph_id")
METADATA_KEY = b"sbgd"


def nodes_path(path: Path) -> Path:
    """Returns where the node attributes of an edge file lie."""
    return path.with_name(f"{path.name.removesuffix('.parquet')}.nodes.parquet")


def read(source: Source) -> RawGraphs:
    """Reads edges, ours or any table with `source` and `target`, `src` and `dst` or two columns.

    Raises:
        InputError: The file is damaged, has too few columns or nulls, or its node file is missing or another.
    """
    import pyarrow as pa

    try:
        table = _table(source)
        if SHARD_KEY in (table.schema.metadata or {}):
            raise InputError(f"expected a whole sample, got one file of it: {source.path}; give its folder")
        metadata = (table.schema.metadata or {}).get(METADATA_KEY)
        return _foreign(table, source) if metadata is None else _own(table, json.loads(metadata), source)
    except InputError:
        raise
    except (pa.ArrowException, KeyError, ValueError, TypeError, IndexError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"expected a complete Parquet file, got {reason}: {source.path}; fetch or copy it again"
        ) from None


def write(path: Path, graphs: Sequence[Graph]) -> None:
    """Writes an edge file and, where nodes carry anything, the node file beside it."""
    import pyarrow as pa

    raw = stack(graphs)
    about: dict[str, Any] = {"version": 1, "num_nodes": raw.num_nodes.tolist()}
    nodes = _node_columns(raw, about)
    if nodes:
        encoded = _encoded(pa.table(nodes))
        about["nodes"] = hashlib.sha256(encoded).hexdigest()
        write_file(nodes_path(path), encoded)
    columns = {"graph": raw.graph_of_edge, "source": raw.edges[:, 0], "target": raw.edges[:, 1]}
    if raw.edge_types is not None:
        columns["edge_type"] = raw.edge_types
    table = pa.table(columns)
    write_file(path, _encoded(table.replace_schema_metadata({METADATA_KEY: json.dumps(about)})))


def _node_columns(raw: RawGraphs, about: dict[str, Any]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    if raw.node_ids:
        column, kinds = joined_ids(raw.node_ids, raw.num_nodes)
        columns["id"] = column.tolist() if column.dtype.kind == "U" else column
        about["id_kinds"] = kinds.tolist()
    if raw.labels is not None:
        columns["y"] = raw.labels
    if raw.features is not None:
        about["num_features"] = raw.features.shape[1]
        columns |= {f"x{i}": column for i, column in enumerate(raw.features.T)}
    if not columns and raw.features is None:
        return {}
    starts = np.repeat(raw.offsets[:-1], raw.num_nodes)
    owners = np.repeat(np.arange(len(raw.num_nodes)), raw.num_nodes)
    return {"graph": owners, "node": np.arange(len(owners)) - starts, **columns}


def _encoded(table: pa.Table) -> bytes:
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def _table(source: Source) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    return pq.read_table(pa.BufferReader(source.data))


def _own(table: pa.Table, about: dict[str, Any], source: Source) -> RawGraphs:
    num_nodes = np.array(about["num_nodes"], np.int64)
    nodes = _own_nodes(about, source)
    kinds = about.get("id_kinds")
    ids = () if nodes is None or kinds is None else parted_ids(_column(nodes, "id", source), np.array(kinds), num_nodes)
    features = None
    if nodes is not None and "num_features" in about:
        columns = [nodes.column(f"x{i}").to_numpy() for i in range(about["num_features"])]
        features = np.stack(columns, axis=1) if columns else np.zeros((nodes.num_rows, 0))
    return RawGraphs(
        num_nodes,
        _column(table, "graph", source),
        np.stack([_column(table, name, source) for name in ENDPOINTS[0]], axis=1),
        edge_types=_column(table, "edge_type", source) if "edge_type" in table.column_names else None,
        features=features,
        labels=_column(nodes, "y", source) if nodes is not None and "y" in nodes.column_names else None,
        node_ids=ids,
    )


def _own_nodes(about: dict[str, Any], source: Source) -> pa.Table | None:
    if "nodes" not in about:
        return None
    companion = read_source(nodes_path(source.path))
    if companion.digest != about["nodes"]:
        raise InputError(f"expected the node file written with {source.path.name}, got another: {companion.path}")
    return _table(companion)


def _foreign(table: pa.Table, source: Source) -> RawGraphs:
    names = table.column_names
    graph_name = next((name for name in GRAPH_COLUMNS if name in names), None)
    others = [name for name in names if name != graph_name]
    if len(others) < 2:
        raise InputError(f"expected columns source and target, got {', '.join(names) or 'none'} in {source.path}")
    ends = next((pair for pair in ENDPOINTS if set(pair) <= set(names)), (others[0], others[1]))
    graph_column = None if graph_name is None else _column(table, graph_name, source)
    groups = np.zeros(table.num_rows, np.int64) if graph_column is None else graph_column
    graph_of_edge = np.unique(groups, return_inverse=True)[1].astype(np.int64)
    endpoints = np.stack([_column(table, name, source) for name in ends], axis=1)
    if not len(endpoints):
        raise InputError(f"expected edges, got none in {source.path}")
    if endpoints.dtype.kind not in "iU":
        raise InputError(
            f"expected integers or text in {ends[0]} and {ends[1]}, got {endpoints.dtype} in {source.path}"
        )
    order = np.argsort(graph_of_edge, kind="stable")
    graph_of_edge, endpoints = graph_of_edge[order], endpoints[order]
    starts = np.flatnonzero(np.diff(graph_of_edge)) + 1
    parts = [np.unique(part, return_inverse=True) for part in np.split(endpoints, starts)]
    edges = np.concatenate([positions.reshape(-1, 2) for _, positions in parts])
    weights = _column(table, "weight", source).astype(np.float64) if "weight" in names else None
    ignored = tuple(name for name in others if name not in ends and name != "weight")
    return RawGraphs(
        np.array([len(names) for names, _ in parts]),
        graph_of_edge,
        edges,
        weights=None if weights is None else weights[order],
        node_ids=[canonical_ids(names) for names, _ in parts],
        report=ReadReport(columns_ignored=ignored),
    )


def _column(table: pa.Table, name: str, source: Source) -> NDArray[Any]:
    column = table.column(name)
    if column.null_count:
        raise InputError(f"expected no nulls, got {column.null_count} in column {name} of {source.path}")
    array = column.to_numpy()
    if array.dtype.kind == "O":
        return np.array([str(value) for value in array], np.str_)
    return array.astype(np.int64) if array.dtype.kind in "iu" else array
