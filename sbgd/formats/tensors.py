"""Torch files that hold dense adjacency matrices, read with `weights_only=True`, which runs no code of the file."""

from __future__ import annotations

import io
import pickle  # noqa: TID251 - only its exception, which torch.load raises
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.formats.files import Source
from sbgd.formats.raw import RawGraphs


def read(source: Source) -> RawGraphs:
    """Reads a list of square adjacency tensors, alone or first in a list as SPECTRE stores it.

    Raises:
        InputError: The file needs unpickling, or holds something else.
    """
    import torch

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch warns of odd pickle protocols before it refuses them
            value = torch.load(io.BytesIO(source.data), map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError, LookupError, TypeError, AttributeError):
        raise InputError(
            f"expected tensors alone, got a file that would have to be unpickled or is cut short: {source.path}; "
            "untrusted files are never unpickled: convert it to npz where you trust it"
        ) from None
    adjacencies = _adjacencies(value)
    if not adjacencies:
        raise InputError(f"expected a list of square adjacency matrices, got {type(value).__name__} in {source.path}")
    return _parse(adjacencies, source)


def _adjacencies(value: Any) -> list[NDArray[np.float64]]:
    """Returns the matrices, none where the value is no such list."""
    import torch

    if not isinstance(value, list) or not value:
        return []
    candidates = value[0] if isinstance(value[0], list) else value
    is_square = [isinstance(item, torch.Tensor) and item.ndim == 2 and len(set(item.shape)) == 1 for item in candidates]
    return [item.numpy().astype(np.float64) for item in candidates] if candidates and all(is_square) else []


def _parse(adjacencies: list[NDArray[np.float64]], source: Source) -> RawGraphs:
    for graph, matrix in enumerate(adjacencies):
        if not np.array_equal(matrix, matrix.T):
            raise InputError(f"expected symmetric matrices, got a directed one at graph {graph} of {source.path}")
    entries = [np.argwhere(matrix) for matrix in adjacencies]
    weights = [matrix[matrix != 0] for matrix in adjacencies]
    return RawGraphs(
        np.array([len(matrix) for matrix in adjacencies]),
        np.repeat(np.arange(len(entries)), [len(pairs) for pairs in entries]),
        np.concatenate(entries),
        both_directions=True,
        weights=np.concatenate(weights),
    )
