"""GraphML: one graph a file, with ids, features `x0`, `x1`, ... and label `y` as node data.

A graph-level entry `sbgd` (JSON) says what ids, features and labels are, so that they come back exactly. Documents
with a DOCTYPE are refused: entities are how XML attacks its reader.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.formats.files import Source, text_of, write_file, write_folder
from sbgd.formats.raw import RawGraphs, canonical_ids
from sbgd.formats.report import ReadReport
from sbgd.graph import Graph, Ids

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def read(source: Source) -> RawGraphs:
    """Reads a GraphML document with one graph.

    Raises:
        InputError: The document is not well formed, has a DOCTYPE, or edges name undeclared nodes.
    """
    text = text_of(source)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise InputError(f"expected GraphML without a DOCTYPE, got one in {source.path}; remove it")
    try:
        root = ElementTree.fromstring(text)  # noqa: S314 - no DOCTYPE, hence no entity can be declared
    except ElementTree.ParseError as error:
        raise InputError(f"expected well-formed GraphML, got {error} in {source.path}") from None
    graphs = list(_children(root, "graph"))
    if len(graphs) != 1 or list(_children(graphs[0], "hyperedge")):
        raise InputError(f"expected one graph without hyperedges, got {len(graphs)} graphs in {source.path}")
    keys = {key.get("id", ""): key.get("attr.name", key.get("id", "")) for key in _children(root, "key")}
    defaults = {
        keys[key.get("id", "")]: default.text or ""
        for key in _children(root, "key")
        for default in _children(key, "default")
    }
    return _parse(graphs[0], keys, defaults, source)


def write(path: Path, graphs: Sequence[Graph]) -> None:
    """Writes one graph to a file, several to a folder with one file each."""
    if len(graphs) == 1:
        write_file(path, _encoded(graphs[0]))
    else:
        digits = len(str(len(graphs) - 1))
        write_folder(path, {f"graph_{i:0{digits}}.graphml": _encoded(graph) for i, graph in enumerate(graphs)})


def _children(element: ElementTree.Element, tag: str) -> Iterator[ElementTree.Element]:
    return (child for child in element if child.tag.rpartition("}")[2] == tag)


def _data(element: ElementTree.Element, keys: dict[str, str]) -> dict[str, str]:
    return {keys.get(child.get("key", ""), ""): child.text or "" for child in _children(element, "data")}


def _parse(graph: ElementTree.Element, keys: dict[str, str], defaults: dict[str, str], source: Source) -> RawGraphs:
    nodes, links = list(_children(graph, "node")), list(_children(graph, "edge"))
    names = [node.get("id", "") for node in nodes]
    index = {name: position for position, name in enumerate(names)}
    if len(index) != len(names):
        raise InputError(f"expected distinct node ids, got duplicates in {source.path}")
    edges = np.array(
        [[_position(link, end, index, source) for end in ("source", "target")] for link in links], np.int64
    )
    about = _about(_data(graph, keys), source)
    node_data, edge_data = [_data(node, keys) for node in nodes], [_data(link, keys) for link in links]
    columns = [f"x{i}" for i in range(about.get("num_features", _num_features(keys)))]
    used = {*columns, "y", "sbgd", "weight"}
    return RawGraphs.single(
        edges,
        len(names),
        directed=_is_directed(graph, links),
        weights=_weights(edge_data, defaults, source),
        features=_numbers(node_data, columns, source) if columns or "num_features" in about else None,
        labels=_numbers(node_data, ["y"], source)[:, 0].astype(np.int64) if "y" in keys.values() else None,
        node_ids=_ids(names, about.get("ids")),
        report=ReadReport(columns_ignored=tuple(dict.fromkeys(name for name in keys.values() if name not in used))),
    )


def _about(data: dict[str, str], source: Source) -> dict[str, Any]:
    try:
        return dict(json.loads(data.get("sbgd", "{}")))
    except (json.JSONDecodeError, TypeError):
        raise InputError(
            f"expected JSON in the graph's entry 'sbgd', got {data['sbgd'][:40]!r} in {source.path}"
        ) from None


def _position(link: ElementTree.Element, end: str, index: dict[str, int], source: Source) -> int:
    name = link.get(end, "")
    if name not in index:
        raise InputError(f"expected edges between declared nodes, got {end} {name!r} in {source.path}")
    return index[name]


def _is_directed(graph: ElementTree.Element, links: list[ElementTree.Element]) -> bool:
    by_default = graph.get("edgedefault") == "directed"
    marks = [link.get("directed") for link in links]
    return any(mark == "true" or (by_default and mark is None) for mark in marks)


def _num_features(keys: dict[str, str]) -> int:
    """Counts x0, x1, ... without a gap."""
    count = 0
    while f"x{count}" in keys.values():
        count += 1
    return count


def _numbers(data: list[dict[str, str]], columns: list[str], source: Source) -> NDArray[np.float64]:
    try:
        rows = [[float(entry[column]) for column in columns] for entry in data]
    except KeyError as error:
        raise InputError(f"expected {error} on every node, got a node without in {source.path}") from None
    except ValueError as error:
        raise InputError(f"expected numbers in {', '.join(columns)}, got {error} in {source.path}") from None
    return np.array(rows, np.float64).reshape(len(data), len(columns))


def _weights(data: list[dict[str, str]], defaults: dict[str, str], source: Source) -> NDArray[np.float64] | None:
    if "weight" not in defaults and not any("weight" in entry for entry in data):
        return None
    default = defaults.get("weight", "1")
    return _numbers([{"weight": entry.get("weight", default)} for entry in data], ["weight"], source)[:, 0]


def _ids(names: list[str], kind: str | None) -> list[Ids | None]:
    """Restores ids of the stated kind; in foreign files ids that all read as integers are integers."""
    if kind == "none" or not names:
        return []
    if kind == "integers" or (kind is None and all(re.fullmatch(r"0|-?[1-9][0-9]{0,17}", name) for name in names)):
        ids = canonical_ids(np.array(names, np.str_).astype(np.int64))
        return [] if ids is None else [ids]
    return [np.array(names, np.str_)]


def _encoded(graph: Graph) -> bytes:
    ids: list[Any] = list(range(graph.num_nodes)) if graph.node_ids is None else graph.node_ids.tolist()
    kind = "none" if graph.node_ids is None else "text" if graph.node_ids.dtype.kind == "U" else "integers"
    names = [_quoted(str(name)) for name in ids]
    about: dict[str, Any] = {"ids": kind}
    columns = [f"x{i}" for i in range(graph.num_features)]
    if graph.features is not None:
        about["num_features"] = graph.num_features
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<graphml xmlns="{NAMESPACE}">',
        '<key id="sbgd" for="graph" attr.name="sbgd" attr.type="string"/>',
        *(f'<key id="{name}" for="node" attr.name="{name}" attr.type="double"/>' for name in columns),
    ]
    if graph.labels is not None:
        lines.append('<key id="y" for="node" attr.name="y" attr.type="long"/>')
    lines += ['<graph edgedefault="undirected">', f'<data key="sbgd">{escape(json.dumps(about))}</data>']
    lines += [f"<node id={name}>{data}</node>" for name, data in zip(names, _node_data(graph), strict=True)]
    lines += [f"<edge source={names[u]} target={names[v]}/>" for u, v in graph.edges.tolist()]
    return "\n".join([*lines, "</graph>", "</graphml>", ""]).encode()


def _node_data(graph: Graph) -> list[str]:
    data = [""] * graph.num_nodes
    if graph.features is not None:
        rows = graph.features.tolist()
        data = ["".join(f'<data key="x{i}">{value!r}</data>' for i, value in enumerate(row)) for row in rows]
    if graph.labels is not None:
        data = [f'{row}<data key="y">{label}</data>' for row, label in zip(data, graph.labels.tolist(), strict=True)]
    return data


def _quoted(name: str) -> str:
    if _NOT_XML.search(name):
        raise InputError(f"expected node ids that XML can hold, got {name!r}; write npz or parquet")
    return quoteattr(name)
