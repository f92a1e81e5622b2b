"""Matrix Market adjacency matrices (`.mtx`), as networkrepository.com and SuiteSparse publish graphs.

A banner `%%MatrixMarket matrix coordinate FIELD SYMMETRY`, comments, a line `rows columns entries`, then one entry a
line: row and column counted from 1, and a value unless FIELD is `pattern`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.formats.edge_text import EdgeTable, read_table
from sbgd.formats.files import Source, text_of
from sbgd.formats.raw import RawGraphs
from sbgd.formats.report import ReadReport

FIELDS = {"pattern": 2, "integer": 3, "real": 3}
SYMMETRIES = ("symmetric", "general")


def read(source: Source) -> RawGraphs:
    """Reads a square matrix; a `general` one that is not symmetric is a directed graph.

    Raises:
        InputError: The text is no sparse real square matrix, or is cut short.
    """
    lines = text_of(source).split("\n")
    width, is_general = _banner(lines[0].lower().split(), source)
    at = next((i for i, line in enumerate(lines) if line.strip() and not line.startswith("%")), 0)
    num_nodes, num_entries = _size(lines[at].split(), source)
    lines[at] = f"% {lines[at]}"  # a comment, so that entries keep their line numbers
    table = read_table("\n".join(lines), source)
    if len(table.lines) != num_entries:
        raise InputError(f"expected {num_entries} entries as stated, got {len(table.lines)} in {source.path}")
    edges, weights = _entries(table, width, num_nodes, source)
    return RawGraphs.single(
        edges,
        num_nodes,
        lines=table.lines,
        directed=is_general and not _is_symmetric(edges, num_nodes),
        both_directions=is_general,
        weights=weights,
        report=ReadReport(lines_read=table.num_lines, comments=table.num_comments - 2),
    )


def _banner(words: list[str], source: Source) -> tuple[int, bool]:
    kinds_are_known = len(words) == 5 and words[3] in FIELDS and words[4] in SYMMETRIES
    if words[:3] != ["%%matrixmarket", "matrix", "coordinate"] or not kinds_are_known:
        raise InputError(
            f"expected '%%MatrixMarket matrix coordinate', one of {', '.join(FIELDS)} and one of "
            f"{', '.join(SYMMETRIES)}, got {' '.join(words)[:60]!r} in {source.path}"
        )
    return FIELDS[words[3]], words[4] == "general"


def _size(words: list[str], source: Source) -> tuple[int, int]:
    if len(words) != 3 or not all(word.isdecimal() for word in words) or words[0] != words[1]:
        raise InputError(
            f"expected 'rows columns entries' of a square matrix, got {' '.join(words)!r} in {source.path}"
        )
    return int(words[0]), int(words[2])


def _entries(
    table: EdgeTable, width: int, num_nodes: int, source: Source
) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
    """Returns edges from 0 and weights; a stored zero is no edge and refused with the weights."""
    if not len(table.lines):
        return np.zeros((0, 2), np.int64), None
    if len(table.columns) != width or any(column.dtype.kind != "i" for column in table.columns[:2]):
        raise InputError(
            f"expected row, column{', value' if width > 2 else ''} on every line of {source.path}, got others"
        )
    edges = np.stack(table.columns[:2], axis=1) - 1
    outside = np.flatnonzero(((edges < 0) | (edges >= num_nodes)).any(axis=1))
    if len(outside):
        raise InputError(
            f"expected rows and columns in 1..{num_nodes}, got others at line {table.lines[outside[0]]} "
            f"of {source.path}"
        )
    try:
        return edges, table.columns[2].astype(np.float64) if width > 2 else None
    except ValueError as error:
        raise InputError(f"expected numbers as values, got {error} in {source.path}") from None


def _is_symmetric(edges: NDArray[np.int64], num_nodes: int) -> bool:
    forward, backward = edges @ np.array([num_nodes, 1]), edges @ np.array([1, num_nodes])
    return np.array_equal(np.unique(forward), np.unique(backward))
