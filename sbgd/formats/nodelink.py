"""Node-link JSON as `networkx.node_link_data` gives it: one graph, or a list of them.

A graph is `{"directed", "multigraph", "graph", "nodes": [{"id", "x", "y"}], "edges": [{"source", "target", "weight"}]}`
with `links` for `edges` before NetworkX 3.4. `x`, a number or a list, are features and the integer `y` is the label,
the integer `edge_type` of an edge its type, as in `Graph.to_networkx`; `num_features` and `has_labels` among the
graph's attributes say so for graphs without nodes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.formats.files import Source, text_of, write_file
from sbgd.formats.raw import RawGraphs, canonical_ids, stack
from sbgd.formats.report import ReadReport
from sbgd.graph import Graph, Ids

_NODE_KEYS = {"id", "x", "y"}
_EDGE_KEYS = {"source", "target", "weight", "key", "edge_type"}
_GRAPH_KEYS = {"num_features", "has_labels"}
_LONGEST = range(-(2**63), 2**63)


@dataclass(frozen=True)
class _Document:
    """One graph of a file.

    Attributes:
        place: Where it stands, for errors.
        directed: Whether it says that it is directed.
        attributes: Attributes of the graph.
        nodes: Its nodes.
        links: Its edges.
    """

    place: str
    directed: bool
    attributes: dict[str, Any]
    nodes: list[dict[str, Any]]
    links: list[dict[str, Any]]


def read(source: Source) -> RawGraphs:
    """Reads one graph or a list of them.

    Raises:
        InputError: The text is no JSON, holds something else, or edges name undeclared nodes.
    """
    try:
        value = json.loads(text_of(source))
    except RecursionError:
        raise InputError(f"expected node-link JSON, got lists within lists without end in {source.path}") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"expected node-link JSON, got {error} in {source.path}") from None
    entries = value if isinstance(value, list) else [value]
    if not entries:
        raise InputError(f"expected at least one graph, got an empty list in {source.path}")
    return _parse([_document(entry, f"graph {i} of {source.path}") for i, entry in enumerate(entries)])


def write(path: Path, graphs: Sequence[Graph]) -> None:
    """Writes one graph as an object, several as a list."""
    stack(graphs)  # refuses graphs of which only some have features or labels, which would not come back
    texts = [json.dumps(_encoded(graph)) for graph in graphs]
    text = texts[0] if len(texts) == 1 else "[\n" + ",\n".join(texts) + "\n]"
    write_file(path, f"{text}\n".encode())


def _document(entry: Any, place: str) -> _Document:
    if not isinstance(entry, dict) or "nodes" not in entry or not entry.keys() & {"edges", "links"}:
        found = f"the keys {', '.join(sorted(entry))}" if isinstance(entry, dict) else type(entry).__name__
        raise InputError(
            f"expected nodes and edges (or links), got {found} at {place}; write it with networkx.node_link_data"
        )
    nodes, links = entry["nodes"], entry["edges" if "edges" in entry else "links"]
    for name, rows in (("nodes", nodes), ("edges", links)):
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise InputError(f"expected a list of objects as {name}, got something else at {place}")
    attributes = entry.get("graph")
    return _Document(
        place, entry.get("directed") is True, attributes if isinstance(attributes, dict) else {}, nodes, links
    )


def _parse(documents: list[_Document]) -> RawGraphs:
    names = [[_name(node.get("id", i), each.place) for i, node in enumerate(each.nodes)] for each in documents]
    edges = [_edges(each, own) for each, own in zip(documents, names, strict=True)]
    ids = [_ids(own, each.place) for each, own in zip(documents, names, strict=True)]
    return RawGraphs(
        np.array([len(own) for own in names]),
        np.repeat(np.arange(len(documents)), [len(own) for own in edges]),
        np.concatenate(edges),
        directed=any(each.directed for each in documents),
        weights=_weights(documents),
        edge_types=_edge_types(documents),
        features=_features(documents),
        labels=_labels(documents),
        node_ids=ids if any(own is not None for own in ids) else (),
        report=ReadReport(columns_ignored=_ignored(documents)),
    )


def _name(value: Any, place: str) -> Any:
    """Returns a node's name as NetworkX has it; tuples are lists in JSON."""
    if isinstance(value, dict):
        raise InputError(f"expected numbers, text or lists as node ids, got an object at {place}")
    return tuple(_name(part, place) for part in value) if isinstance(value, list) else value


def _edges(document: _Document, names: list[Any]) -> NDArray[np.int64]:
    index = {name: position for position, name in enumerate(names)}
    if len(index) != len(names):
        raise InputError(f"expected distinct node ids, got duplicates at {document.place}")

    def position(link: dict[str, Any], end: str) -> int:
        name = _name(link.get(end), document.place)
        if name not in index:
            raise InputError(f"expected edges between declared nodes, got {end} {name!r} at {document.place}")
        return index[name]

    pairs = [(position(link, "source"), position(link, "target")) for link in document.links]
    return np.array(pairs, np.int64).reshape(-1, 2)


def _ids(names: list[Any], place: str) -> Ids | None:
    if all(type(name) is int and name in _LONGEST for name in names):
        return canonical_ids(np.array(names, np.int64))
    texts = [str(name) for name in names]
    if len(set(texts)) != len(texts):
        raise InputError(f"expected node ids that differ as text, got two alike at {place}")
    return np.array(texts, np.str_)


def _weights(documents: list[_Document]) -> NDArray[np.float64] | None:
    if not any("weight" in link for each in documents for link in each.links):
        return None
    rows = [_numbers(link.get("weight", 1), "weight", each.place) for each in documents for link in each.links]
    if any(len(row) != 1 for row in rows):
        raise InputError("expected one number as weight of an edge, got a list; remove weights or lists")
    return np.array(rows, np.float64)[:, 0]


def _edge_types(documents: list[_Document]) -> NDArray[np.int64] | None:
    if not any("edge_type" in link for each in documents for link in each.links):
        return None
    types = [(link.get("edge_type"), each.place) for each in documents for link in each.links]
    bad = next((pair for pair in types if type(pair[0]) is not int or pair[0] not in _LONGEST), None)
    if bad is not None:
        raise InputError(f"expected an integer edge_type on every edge, got {bad[0]!r} at {bad[1]}")
    return np.array([kind for kind, _ in types], np.int64)


def _features(documents: list[_Document]) -> NDArray[np.float64] | None:
    declared = [each.attributes["num_features"] for each in documents if "num_features" in each.attributes]
    if not declared and not any("x" in node for each in documents for node in each.nodes):
        return None
    rows = [_numbers(_present(node, "x", each.place), "x", each.place) for each in documents for node in each.nodes]
    widths = {len(row) for row in rows} | {width for width in declared if type(width) is int and width >= 0}
    if len(widths) != 1:
        raise InputError(f"expected as many features on every node, got {sorted(widths)} at {documents[0].place}")
    return np.array(rows, np.float64).reshape(len(rows), widths.pop())


def _labels(documents: list[_Document]) -> NDArray[np.int64] | None:
    is_declared = any(each.attributes.get("has_labels") is True for each in documents)
    if not is_declared and not any("y" in node for each in documents for node in each.nodes):
        return None
    labels = [(_present(node, "y", each.place), each.place) for each in documents for node in each.nodes]
    bad = next((pair for pair in labels if type(pair[0]) is not int or pair[0] not in _LONGEST), None)
    if bad is not None:
        raise InputError(f"expected integers as labels y, got {bad[0]!r} at {bad[1]}")
    return np.array([label for label, _ in labels], np.int64)


def _present(node: dict[str, Any], key: str, place: str) -> Any:
    if key not in node:
        raise InputError(f"expected {key!r} on every node, got a node without at {place}")
    return node[key]


def _numbers(value: Any, key: str, place: str) -> list[float]:
    values = value if isinstance(value, list) else [value]
    try:
        if all(type(number) in (int, float, bool) for number in values):
            return [float(number) for number in values]
    except OverflowError:
        pass
    raise InputError(f"expected numbers as {key}, got {str(value)[:40]} at {place}")


def _ignored(documents: list[_Document]) -> tuple[str, ...]:
    names = [name for each in documents for name in each.attributes if name not in _GRAPH_KEYS]
    names += [name for each in documents for node in each.nodes for name in node if name not in _NODE_KEYS]
    names += [name for each in documents for link in each.links for name in link if name not in _EDGE_KEYS]
    return tuple(dict.fromkeys(names))


def _encoded(graph: Graph) -> dict[str, Any]:
    names = list(range(graph.num_nodes)) if graph.node_ids is None else graph.node_ids.tolist()
    nodes: list[dict[str, Any]] = [{"id": name} for name in names]
    attributes: dict[str, Any] = {}
    if graph.features is not None:
        attributes["num_features"] = graph.num_features
        nodes = [node | {"x": row} for node, row in zip(nodes, graph.features.tolist(), strict=True)]
    if graph.labels is not None:
        attributes["has_labels"] = True
        nodes = [node | {"y": label} for node, label in zip(nodes, graph.labels.tolist(), strict=True)]
    edges = [{"source": names[u], "target": names[v]} for u, v in graph.edges.tolist()]
    if graph.edge_types is not None:
        edges = [edge | {"edge_type": kind} for edge, kind in zip(edges, graph.edge_types.tolist(), strict=True)]
    return {"directed": False, "multigraph": False, "graph": attributes, "nodes": nodes, "edges": edges}
