"""Every format by name, and how a file shows which it is: by its name first, then by its first bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sbgd.errors import InputError
from sbgd.formats import edgelist, graphml, market, metis, nodelink, npz, parquet, planetoid, tensors, tudataset
from sbgd.formats.files import Source
from sbgd.formats.raw import RawGraphs
from sbgd.graph import Graph


@dataclass(frozen=True)
class Format:
    """A file format.

    Attributes:
        name: What users call it.
        suffixes: File name endings that say so.
        read: Parses a file.
        write: Writes graphs, none for formats that are only read.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Source], RawGraphs]
    write: Callable[[Path, Sequence[Graph]], None] | None = None


FORMATS = {
    entry.name: entry
    for entry in (
        Format("npz", (".npz",), npz.read, npz.write),
        Format("edgelist", (".edges", ".edgelist", ".txt", ".csv", ".tsv", ".el"), edgelist.read, edgelist.write),
        Format("graphml", (".graphml", ".xml"), graphml.read, graphml.write),
        Format("parquet", (".parquet",), parquet.read, parquet.write),
        Format("nodelink", (".json",), nodelink.read, nodelink.write),
        Format("metis", (".graph", ".metis"), metis.read),
        Format("tudataset", (".zip",), tudataset.read),
        Format("planetoid", (), planetoid.read),
        Format("matrixmarket", (".mtx",), market.read),
        Format("tensors", (".pt", ".pth"), tensors.read),
    )
}
PICKLES = (".pkl", ".pickle", ".p", ".gpickle", ".joblib")


def named_format(name: str) -> Format:
    """Returns the format of a name.

    Raises:
        InputError: There is none.
    """
    if name not in FORMATS:
        raise InputError(f"expected a format among {', '.join(FORMATS)}, got {name}")
    return FORMATS[name]


def writable_format(path: Path, name: str | None) -> Format:
    """Returns the format to write, by name or else by the path's suffix.

    Raises:
        InputError: There is none, or it is only read.
    """
    chosen = named_format(name) if name else by_suffix(path.name)
    if chosen is None or chosen.write is None:
        writable = ", ".join(entry.name for entry in FORMATS.values() if entry.write)
        raise InputError(f"expected a format to write among {writable}, got {name or path.name}; name one of them")
    return chosen


def by_suffix(name: str) -> Format | None:
    """Returns the format that a file name shows."""
    if planetoid.is_part(name):
        return FORMATS["planetoid"]
    plain = name.removesuffix(".gz").lower()
    return next((entry for entry in FORMATS.values() if plain.endswith(entry.suffixes)), None) if plain else None


def detect(source: Source) -> Format:
    """Returns the format of a file.

    Raises:
        InputError: It is a pickle, or nothing known.
    """
    found = by_suffix(source.path.name)
    if found is not None and found.name == "planetoid":
        return found
    if source.name.lower().endswith(PICKLES) or _starts_like_pickle(source.data):
        raise InputError(
            f"expected a graph file, got a pickle: {source.path}; untrusted files are never unpickled: convert it "
            "where you trust it, with sbgd.Graph.from_networkx and sbgd.formats.save(graphs, 'graphs.npz')"
        )
    found = found or _by_content(source.data)
    if found is None:
        raise InputError(
            f"expected a graph file ({', '.join(FORMATS)}), got something else: {source.path}; name its format"
        )
    return found


def _starts_like_pickle(data: bytes) -> bool:
    return len(data) > 1 and data[0] == 0x80 and data[1] <= 5


def _by_content(data: bytes) -> Format | None:
    if data.startswith(b"PAR1"):
        return FORMATS["parquet"]
    if data.startswith(b"PK\x03\x04"):
        return FORMATS["tudataset" if tudataset.holds(data) else "npz"]
    if data.startswith(b"%%MatrixMarket"):
        return FORMATS["matrixmarket"]
    start = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"<?xml", b"<graphml")):
        return FORMATS["graphml"]
    if start.startswith(b"{") or (start.startswith(b"[") and start[1:].lstrip().startswith((b"{", b"]"))):
        return FORMATS["nodelink"]
    return FORMATS["edgelist"] if _is_edge_text(start) else None


def _is_edge_text(start: bytes) -> bool:
    """Whether the first row that is no comment holds two fields of plain text."""
    try:
        text = start.decode("utf-8", errors="strict" if len(start) < 4000 else "ignore")
    except UnicodeDecodeError:
        return False
    rows = [row for row in text.split("\n") if row.strip() and not row.lstrip().startswith(("#", "%"))]
    is_printable = all(sign.isprintable() or sign.isspace() for sign in text)
    return is_printable and (not rows or len(rows[0].replace(",", " ").replace(";", " ").split()) > 1)
