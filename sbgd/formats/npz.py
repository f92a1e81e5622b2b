"""Graph collections in one `.npz` of plain arrays (graph-collection-npz, version 1).

`num_nodes` and `num_edges` (G,), `edge_index` (2, E) with node indices within each graph, graph after graph, and
`directed`. Optional are `node_*` (N, ...), `edge_*` (E, ...), `graph_*` (G, ...), `split_*` (int8: 0 train, 1 val,
2 test, -1 outside) and `meta` (JSON text). `node_feat` or `node_attr` are features, dense or as the CSR parts
`_indptr`, `_indices`, `_shape`, `_data` (ones if absent); `node_label` or `node_atomic_number` are labels, `edge_type`
or `edge_bond_order` edge types, `node_orig_id` are ids.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.formats.dense_rows import dense_rows
from sbgd.formats.files import Source, write_file
from sbgd.formats.node_ids import joined_ids, parted_ids
from sbgd.formats.raw import RawGraphs, stack
from sbgd.formats.report import ReadReport
from sbgd.graph import Graph, Ids

Arrays = Mapping[str, NDArray[Any]]

REQUIRED = ("num_nodes", "num_edges", "edge_index")
FEATURES = ("node_feat", "node_attr")
LABELS = ("node_label", "node_atomic_number")
EDGE_TYPES = ("edge_type", "edge_bond_order")
USED = (*REQUIRED, "directed", "meta", "node_orig_id", "graph_id_kind", "edge_weight")
INTEGERS = (*REQUIRED, "directed", *LABELS, *EDGE_TYPES, "graph_id_kind")
ZIP_DATE = (1980, 1, 1, 0, 0, 0)  # fixed, so that the same graphs give the same bytes


def read(source: Source) -> RawGraphs:
    """Reads a collection.

    Raises:
        InputError: The archive is damaged, holds objects, lacks an array or holds arrays of unequal length.
    """
    arrays = _arrays(source)
    missing = [name for name in REQUIRED if name not in arrays]
    if missing:
        raise InputError(
            f"expected the arrays {', '.join(REQUIRED)}, got {', '.join(sorted(arrays)) or 'none'} in {source.path}; "
            "see the graph-collection format in the documentation"
        )
    num_nodes, num_edges = arrays["num_nodes"].astype(np.int64), arrays["num_edges"].astype(np.int64)
    _check_lengths(arrays, num_nodes, num_edges, source)
    features_name = next((name for name in FEATURES if name in arrays or f"{name}_indptr" in arrays), None)
    labels_name = next((name for name in LABELS if name in arrays), None)
    types_name = next((name for name in EDGE_TYPES if name in arrays), None)
    used = tuple(name for name in (features_name, labels_name, types_name) if name is not None)
    return RawGraphs(
        num_nodes,
        np.repeat(np.arange(len(num_nodes)), num_edges),
        arrays["edge_index"].astype(np.int64).T,
        directed=bool(arrays["directed"]) if "directed" in arrays else False,
        weights=arrays["edge_weight"].astype(np.float64) if "edge_weight" in arrays else None,
        features=None if features_name is None else _features(arrays, features_name, source),
        edge_types=None if types_name is None else arrays[types_name].astype(np.int64),
        labels=None if labels_name is None else arrays[labels_name].astype(np.int64),
        node_ids=_ids(arrays, num_nodes),
        splits={
            name.removeprefix("split_"): array.astype(np.int8)
            for name, array in arrays.items()
            if name.startswith("split_")
        },
        extras={name: array for name, array in arrays.items() if name.startswith("graph_") and name not in USED},
        report=ReadReport(columns_ignored=tuple(_ignored(arrays, used))),
    )


def write(path: Path, graphs: Sequence[Graph], splits: Arrays | None = None, extras: Arrays | None = None) -> None:
    """Writes a collection; the same graphs give the same bytes.

    Args:
        path: The file.
        graphs: At least one graph.
        splits: Recipe name to int8 array.
        extras: Arrays with one row a graph, by names that start with `graph_`.
    """
    raw = stack(graphs)
    arrays: dict[str, NDArray[Any]] = {
        "num_nodes": _smallest(raw.num_nodes),
        "num_edges": _smallest(np.bincount(raw.graph_of_edge, minlength=len(graphs))),
        "edge_index": _smallest(np.ascontiguousarray(raw.edges.T)),
        "directed": np.array(0, np.uint8),
    }
    if raw.features is not None:
        arrays["node_feat"] = raw.features
    if raw.labels is not None:
        arrays["node_label"] = raw.labels
    if raw.edge_types is not None:
        arrays["edge_type"] = _smallest(raw.edge_types)
    if raw.node_ids:
        arrays["node_orig_id"], arrays["graph_id_kind"] = joined_ids(raw.node_ids, raw.num_nodes)
    arrays |= {f"split_{name}": array.astype(np.int8) for name, array in (splits or {}).items()}
    arrays |= dict(extras or {})
    arrays["meta"] = np.array(json.dumps({"format": "graph-collection-npz v1", "writer": "sbgd"}))
    write_file(path, _zipped(arrays))


def _arrays(source: Source) -> Arrays:
    try:
        with np.load(io.BytesIO(source.data), allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, KeyError, AttributeError, NotImplementedError) as error:
        raise InputError(
            f"expected a complete npz archive, got {error}: {source.path}; fetch or copy it again"
        ) from None
    except ValueError as error:
        raise InputError(
            f"expected plain arrays, got {str(error).split(';')[0]}: {source.path}; save numbers and text only"
        ) from None


def _check_lengths(arrays: Arrays, num_nodes: NDArray[np.int64], num_edges: NDArray[np.int64], source: Source) -> None:
    totals = {"node": int(num_nodes.sum()), "edge": int(num_edges.sum()), "graph": len(num_nodes)}
    if arrays["edge_index"].shape != (2, totals["edge"]) or len(num_edges) != len(num_nodes):
        raise InputError(
            f"expected edge_index of shape (2, {totals['edge']}) for {len(num_nodes)} graphs, "
            f"got {arrays['edge_index'].shape} and {len(num_edges)} edge counts in {source.path}"
        )
    for name, array in arrays.items():
        if name in INTEGERS and array.dtype.kind not in "iu":
            raise InputError(f"expected integers in {name}, got {array.dtype} in {source.path}")
        kind = name.split("_", maxsplit=1)[0]
        is_part = name.endswith(("_indptr", "_indices", "_shape", "_data"))
        if kind in totals and name not in REQUIRED and not is_part and array.shape[:1] != (totals[kind],):
            raise InputError(
                f"expected {totals[kind]} rows of {name}, one a {kind}, got shape {array.shape} in {source.path}"
            )


def _features(arrays: Arrays, name: str, source: Source) -> NDArray[np.float64]:
    if name in arrays:
        dense = arrays[name].astype(np.float64)
        return dense.reshape(len(dense), math.prod(dense.shape[1:]))
    try:
        indices = arrays[f"{name}_indices"]
        data = arrays.get(f"{name}_data", np.ones(len(indices)))
        rows, columns = (int(size) for size in arrays[f"{name}_shape"])
        dense = dense_rows(data, indices, arrays[f"{name}_indptr"], (rows, columns))
    except (KeyError, ValueError, TypeError) as error:
        raise InputError(f"expected a CSR matrix in {name}_*, got {error} in {source.path}") from None
    total = int(arrays["num_nodes"].astype(np.int64).sum())
    if rows != total:
        raise InputError(f"expected {total} rows of {name}, one a node, got {rows} in {source.path}")
    return dense


def _ids(arrays: Arrays, num_nodes: NDArray[np.int64]) -> Sequence[Ids | None]:
    if "node_orig_id" not in arrays:
        return ()
    return parted_ids(arrays["node_orig_id"], arrays.get("graph_id_kind"), num_nodes)


def _ignored(arrays: Arrays, used: tuple[str, ...]) -> list[str]:
    parts = tuple(f"{name}_" for name in used if name in FEATURES)
    return sorted(
        name
        for name in arrays
        if name not in USED
        and name not in used
        and not (parts and name.startswith(parts))
        and not name.startswith(("split_", "graph_"))
    )


def _smallest(array: NDArray[np.int64]) -> NDArray[Any]:
    return array.astype(np.min_scalar_type(int(array.max(initial=0))))


def _zipped(arrays: Arrays) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)
            info = zipfile.ZipInfo(f"{name}.npy", ZIP_DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, member.getvalue())
    return buffer.getvalue()
