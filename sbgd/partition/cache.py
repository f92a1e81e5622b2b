"""Partitions kept on disk under a key of everything that they depend on."""

from __future__ import annotations

import hashlib
import os
import warnings
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from sbgd.errors import InputError
from sbgd.graph import Graph
from sbgd.partition.partition import Partition, Partitioner

# To be raised whenever a partitioner of this package gives another result for the same input.
ALGORITHM_VERSION = 1

PACKAGES_THAT_MATTER = ("networkx", "numpy", "pymetis", "scipy")


def cached_partition(
    graph: Graph, partitioner: Partitioner, *, seed: int = 0, cache_dir: str | Path | None = None
) -> Partition:
    """Returns `partitioner(graph, seed=seed)`, from disk if it has been computed before.

    A damaged cache file is computed anew and a folder that cannot be written is passed over, both with a warning.

    Args:
        graph: The graph; only its number of nodes and its edges matter.
        partitioner: Its class and `repr` are part of the key.
        seed: Given to the partitioner.
        cache_dir: Folder of the cache; by default `$SBGD_CACHE`, else `sbgd` in the user's cache folder.
    """
    folder = (default_cache_dir() if cache_dir is None else Path(cache_dir)) / "partitions"
    path = folder / f"{partition_key(graph, partitioner, seed=seed)}.npz"
    stored = _read(path, graph.num_nodes)
    if stored is not None:
        return stored
    partition = partitioner(graph, seed=seed)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        partition.save(path)
    except OSError as error:
        warnings.warn(f"partition not cached: {error}; set SBGD_CACHE to a writable folder", stacklevel=2)
    return partition


def partition_key(graph: Graph, partitioner: Partitioner, *, seed: int) -> str:
    """Returns the SHA-256 of the edges, the partitioner, the seed and the versions of the libraries behind it."""
    kind = f"{type(partitioner).__module__}.{type(partitioner).__qualname__}"
    versions = [f"{name}={_version(name)}" for name in PACKAGES_THAT_MATTER]
    text = "\n".join([str(ALGORITHM_VERSION), *versions, kind, repr(partitioner), str(seed), str(graph.num_nodes)])
    digest = hashlib.sha256(text.encode())
    digest.update(np.ascontiguousarray(graph.edges, dtype="<i8").tobytes())
    return digest.hexdigest()


def default_cache_dir() -> Path:
    """Returns `$SBGD_CACHE`, else `$XDG_CACHE_HOME/sbgd`, else `~/.cache/sbgd`."""
    if os.environ.get("SBGD_CACHE"):
        return Path(os.environ["SBGD_CACHE"])
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sbgd"


def _read(path: Path, num_nodes: int) -> Partition | None:
    if not path.exists():
        return None
    try:
        partition = Partition.load(path)
        if partition.num_nodes == num_nodes:
            return partition
        reason = f"expected {num_nodes} nodes, got {partition.num_nodes}"
    except InputError as error:
        reason = str(error)
    warnings.warn(f"partition computed anew, the cached one is damaged: {reason}", stacklevel=3)
    return None


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"
