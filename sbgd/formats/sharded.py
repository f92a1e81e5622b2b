"""Samples in many Parquet files, streamed or read as a whole.

`edges-00000.parquet`, ... have the columns `graph`, `source`, `target`: one row an edge u < v, sorted, so that the
files in the order of their names are the sorted edges of graph 0, then of graph 1, ... `nodes-00000.parquet`, ... are
there when nodes have features, with the columns `graph`, `node`, `x0`, `x1`, ... Integers are delta encoded, all is
compressed with zstd. `manifest.json` says how many nodes and edges every graph has, and of every file its rows and its
SHA-256.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.graph import Graph

if TYPE_CHECKING:
    import pyarrow as pa

    from sbgd.formats.loading import LoadedGraphs

MANIFEST, WORK, JOB = "manifest.json", ".work", "job.json"
BATCH_SIZE = 1 << 20
SHARD_NAME = re.compile(r"(edges|nodes)-\d{5,}\.parquet")


@dataclass(frozen=True)
class ShardedGraphs:
    """A sample on disk or in a store: its edges are read when they are asked for.

    Attributes:
        place: The folder, or its address such as `s3://bucket/name`.
        manifest: What `manifest.json` says.
    """

    place: str
    manifest: Mapping[str, Any]

    @classmethod
    def open(cls, place: str | Path) -> ShardedGraphs:
        """Reads the manifest.

        Raises:
            InputError: There is no sample in shards, or it is unfinished or of another version.
        """
        address = str(place).rstrip("/")
        manifest = _manifest(address)
        if manifest is None or "rows" not in manifest:
            raise InputError(f"expected a folder with the manifest of a sample in shards, got none in {address}")
        if manifest.get("schema") != 1:
            raise InputError(
                f"expected a manifest of schema 1, got {manifest.get('schema')} in {address}; "
                "use the version of sbgd that wrote it"
            )
        _check_manifest(manifest, address)
        return cls(address, manifest)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of nodes of every graph, int64 (g,)."""
        return np.array(self.manifest["num_nodes"], np.int64)

    @property
    def num_graphs(self) -> int:
        """Number of graphs g."""
        return len(self.manifest["num_nodes"])

    @property
    def num_nodes(self) -> int:
        """Number of nodes of all graphs together."""
        return sum(self.manifest["num_nodes"])

    @property
    def num_edges(self) -> int:
        """Number of edges of all graphs together, each counted once."""
        return sum(self.manifest["num_edges"])

    @property
    def edge_shards(self) -> list[str]:
        """Names of the files with edges, in order."""
        return sorted(name for name in self.manifest["rows"] if name.startswith("edges-"))

    @property
    def node_shards(self) -> list[str]:
        """Names of the files with node features, in order; none for graphs without features."""
        return sorted(name for name in self.manifest["rows"] if name.startswith("nodes-"))

    def __repr__(self) -> str:
        return (
            f"ShardedGraphs({self.place!r}, num_graphs={self.num_graphs}, num_nodes={self.num_nodes}, "
            f"num_edges={self.num_edges})"
        )

    def edges(self, batch_size: int = BATCH_SIZE, *, graph: int | None = None) -> Iterator[NDArray[np.int64]]:
        """Streams the edges of one graph as int64 (m, 2) arrays u < v, sorted, of at most `batch_size` rows.

        Args:
            batch_size: Edges to read at a time: what is held in memory.
            graph: Number of the graph; may be left out where there is only one.

        Raises:
            InputError: The graph is not named or not there, or a file is missing, damaged or has other rows than the
                manifest says.
        """
        number = self._only(graph)
        for batch in self._batches(self.edge_shards, batch_size):
            columns = [batch.column(name).to_numpy() for name in ("graph", "source", "target")]
            low, high = np.searchsorted(columns[0], [number, number + 1])
            if high > low:
                yield np.stack([columns[1][low:high], columns[2][low:high]], axis=1)

    def features(self, batch_size: int = BATCH_SIZE, *, graph: int | None = None) -> Iterator[NDArray[np.float64]]:
        """Streams the node features of one graph as float64 (n, f) arrays, in the order of the nodes."""
        number = self._only(graph)
        for batch in self._batches(self.node_shards, batch_size):
            low, high = np.searchsorted(batch.column("graph").to_numpy(), [number, number + 1])
            if high > low:
                yield np.stack([column.to_numpy()[low:high] for column in batch.columns[2:]], axis=1)

    def to_graph(self, graph: int | None = None) -> Graph:
        """Reads one graph as a whole.

        Raises:
            InputError: As in `edges`, or the edges are not those of a simple graph in order.
        """
        number = self._only(graph)
        edges = np.concatenate([np.zeros((0, 2), np.int64), *self.edges(graph=number)])
        features = np.concatenate(list(self.features(graph=number))) if self.node_shards else None
        return self._graph(number, edges, features)

    @property
    def graphs(self) -> list[Graph]:
        """All graphs, read as a whole."""
        batches = list(self._batches(self.edge_shards, BATCH_SIZE))
        columns = [[batch.column(name).to_numpy() for batch in batches] for name in ("graph", "source", "target")]
        graph, source, target = (np.concatenate([np.zeros(0, np.int64), *parts]) for parts in columns)
        ends = np.searchsorted(graph, np.arange(1, self.num_graphs))
        edges = np.split(np.stack([source, target], axis=1), ends)
        if not self.node_shards:
            return [self._graph(number, part, None) for number, part in enumerate(edges)]
        rows = [
            np.stack([column.to_numpy() for column in batch.columns[2:]], axis=1)
            for batch in self._batches(self.node_shards, BATCH_SIZE)
        ]
        features = np.split(np.concatenate(rows), np.cumsum(self.sizes)[:-1])
        return [self._graph(number, edges[number], features[number]) for number in range(self.num_graphs)]

    def _graph(self, number: int, edges: NDArray[np.int64], features: NDArray[np.float64] | None) -> Graph:
        size, expected = int(self.sizes[number]), self.manifest["num_edges"][number]
        u, v = edges.T
        ordered = (np.diff(u * size + v, prepend=-1) > 0).all() and ((u >= 0) & (u < v) & (v < size)).all()
        if len(edges) != expected or not ordered or (features is not None and len(features) != size):
            raise InputError(
                f"expected {expected} sorted edges of graph {number} among {size} nodes, got others in {self.place}"
            )
        return Graph(size, edges, features)

    def verify(self) -> None:
        """Reads every file and compares it with the manifest.

        Raises:
            InputError: A file is missing, or its SHA-256 or its number of rows is another.
        """
        for name, digest in self.manifest["files"].items():
            found = hashlib.sha256()
            with self._open(name) as file:
                while chunk := file.read(1 << 22):
                    found.update(chunk)
            if found.hexdigest() != digest:
                raise InputError(f"expected {name} as it was written, got another file in {self.place}; copy it again")
        for _ in self._batches([*self.edge_shards, *self.node_shards], BATCH_SIZE):
            pass

    def _only(self, graph: int | None) -> int:
        if graph is None and self.num_graphs > 1:
            raise InputError(f"expected the number of a graph out of 0 .. {self.num_graphs - 1}, got none")
        number = graph or 0
        if not 0 <= number < self.num_graphs:
            raise InputError(f"expected the number of a graph out of 0 .. {self.num_graphs - 1}, got {number}")
        return number

    def _batches(self, names: list[str], batch_size: int) -> Iterator[pa.RecordBatch]:
        for name in names:
            yield from self._rows(name, batch_size)

    def _rows(self, name: str, batch_size: int) -> Iterator[pa.RecordBatch]:
        """Streams the rows of a file and counts them."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        count = 0
        try:
            with self._open(name) as file:
                for batch in pq.ParquetFile(file).iter_batches(batch_size):
                    count += batch.num_rows
                    yield batch
        except (pa.ArrowException, OSError) as error:
            reason = str(error).splitlines()[0]
            raise InputError(f"expected a complete Parquet file, got {reason}: {self.place}/{name}") from None
        if count != self.manifest["rows"][name]:
            raise InputError(f"expected {self.manifest['rows'][name]} rows, got {count} in {self.place}/{name}")

    def _open(self, name: str) -> Any:
        try:
            return _opened(f"{self.place}/{name}")
        except OSError as error:
            raise InputError(f"expected {name} of the sample, got no such file in {self.place}: {error}") from None


def load(path: str | Path) -> LoadedGraphs | ShardedGraphs:
    """Opens graphs: a sample in shards is streamed, anything else is read as `sbgd.formats.load` does.

    Args:
        path: A file or folder; for a sample in shards also the address of a store, such as `s3://bucket/name`.

    Returns:
        What has `graphs`; of a sample in shards also `edges(batch_size)`, and nothing is read before it is asked for.

    Raises:
        InputError: There is nothing to read, or it is damaged.
    """
    from sbgd.formats.loading import load as load_whole

    if "://" in str(path) or is_sharded(path):
        return ShardedGraphs.open(path)
    return load_whole(path)


def is_sharded(place: str | Path) -> bool:
    """Returns whether a folder holds a finished sample in shards.

    Raises:
        InputError: It holds one that has not been finished.
    """
    manifest = _manifest(str(place)) if Path(place).is_dir() else None
    if manifest is None and (Path(place) / WORK / JOB).is_file():
        raise InputError(f"expected a finished sample, got an interrupted one in {place}; run its command again")
    return manifest is not None and "rows" in manifest


def _manifest(place: str) -> dict[str, Any] | None:
    try:
        with _opened(f"{place}/{MANIFEST}") as file:
            manifest = json.loads(file.read())
    except FileNotFoundError:
        return None
    except (ValueError, OSError, ImportError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"expected a readable {MANIFEST}, got: {reason}: {place}") from error
    return manifest if isinstance(manifest, dict) else None


def _check_manifest(manifest: Mapping[str, Any], address: str) -> None:
    """Raises unless the manifest says everything that reading relies on, of files in its own folder."""
    kinds = {"num_nodes": list, "num_edges": list, "files": dict, "rows": dict}
    wrong = [name for name, kind in kinds.items() if not isinstance(manifest.get(name), kind)]
    if wrong or len(manifest["num_nodes"]) != len(manifest["num_edges"]):
        raise InputError(f"expected {' and '.join(wrong or kinds)} of every graph in {address}/{MANIFEST}, got others")
    if {*manifest["files"], *manifest["rows"]} - {name for name in manifest["files"] if SHARD_NAME.fullmatch(name)}:
        raise InputError(f"expected the names of shards in {address}/{MANIFEST}, got others")


def _opened(address: str) -> Any:
    """Opens a path, or the address of a store with `://`."""
    if "://" not in address:
        return Path(address).open("rb")
    import fsspec

    return fsspec.open(address, "rb").open()
