"""Checks of what is attached to the nodes and edges of a graph."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbgd.errors import InputError

Ids = NDArray[np.int64] | NDArray[np.str_]


def checked_features(features: ArrayLike | None, num_nodes: int) -> NDArray[np.float64] | None:
    """Returns features as float64 (n, f), None for none.

    Raises:
        InputError: They are not one finite row a node.
    """
    if features is None:
        return None
    array = np.asarray(features, dtype=np.float64)
    if array.ndim == 1:
        array = array.reshape(-1, 1)
    if array.ndim != 2 or len(array) != num_nodes:
        raise InputError(f"expected {num_nodes} feature rows, one a node, got an array of shape {array.shape}")
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        node, column = bad[0]
        raise InputError(
            f"expected finite features, got {array[node, column]} at node {node}, column {column} "
            f"({len(bad)} such entries); fill or remove them first"
        )
    return array


def checked_labels(labels: ArrayLike | None, num_nodes: int) -> NDArray[np.int64] | None:
    """Returns labels as int64 (n,), None for none.

    Raises:
        InputError: They are not one integer a node.
    """
    if labels is None:
        return None
    array = np.asarray(labels)
    if array.shape != (num_nodes,):
        raise InputError(f"expected {num_nodes} labels, one a node, got an array of shape {array.shape}")
    if not np.issubdtype(array.dtype, np.integer):
        raise InputError(f"expected integer labels, got {array.dtype}")
    return array.astype(np.int64)


def checked_ids(node_ids: ArrayLike | None, num_nodes: int) -> Ids | None:
    """Returns ids as int64 or text (n,), None for none.

    Raises:
        InputError: They are not one integer or text a node, or not distinct.
    """
    if node_ids is None:
        return None
    array = np.asarray(node_ids)
    if array.shape != (num_nodes,):
        raise InputError(f"expected {num_nodes} node ids, one a node, got an array of shape {array.shape}")
    if array.dtype.kind not in "iuU":
        raise InputError(f"expected integer or string node ids, got {array.dtype}")
    if len(np.unique(array)) != num_nodes:
        raise InputError("expected distinct node ids, got duplicates")
    return array.astype(np.int64) if array.dtype.kind in "iu" else array


def checked_types(
    edge_types: ArrayLike | None, first: NDArray[np.int64], entry: NDArray[np.int64]
) -> NDArray[np.int64] | None:
    """Returns the type of every distinct edge, int64 (m,), None for none.

    Args:
        edge_types: One type an entry of the edge list.
        first: int64 (m,) the first entry of every distinct edge.
        entry: int64 (E,) the edge of every entry.

    Raises:
        InputError: They are not one integer of at least 0 an entry, or entries of one edge differ.
    """
    if edge_types is None:
        return None
    array = np.asarray(edge_types)
    if array.shape != entry.shape:
        raise InputError(f"expected {len(entry)} edge types, one an edge, got an array of shape {array.shape}")
    if array.size and (not np.issubdtype(array.dtype, np.integer) or array.min() < 0):
        raise InputError(f"expected edge types as integers of at least 0, got {array.dtype} from {array.min()}")
    types = array.astype(np.int64)
    if not np.array_equal(types[first][entry], types):
        raise InputError("expected one type an edge, got an edge that is listed twice with different types")
    return types[first]
