"""Edge lists: text with one edge a line, as most public graphs are published.

Our own files start with comments, which other tools skip, that keep what plain edge lists lose:

    # sbgd edge list: num_nodes=3 num_edges=1 endpoints=ids num_features=1
    # ids: [4, 2, 6]
    # x: [[0.5], [1.0], [0.0]]
    # y: [0, 1, 1]
    4 6

`ids`, `x` (features) and `y` (labels) are JSON lists of at most 1000 nodes a line, joined in order. Where an id would
not survive as a word of text, edges hold positions 0 .. N-1 instead and the header says `endpoints=positions`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.formats.edge_text import Column, EdgeTable, read_table
from sbgd.formats.files import Source, text_of, write_file, write_folder
from sbgd.formats.raw import RawGraphs, canonical_ids
from sbgd.formats.report import ReadReport
from sbgd.graph import Graph, Ids

NODES_PER_LINE = 1000
WEIGHT_NAMES = ("weight", "w", "value", "strength")
_HEADER = re.compile(
    r"sbgd edge list: num_nodes=(\d+) num_edges=(\d+) endpoints=(ids|positions)(?: num_features=(\d+))?"
)
_WORD = re.compile(r"[^\s#%,;\"'{}]+")
_DICT_WEIGHT = re.compile(r"""['"]weight['"]: *([^,}]+)""")


def read(source: Source) -> RawGraphs:
    """Reads an edge list: our own with its header, else a plain one whose nodes are the ids that occur.

    Raises:
        InputError: A row is malformed, or the rows contradict the header.
    """
    text = text_of(source)
    if text.startswith("%%MatrixMarket"):
        raise InputError(f"expected an edge list, got a Matrix Market file: {source.path}; name it .mtx")
    table = read_table(text, source)
    header = _HEADER.fullmatch(table.comments[0]) if table.comments else None
    if header is None:
        return _plain(table, source)
    return _own(table, header, source)


def write(path: Path, graphs: Sequence[Graph]) -> None:
    """Writes one graph to a file, several to a folder with one file each."""
    if len(graphs) == 1:
        write_file(path, _encoded(graphs[0]))
    else:
        digits = len(str(len(graphs) - 1))
        write_folder(path, {f"graph_{i:0{digits}}.edges": _encoded(graph) for i, graph in enumerate(graphs)})


def _plain(table: EdgeTable, source: Source) -> RawGraphs:
    if not len(table.lines):
        raise InputError(f"expected edges, got none in the {table.num_lines} lines of {source.path}")
    names, positions = np.unique(_endpoints(table), return_inverse=True)
    weights, ignored = _extra_columns(table, source)
    return RawGraphs.single(
        positions.reshape(-1, 2),
        len(names),
        lines=table.lines,
        weights=weights,
        node_ids=_ids_or_none(canonical_ids(names)),
        report=_report(table, ignored),
    )


def _own(table: EdgeTable, header: re.Match[str], source: Source) -> RawGraphs:
    num_nodes, num_edges = int(header[1]), int(header[2])
    attributes = _attributes(table.comments[1:], num_nodes, source)
    if len(table.lines) != num_edges:
        raise InputError(
            f"expected {num_edges} edges as the header says, got {len(table.lines)} in {source.path}; "
            "the file is cut short or was edited: write it again"
        )
    ids = _ids_array(attributes.get("ids"))
    endpoints = _endpoints(table)
    if ids is not None and header[3] == "ids":
        endpoints = _positions(endpoints, ids, table, source)
    if endpoints.dtype.kind != "i":
        raise InputError(f"expected node positions, got names in {source.path}; write the file again")
    return RawGraphs.single(
        endpoints.astype(np.int64),
        num_nodes,
        lines=table.lines,
        features=_features_array(attributes.get("x"), header[4], source),
        labels=None if "y" not in attributes else np.array(attributes["y"], np.int64),
        node_ids=_ids_or_none(ids),
        report=_report(table, ()),
    )


def _endpoints(table: EdgeTable) -> Column:
    first, second = (table.columns[position] for position in table.endpoints)
    if first.dtype.kind != second.dtype.kind:
        first, second = first.astype(np.str_), second.astype(np.str_)
    return np.stack([first, second], axis=1)


def _positions(endpoints: Column, ids: Ids, table: EdgeTable, source: Source) -> NDArray[np.int64]:
    names = ids if ids.dtype.kind == endpoints.dtype.kind else ids.astype(np.str_)
    words = endpoints.astype(names.dtype) if names.dtype.kind == "i" else endpoints.astype(np.str_)
    order = np.argsort(names, kind="stable")
    found = order[np.searchsorted(names, words, sorter=order).clip(max=len(names) - 1)]
    unknown = np.argwhere(names[found] != words)
    if len(unknown):
        row, column = unknown[0]
        raise InputError(
            f"expected ids that the header lists, got {words[row, column]} at line {table.lines[row]} of {source.path}"
        )
    return found


def _extra_columns(table: EdgeTable, source: Source) -> tuple[NDArray[np.float64] | None, tuple[str, ...]]:
    """Returns the weights and the names of the columns left unused."""
    extra = [position for position in range(len(table.columns)) if position not in table.endpoints]
    named = [position for position in extra if position < len(table.names) and table.names[position] in WEIGHT_NAMES]
    is_named = len(table.names) == len(table.columns)
    candidates = named if is_named else extra[:1]
    weights = None
    if candidates:
        weights = _numbers(table.columns[candidates[0]], table, source)
    used = candidates[:1] if weights is not None else []
    ignored = tuple(_column_name(table, position) for position in extra if position not in used)
    return weights, tuple(name for name in ignored if name)


def _numbers(column: Column, table: EdgeTable, source: Source) -> NDArray[np.float64] | None:
    """Reads a column as weights, none where it holds something else."""
    if column.dtype.kind != "i" and column[0].startswith("{"):
        found = [_DICT_WEIGHT.search(field) for field in column.tolist()]
        if not any(found):
            return None
        column = np.array([match[1] if match else "1" for match in found])
    try:
        weights = column.astype(np.float64)
    except ValueError:
        return None
    bad = np.flatnonzero(np.isnan(weights))
    if len(bad):
        raise InputError(f"expected numbers as weights, got nan at line {table.lines[bad[0]]} of {source.path}")
    return weights


def _column_name(table: EdgeTable, position: int) -> str:
    if len(table.names) == len(table.columns):
        return table.names[position]
    column = table.columns[position]
    empty_attributes = column.dtype.kind != "i" and bool(np.all(column == "{}"))
    return "" if empty_attributes else f"column {position + 1}"


def _report(table: EdgeTable, ignored: tuple[str, ...]) -> ReadReport:
    return ReadReport(
        lines_read=table.num_lines, comments=table.num_comments, headers=table.num_headers, columns_ignored=ignored
    )


def _attributes(comments: Sequence[str], num_nodes: int, source: Source) -> Mapping[str, list[Any]]:
    attributes: dict[str, list[Any]] = {}
    for comment in comments:
        key, colon, values = comment.partition(": ")
        if colon and key in ("ids", "x", "y"):
            try:
                attributes.setdefault(key, []).extend(json.loads(values))
            except (json.JSONDecodeError, TypeError):
                raise InputError(f"expected a JSON list after '# {key}:', got {values[:40]} in {source.path}") from None
    for key, entries in attributes.items():
        if len(entries) != num_nodes:
            raise InputError(
                f"expected {num_nodes} entries of '# {key}:', one a node, got {len(entries)} in {source.path}"
            )
    return attributes


def _ids_array(entries: list[Any] | None) -> Ids | None:
    if not entries:
        return None
    if all(isinstance(entry, int) for entry in entries):
        return np.array(entries, np.int64)
    return np.array(entries, np.str_)


def _features_array(rows: list[Any] | None, width: str | None, source: Source) -> NDArray[np.float64] | None:
    if rows is None:
        return None
    try:
        return np.array(rows, np.float64).reshape(len(rows), int(width or 0))
    except (TypeError, ValueError):
        raise InputError(f"expected {width} numbers a node after '# x:', got others in {source.path}") from None


def _ids_or_none(ids: Ids | None) -> list[Ids | None]:
    return [] if ids is None else [ids]


def _encoded(graph: Graph) -> bytes:
    ids = None if graph.node_ids is None else graph.node_ids.tolist()
    words = list(map(str, range(graph.num_nodes) if ids is None else ids))
    by_id = len(set(words)) == len(words) and all(_WORD.fullmatch(word) for word in words)
    if not by_id:
        words = list(map(str, range(graph.num_nodes)))
    endpoints = "ids" if by_id else "positions"
    width = "" if graph.features is None else f" num_features={graph.num_features}"
    lines = [f"# sbgd edge list: num_nodes={graph.num_nodes} num_edges={graph.num_edges} endpoints={endpoints}{width}"]
    lines += _attribute_lines("ids", ids)
    lines += _attribute_lines("x", None if graph.features is None else graph.features.tolist())
    lines += _attribute_lines("y", None if graph.labels is None else graph.labels.tolist())
    lines += [f"{words[u]} {words[v]}" for u, v in graph.edges.tolist()]
    return ("\n".join(lines) + "\n").encode()


def _attribute_lines(key: str, entries: list[Any] | None) -> list[str]:
    if entries is None:
        return []
    starts = range(0, max(len(entries), 1), NODES_PER_LINE)
    return [f"# {key}: {json.dumps(entries[start : start + NODES_PER_LINE])}" for start in starts]
