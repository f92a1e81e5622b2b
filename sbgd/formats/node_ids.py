"""Ids of many graphs in one column, and apart again: some graphs may have integers, some text, some none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbgd.formats.raw import canonical_ids
from sbgd.graph import Ids

NONE, INTEGERS, TEXT = 0, 1, 2


def joined_ids(
    node_ids: Sequence[Ids | None], num_nodes: NDArray[np.int64]
) -> tuple[NDArray[np.int64] | NDArray[np.str_], NDArray[np.uint8]]:
    """Returns one column of ids over all graphs, positions for graphs without, and the kind of each graph."""
    kinds = [NONE if ids is None else TEXT if ids.dtype.kind == "U" else INTEGERS for ids in node_ids]
    columns = [np.arange(size) if ids is None else ids for ids, size in zip(node_ids, num_nodes.tolist(), strict=True)]
    if TEXT in kinds:
        columns = [column.astype(np.str_) for column in columns]
    return np.concatenate(columns), np.array(kinds, np.uint8)


def parted_ids(column: NDArray[Any], kinds: NDArray[np.uint8] | None, num_nodes: NDArray[np.int64]) -> list[Ids | None]:
    """Undoes `joined_ids`; without kinds every graph has ids of the column's own kind."""
    parts = np.split(column, np.cumsum(num_nodes)[:-1])
    if kinds is None:
        return [canonical_ids(part) for part in parts]
    return [_of_kind(part, kind) for part, kind in zip(parts, kinds.tolist(), strict=True)]


def _of_kind(part: NDArray[Any], kind: int) -> Ids | None:
    if kind == NONE:
        return None
    return part.astype(np.int64) if kind == INTEGERS else part.astype(np.str_)
