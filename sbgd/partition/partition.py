"""A partition of the nodes of a graph into blocks, and the interface of what makes one."""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4
from zipfile import BadZipFile

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbgd.errors import InputError
from sbgd.graph import Graph


@dataclass(frozen=True, eq=False)
class Partition:
    """A map from nodes to blocks 0 .. k-1, none of them empty.

    Build one with `Partition.from_assignment`, which renumbers; the constructor trusts its argument.

    Attributes:
        assignment: int64 array (N,): the block of every node.
    """

    assignment: NDArray[np.int64]

    @classmethod
    def from_assignment(cls, labels: ArrayLike) -> Partition:
        """Builds a partition from any integer labels; blocks are numbered in the order of their first node.

        Args:
            labels: Integer array (N,); nodes with equal labels share a block.

        Raises:
            InputError: The labels are not a one-dimensional integer array.
        """
        array = np.asarray(labels)
        if array.size == 0:
            array = array.astype(np.int64)
        if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
            raise InputError(f"expected one integer label a node, got {array.dtype} of shape {array.shape}")
        _, first, inverse = np.unique(array, return_index=True, return_inverse=True)
        rank = np.empty(len(first), np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        return cls(rank[inverse])

    def save(self, path: str | Path) -> None:
        """Writes the assignment to an npz file, replacing it at once or not at all."""
        target = Path(path)
        partial = target.with_name(f"{target.name}.{uuid4().hex}.partial")
        try:
            with partial.open("wb") as file:
                np.savez_compressed(file, assignment=self.assignment)
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)

    @classmethod
    def load(cls, path: str | Path) -> Partition:
        """Reads what `save` wrote; never unpickles.

        Raises:
            InputError: The file is not a partition.
        """
        try:
            with np.load(path, allow_pickle=False) as arrays:
                return cls.from_assignment(arrays["assignment"])
        except FileNotFoundError:
            raise InputError(f"expected a partition file, got none at {path}") from None
        except (OSError, EOFError, KeyError, ValueError, BadZipFile, zlib.error) as error:
            raise InputError(f"expected a partition file with an array 'assignment', got {path}: {error}") from error

    @property
    def num_nodes(self) -> int:
        """Number of nodes N."""
        return len(self.assignment)

    @property
    def num_blocks(self) -> int:
        """Number of blocks k."""
        return int(self.assignment.max(initial=-1)) + 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of nodes of every block, int64 (k,)."""
        return np.bincount(self.assignment).astype(np.int64)

    def __repr__(self) -> str:
        return f"Partition(num_nodes={self.num_nodes}, num_blocks={self.num_blocks})"


class Partitioner(ABC):
    """Cuts a graph into blocks of at most `size_limit` nodes.

    A concrete partitioner is a frozen dataclass of primitive values: its `repr` is part of the key under which
    `cached_partition` stores the result. The same graph, parameters and seed give the same partition.
    """

    @property
    @abstractmethod
    def size_limit(self) -> int:
        """The number of nodes that no block exceeds."""

    @abstractmethod
    def __call__(self, graph: Graph, *, seed: int = 0) -> Partition:
        """Returns a partition of the nodes of `graph`; other seeds give other partitions of like quality."""
