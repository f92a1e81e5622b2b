"""Compressed sparse rows to a dense array, with every index checked: SciPy's C code crashes on forged ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def dense_rows(
    data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], shape: tuple[int, int]
) -> NDArray[np.float64]:
    """Returns the float64 matrix of `shape`; entries that stand twice add up.

    Raises:
        ValueError: The three arrays do not describe a matrix of that shape.
    """
    num_rows, num_columns = int(shape[0]), int(shape[1])
    columns, starts = indices.astype(np.int64), indptr.astype(np.int64)
    if len(columns) != len(data) or len(starts) != num_rows + 1 or starts[0] != 0 or starts[-1] != len(columns):
        raise ValueError("row pointers that do not match the entries")
    if np.any(np.diff(starts) < 0) or columns.min(initial=0) < 0 or columns.max(initial=-1) >= num_columns:
        raise ValueError("row pointers or column indices out of range")
    dense = np.zeros((num_rows, num_columns))
    np.add.at(dense, (np.repeat(np.arange(num_rows), np.diff(starts)), columns), data.astype(np.float64))
    return dense
