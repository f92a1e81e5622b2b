"""Splits the text of an edge list into columns, fast where every field is an integer, line by line elsewhere."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.formats.files import Source

CHUNK_BYTES = 1 << 24
MAX_DIGITS = 18  # any integer of 18 digits fits int64
HEADER_NAMES = (
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("fromnodeid", "tonodeid"),
    ("node1", "node2"),
    ("id1", "id2"),
    ("nodeid1", "nodeid2"),
    ("sourceid", "targetid"),
    ("head", "tail"),
    ("start", "end"),
)
_INTEGER = re.compile(r"0|-?[1-9][0-9]*")

Column = NDArray[Any]  # int64 or text


@dataclass(frozen=True)
class EdgeTable:
    """The rows of an edge list.

    Attributes:
        columns: One int64 or text array (E,) a column; the first two need not be the endpoints, see `endpoints`.
        lines: int64 (E,), the line of each row, from 1.
        names: Column names of a header row, lower case, else empty.
        comments: Text of the comment lines before the first row, without the comment sign.
        num_comments: All comment lines.
        num_headers: Lines that are neither comment nor row.
        num_lines: All lines.
    """

    columns: list[Column]
    lines: NDArray[np.int64]
    names: tuple[str, ...]
    comments: tuple[str, ...]
    num_comments: int
    num_headers: int
    num_lines: int

    @property
    def endpoints(self) -> tuple[int, int]:
        """Positions of the two endpoint columns: those named so, else the first two."""
        for first, second in HEADER_NAMES:
            if first in self.names and second in self.names:
                return self.names.index(first), self.names.index(second)
        return 0, 1


@dataclass(frozen=True)
class _Head:
    """Everything before the first row, which starts at character `start` in line `line`."""

    start: int
    line: int
    names: tuple[str, ...]
    comments: tuple[str, ...]
    num_headers: int
    delimiter: str | None


def read_table(text: str, source: Source) -> EdgeTable:
    """Reads the columns of an edge list.

    Separators are tabs, commas, semicolons or blanks; `#` and `%` start comments; one header row is allowed.

    Args:
        text: The decoded file.
        source: The file, for errors.

    Raises:
        InputError: A row has too few or too many fields; the line is named.
    """
    head = _scan_head(text)
    num_lines = text.count("\n") + (not text.endswith("\n"))
    body = text[head.start :]
    rows = _integer_rows(body, head)
    num_comments = len(head.comments)
    if rows is None:
        columns, lines, inner_comments = _text_rows(body, head, source)
        num_comments += inner_comments
    else:
        values, lines = rows
        columns = list(values.T)
    return EdgeTable(columns, lines, head.names, head.comments, num_comments, head.num_headers, num_lines)


def _scan_head(text: str) -> _Head:
    start, line, num_headers = 0, 1, 0
    names: tuple[str, ...] = ()
    comments: list[str] = []
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        row = text[start:end].strip()
        if row.startswith(("#", "%")):
            comments.append(row.lstrip("#%").strip())
        elif row:
            fields = split_row(row, _delimiter(row))
            if num_headers or not _is_header(fields, _next_row(text, end + 1)):
                return _Head(start, line, names, tuple(comments), num_headers, _delimiter(row))
            num_headers += 1
            names = tuple(re.sub(r"[^a-z0-9]", "", field.lower()) for field in fields)
        start, line = end + 1, line + 1
    return _Head(len(text), line, names, tuple(comments), num_headers, None)


def _next_row(text: str, start: int) -> str:
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        row = text[start:end].strip()
        if row and not row.startswith(("#", "%")):
            return row
        start = end + 1
    return ""


def _is_header(fields: list[str], following: str) -> bool:
    names = {re.sub(r"[^a-z0-9]", "", field.lower()) for field in fields}
    if any(first in names and second in names for first, second in HEADER_NAMES):
        return True
    after = split_row(following, _delimiter(following))[:2]
    numbers_follow = len(after) == 2 and all(_INTEGER.fullmatch(field) for field in after)
    return numbers_follow and not any(_INTEGER.fullmatch(field) for field in fields[:2])


def _delimiter(row: str) -> str | None:
    before_attributes = row.partition("{")[0]
    return next((sign for sign in "\t,;" if sign in before_attributes.strip()), None)


def split_row(row: str, delimiter: str | None) -> list[str]:
    """Splits a row into fields without surrounding blanks; a NetworkX dictionary at its end is one field."""
    if '"' in row and delimiter is not None:
        return [field.strip() for field in next(csv.reader([row], delimiter=delimiter, skipinitialspace=True))]
    plain, brace, attributes = row.partition("{")
    fields = [field.strip() for field in plain.rstrip(f"{delimiter or ''} " if brace else " ").split(delimiter)]
    return [*fields, brace + attributes] if brace else fields


def _integer_rows(body: str, head: _Head) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Reads rows of plain integers; none where any row needs a closer look."""
    if not body.isascii():
        return None
    data = body.encode("ascii")
    values, lines = [], []
    start, line, width = 0, head.line, 0
    while start < len(data):
        end = data.find(b"\n", start + CHUNK_BYTES)
        end = len(data) if end < 0 else end + 1
        chunk = _integer_chunk(data[start:end], head.delimiter, line)
        if chunk is None or (width and chunk[0].shape[1] != width):
            return None
        values.append(chunk[0])
        lines.append(chunk[1])
        width = chunk[0].shape[1]
        line += data.count(b"\n", start, end)
        start = end
    return (np.concatenate(values), np.concatenate(lines)) if values else None


def _integer_chunk(
    data: bytes, delimiter: str | None, first_line: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    sign = (delimiter or " ").encode()
    if data.translate(None, b"0123456789- \t\r\n" + sign):
        return None
    raw = np.frombuffer(data + b"\n", np.uint8)
    newline, separator = raw == ord("\n"), raw == ord(sign)
    gap = newline | separator | (raw == ord(" ")) | (raw == ord("\t")) | (raw == ord("\r"))
    starts = np.flatnonzero(~gap & np.concatenate([[True], gap[:-1]]))
    stops = np.flatnonzero(~gap & np.concatenate([gap[1:], [True]])) + 1
    ends = np.flatnonzero(newline)
    per_line = np.diff(np.searchsorted(starts, ends), prepend=0)
    filled = per_line > 0
    width = int(per_line.max(initial=0))
    if width < 2 or np.any(per_line[filled] != width) or not _are_integers(raw, starts, stops):
        return None
    if delimiter in (",", ";"):
        per_line_separators = np.diff(np.searchsorted(np.flatnonzero(separator), ends), prepend=0)
        if np.any(per_line_separators[filled] != width - 1) or np.any(per_line_separators[~filled]):
            return None
    values = np.fromstring(data.replace(sign, b" "), dtype=np.int64, sep=" ")
    return values.reshape(-1, width), np.flatnonzero(filled) + first_line


def _are_integers(raw: NDArray[np.uint8], starts: NDArray[np.int64], stops: NDArray[np.int64]) -> bool:
    """Whether tokens are short integers as Python prints them: 007 is a name, not the number 7."""
    negative = raw[starts] == ord("-")
    digits = stops - starts - negative
    leading_zero = (raw[starts + negative] == ord("0")) & ((digits > 1) | negative)
    inner_minus = int((raw == ord("-")).sum()) != int(negative.sum())
    return not (inner_minus or leading_zero.any() or digits.min() < 1 or digits.max() > MAX_DIGITS)


def _text_rows(body: str, head: _Head, source: Source) -> tuple[list[Column], NDArray[np.int64], int]:
    rows, lines, comments = [], [], 0
    for number, line in enumerate(body.split("\n"), head.line):
        row = line.strip()
        if row.startswith(("#", "%")):
            comments += 1
        elif row:
            rows.append(split_row(row, head.delimiter))
            lines.append(number)
    width = max(len(rows[0]), 2) if rows else 2
    for fields, number in zip(rows, lines, strict=True):
        if len(fields) != width or not (fields[0] and fields[1]):
            raise InputError(
                f"expected {width} fields, got {len([field for field in fields if field])} at line {number} "
                f"of {source.path}; complete or remove the line"
            )
    columns = [_column(list(column)) for column in zip(*rows, strict=True)]
    return columns or [np.zeros(0, np.int64)] * 2, np.array(lines, np.int64), comments


def _column(fields: list[str]) -> Column:
    if all(len(field) <= MAX_DIGITS and _INTEGER.fullmatch(field) for field in fields):
        return np.array(fields, np.str_).astype(np.int64)
    return np.array(fields, np.str_)
