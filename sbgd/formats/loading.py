"""Files and folders to graphs and back, whatever their format."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.formats import npz, planetoid, tudataset
from sbgd.formats.files import read_source
from sbgd.formats.options import ReadOptions
from sbgd.formats.raw import RawGraphs, build
from sbgd.formats.registry import FORMATS, by_suffix, detect, named_format, writable_format
from sbgd.formats.report import ReadReport
from sbgd.formats.sharded import MANIFEST, ShardedGraphs, is_sharded
from sbgd.graph import Graph

PARTS = {"train": 0, "val": 1, "test": 2}
TYPED = ("npz", "parquet", "nodelink")
"""Formats that hold edge types."""


@dataclass(frozen=True)
class LoadedGraphs:
    """Graphs and where they came from.

    Attributes:
        graphs: At least one graph.
        report: What reading counted, merged and dropped.
        source: The file or folder, or the recipe of generated graphs.
        format: Name of the format.
        digest: SHA-256 of the file; of a folder, that of its files' digests in order.
        splits: Recipe name to int8 array (0 train, 1 val, 2 test, -1 outside) over graphs, or over the nodes of one.
        extras: Arrays with one row a graph, such as `graph_label`.
    """

    graphs: list[Graph]
    report: ReadReport
    source: str
    format: str
    digest: str
    splits: Mapping[str, NDArray[np.int8]] = field(default_factory=dict)
    extras: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def part(self, name: str, recipe: str | None = None) -> LoadedGraphs:
        """Returns the graphs of `train`, `val`, `test` or `all`, by the named recipe or the first one.

        `all` without a recipe is everything, with one what the recipe covers.

        Raises:
            InputError: The part or recipe is unknown, the split is one of nodes, or the part is empty.
        """
        if name not in (*PARTS, "all"):
            raise InputError(f"expected a part train, val, test or all, got {name} of {self.source}")
        if name == "all" and recipe is None:
            return self
        split = self._split(recipe)
        keep = split >= 0 if name == "all" else split == PARTS[name]
        if not keep.any():
            raise InputError(f"expected graphs in part {name}, got none in {self.source}; its recipe has no such part")
        return replace(
            self,
            graphs=[graph for graph, kept in zip(self.graphs, keep.tolist(), strict=True) if kept],
            splits={key: array[keep] for key, array in self.splits.items() if len(array) == len(self.graphs)},
            extras={key: array[keep] for key, array in self.extras.items()},
        )

    def _split(self, recipe: str | None) -> NDArray[np.int8]:
        known = ", ".join(self.splits) or "none"
        if not self.splits or (recipe is not None and recipe not in self.splits):
            raise InputError(f"expected a stored split{f' {recipe}' if recipe else ''}, got {known} in {self.source}")
        split = self.splits[recipe or next(iter(self.splits))]
        if len(split) != len(self.graphs):
            raise InputError(
                f"expected a split of graphs, got one of {len(split)} nodes in {self.source}; ask for the whole graph"
            )
        return split


def load(path: str | Path, *, format: str | None = None, options: ReadOptions | None = None) -> LoadedGraphs:  # noqa: A002
    """Reads the graphs of a file, or of all readable files in a folder in the order of their names.

    Args:
        path: A file of any known format, plain or gzipped; a folder of such files; or what `sbgd sample` wrote.
        format: Name of the format, guessed from the file's name and first bytes if not given.
        options: Policies for input that is not simple, undirected and finite.

    Raises:
        InputError: The path, its content or a policy is at fault; one line says what to do.
    """
    path, options = Path(path), options or ReadOptions()
    loaded = _load_folder(path, format, options) if path.is_dir() else _load_file(path, format, options)
    if not loaded.graphs:
        raise InputError(f"expected at least one graph, got none in {path}")
    return loaded


def save(
    graphs: Sequence[Graph],
    path: str | Path,
    format: str | None = None,  # noqa: A002
    *,
    splits: Mapping[str, NDArray[np.int8]] | None = None,
    extras: Mapping[str, NDArray[Any]] | None = None,
) -> None:
    """Writes graphs so that `load` returns them: isolated nodes, ids, features, labels and edge types included.

    Several graphs make one file in npz and Parquet, and a folder with one file each in other formats. Nothing is seen
    at `path` until it is complete.

    Args:
        graphs: At least one graph.
        path: Where to write.
        format: `npz`, `edgelist`, `graphml` or `parquet`; by default what the suffix says.
        splits: Recipe name to int8 array, npz only.
        extras: Arrays with one row a graph, npz only.

    Raises:
        InputError: There is no graph, no such format, or the format cannot hold what the graphs carry.
    """
    path = Path(path)
    chosen = writable_format(path, format)
    if not graphs:
        raise InputError("expected at least one graph to write, got none")
    if chosen.name == "npz":
        npz.write(path, graphs, splits, extras)
        return
    if splits or extras:
        raise InputError(f"expected npz for splits and values of graphs, got {chosen.name}; write npz")
    if chosen.name not in TYPED and any(graph.edge_types is not None for graph in graphs):
        raise InputError(f"expected {', '.join(TYPED)} for graphs with edge types, got {chosen.name}; write npz")
    if chosen.write is not None:
        chosen.write(path, graphs)


def _load_file(path: Path, name: str | None, options: ReadOptions) -> LoadedGraphs:
    source = read_source(path)
    chosen = named_format(name) if name else detect(source)
    loaded = _built(lambda: chosen.read(source), options, path, chosen.name, source.digest)
    return replace(loaded, digest=_digest(planetoid.files_of(path))) if chosen.name == "planetoid" else loaded


def _load_folder(path: Path, name: str | None, options: ReadOptions) -> LoadedGraphs:
    if is_sharded(path):
        return _load_shards(path)
    if (path / "graphs.npz").is_file():
        return _load_file(path / "graphs.npz", None, options)
    if any(planetoid.is_part(file.name) for file in path.iterdir()):
        return _built(
            lambda: planetoid.read_folder(path), options, path, "planetoid", _digest(planetoid.files_of(path))
        )
    if tudataset.is_folder(path):
        digest = _digest(sorted(path.glob("*.txt")))
        return _built(lambda: tudataset.read_folder(path), options, path, "tudataset", digest)
    files = [file for file in sorted(path.iterdir()) if file.is_file() and _is_graph_file(file.name, name)]
    if not files:
        raise InputError(f"expected graph files ({', '.join(FORMATS)}), got none in folder {path}")
    return _joined([_load_file(file, name, options) for file in files], path)


def _load_shards(path: Path) -> LoadedGraphs:
    """Reads a sample in shards as a whole; its digest is that of its manifest, which holds those of the files."""
    sample = ShardedGraphs.open(path)
    sample.verify()
    digest = read_source(path / MANIFEST).digest
    report = ReadReport(edges_kept=sample.num_edges)
    return LoadedGraphs(sample.graphs, report, str(path), "parquet", digest)


def _is_graph_file(name: str, format_name: str | None) -> bool:
    companion = name.endswith(".nodes.parquet") or name.lower().startswith(("readme", "license"))
    found = by_suffix(name)
    if found is None or (found.name == "nodelink" and format_name != "nodelink"):
        return False  # JSON beside graphs is a manifest or a table of metrics, unless the format is named
    return not companion and not name.startswith(".")


def _built(read: Callable[[], RawGraphs], options: ReadOptions, path: Path, name: str, digest: str) -> LoadedGraphs:
    try:
        raw = read()
        graphs, report = build(raw, options, str(path))
    except MemoryError:
        raise InputError(f"expected graphs that fit in memory, got more than that: {path}") from None
    return LoadedGraphs(graphs, report, str(path), name, digest, raw.splits, raw.extras)


def _joined(parts: Sequence[LoadedGraphs], path: Path) -> LoadedGraphs:
    first, width = parts[0], parts[0].graphs[0].num_features
    for part in parts:
        other = next((graph.num_features for graph in part.graphs if graph.num_features != width), None)
        if other is not None:
            raise InputError(
                f"expected as many features everywhere, got {width} in {first.source} and {other} in {part.source}"
            )
    digest = hashlib.sha256("".join(part.digest for part in parts).encode()).hexdigest()
    names = sorted({part.format for part in parts})
    return LoadedGraphs(
        [graph for part in parts for graph in part.graphs],
        sum((part.report for part in parts), ReadReport()),
        str(path),
        "+".join(names),
        digest,
        *((first.splits, first.extras) if len(parts) == 1 else ()),
    )


def _digest(files: Sequence[Path]) -> str:
    return hashlib.sha256("".join(read_source(file).digest for file in files).encode()).hexdigest()
