"""Adjacency matrices: Matrix Market (`.mtx`, as networkrepository.com publishes) and MATLAB (`.mat`)."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from scipy import io as scipy_io
from scipy import sparse
from scipy.io.matlab import MatReadError

from sbgd.errors import InputError
from sbgd.formats.files import Source
from sbgd.formats.raw import RawGraphs
from sbgd.formats.report import ReadReport


def read_market(source: Source) -> RawGraphs:
    """Reads a square matrix in Matrix Market form; one that is not symmetric is a directed graph.

    Raises:
        InputError: The text is no such matrix.
    """
    try:
        matrix = scipy_io.mmread(io.BytesIO(source.data))
    except (ValueError, OverflowError, EOFError) as error:
        raise InputError(f"expected a Matrix Market file, got {error}: {source.path}") from None
    return _parse(matrix, source, ())


def read_matlab(source: Source) -> RawGraphs:
    """Reads the only square sparse matrix of a MATLAB file.

    Raises:
        InputError: The file is damaged, or holds no such matrix or several.
    """
    try:
        variables: dict[str, Any] = scipy_io.loadmat(io.BytesIO(source.data))  # type: ignore[arg-type] # stub lacks files
        matrices = {name: value for name, value in variables.items() if sparse.issparse(value)}
        for matrix in matrices.values():
            matrix.check_format(full_check=True)  # scipy's C code trusts the indices of a damaged file and crashes
    except (MatReadError, ValueError, TypeError, NotImplementedError, EOFError, OSError) as error:
        raise InputError(f"expected a MATLAB file before version 7.3, got {error}: {source.path}") from None
    names = [name for name, value in matrices.items() if value.shape[0] == value.shape[1]]
    if len(names) != 1:
        raise InputError(f"expected one square sparse matrix, got {', '.join(names) or 'none'} in {source.path}")
    ignored = tuple(name for name in variables if name not in names and not name.startswith("__"))
    return _parse(matrices[names[0]], source, ignored)


def _parse(matrix: Any, source: Source, ignored: tuple[str, ...]) -> RawGraphs:
    adjacency: Any = sparse.csr_array(matrix)
    rows, columns = adjacency.shape
    if rows != columns:
        raise InputError(f"expected a square matrix, got {rows} x {columns} in {source.path}")
    adjacency.eliminate_zeros()
    entries = adjacency.tocoo()
    return RawGraphs.single(
        np.stack([entries.row, entries.col], axis=1).astype(np.int64),
        rows,
        directed=(adjacency != adjacency.T).nnz > 0,
        both_directions=True,
        weights=entries.data.astype(np.float64),
        report=ReadReport(columns_ignored=ignored),
    )
