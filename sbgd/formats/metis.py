"""METIS graph files: line i holds the neighbours of node i, counted from 1, after a header `nodes edges [fmt [ncon]]`.

The digits of `fmt` say, from the right, whether edges have weights, whether nodes have (`ncon`, 1 by default), and
whether nodes have sizes. An empty line is an isolated node; `%` starts a comment.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sbgd.errors import InputError
from sbgd.formats.files import Source, text_of
from sbgd.formats.raw import RawGraphs
from sbgd.formats.report import ReadReport


@dataclass(frozen=True)
class _Header:
    num_nodes: int
    num_edges: int
    leading: int
    has_edge_weights: bool


def read(source: Source) -> RawGraphs:
    """Reads a METIS graph.

    Raises:
        InputError: A field is no number, or the header contradicts the lines.
    """
    text = text_of(source)
    numbered = list(enumerate(text.removesuffix("\n").split("\n"), 1))
    rows = [(number, line.split()) for number, line in numbered if not line.lstrip().startswith("%")]
    while rows and not rows[0][1]:
        rows.pop(0)
    if not rows:
        raise InputError(f"expected a METIS header 'nodes edges', got no such line in {source.path}")
    header = _header(rows.pop(0)[1], source)
    while len(rows) > header.num_nodes and not rows[-1][1]:
        rows.pop()
    if len(rows) != header.num_nodes:
        raise InputError(f"expected {header.num_nodes} node lines as the header says, got {len(rows)} in {source.path}")
    raw = _entries(rows, header, source)
    if 2 * header.num_edges != len(raw.edges):
        raise InputError(
            f"expected {2 * header.num_edges} neighbours, twice the header's {header.num_edges} edges, "
            f"got {len(raw.edges)} in {source.path}"
        )
    _check_symmetric(raw, source)
    ignored = ("node weights",) if header.leading else ()
    report = ReadReport(lines_read=len(numbered), comments=len(numbered) - len(rows) - 1, columns_ignored=ignored)
    return RawGraphs.single(
        raw.edges, header.num_nodes, lines=raw.lines, weights=raw.weights, both_directions=True, report=report
    )


def _header(fields: list[str], source: Source) -> _Header:
    if not 2 <= len(fields) <= 4 or not all(field.isdecimal() for field in fields):
        raise InputError(
            f"expected a METIS header 'nodes edges [fmt [ncon]]', got {' '.join(fields)!r} in {source.path}"
        )
    num_nodes, num_edges = int(fields[0]), int(fields[1])
    flags = fields[2].zfill(3) if len(fields) > 2 else "000"
    if set(flags) - {"0", "1"} or len(flags) > 3:
        raise InputError(f"expected fmt of up to three digits 0 or 1, got {flags} in {source.path}")
    num_constraints = int(fields[3]) if len(fields) > 3 else 1
    leading = int(flags[0]) + (num_constraints if flags[1] == "1" else 0)
    return _Header(num_nodes, num_edges, leading, flags[2] == "1")


def _entries(rows: list[tuple[int, list[str]]], header: _Header, source: Source) -> RawGraphs:
    step = 2 if header.has_edge_weights else 1
    neighbours, weights, counts = [], [], []
    for number, fields in rows:
        own = fields[header.leading :]
        if len(own) % step or len(fields) < header.leading:
            raise InputError(
                f"expected neighbours with a weight each, got {len(own)} fields at line {number} of {source.path}"
            )
        neighbours += own[::step]
        weights += own[1::2] if header.has_edge_weights else []
        counts.append(len(own) // step)
    lines = np.repeat([number for number, _ in rows], counts)
    try:
        targets = np.array(neighbours, np.str_).astype(np.int64)
        values = np.array(weights, np.str_).astype(np.float64) if header.has_edge_weights else None
    except ValueError as error:
        raise InputError(f"expected numbers in {source.path}, got {error}") from None
    bad = np.flatnonzero((targets < 1) | (targets > header.num_nodes))
    if len(bad):
        raise InputError(
            f"expected neighbours in 1..{header.num_nodes}, got {targets[bad[0]]} at line {lines[bad[0]]} "
            f"of {source.path}"
        )
    edges = np.stack([np.repeat(np.arange(header.num_nodes), counts), targets - 1], axis=1)
    return RawGraphs.single(edges, header.num_nodes, lines=lines, weights=values)


def _check_symmetric(raw: RawGraphs, source: Source) -> None:
    size = int(raw.num_nodes[0])
    forward, backward = raw.edges @ [size, 1], raw.edges @ [1, size]
    lonely = np.flatnonzero(~np.isin(forward, backward))
    if len(lonely):
        u, v = raw.edges[lonely[0]] + 1
        raise InputError(
            f"expected every edge at both of its nodes, got {u} {v} only at {raw.place(lonely[0])} of {source.path}"
        )
