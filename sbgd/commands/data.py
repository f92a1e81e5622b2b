"""`sbgd data`: describes the graphs of a data set and converts them to another format."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sbgd.commands.outputs import check_file, write_json
from sbgd.commands.read_options import add_read_options, read_options
from sbgd.errors import InputError

if TYPE_CHECKING:
    from sbgd.formats import LoadedGraphs


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to those of `sbgd`."""
    parser = subparsers.add_parser(
        "data",
        help="describe graphs, or convert them to another format",
        description="Reads a data set, says what it holds and what reading changed, and converts it if asked to.",
    )
    parser.add_argument("data", nargs="?", help="data set by name (planar:train, cora) or path of a file or folder")
    parser.add_argument("--list", action="store_true", help="list the data sets known by name")
    parser.add_argument("--convert", type=Path, metavar="OUT", help="write the graphs there")
    parser.add_argument("--format", choices=("npz", "edgelist", "graphml", "parquet"), help="by default OUT's suffix")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures")
    add_read_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the description, and converts on request; returns the exit code."""
    from sbgd.data.sources import load_dataset
    from sbgd.formats.registry import writable_format

    if args.list:
        _print(_names())
        return 0
    if args.data is None:
        raise InputError("expected a data set name or path, got none; sbgd data --list shows the names")
    if args.format and args.convert is None:
        raise InputError("expected --convert OUT with --format, got none; say where to write")
    if args.convert is not None:
        writable_format(args.convert, args.format)  # refuses before a long reading
    if args.json is not None:
        check_file(args.json)
    loaded = load_dataset(args.data, options=read_options(args))
    figures = describe(loaded)
    _print([f"{name.replace('_', ' ')}: {_text(value)}" for name, value in figures.items()])
    _print([f"reading: {line}" for line in loaded.report.lines()])
    if args.json is not None:
        write_json(args.json, {"schema": 1, "data": args.data, **figures})
    if args.convert is not None:
        _convert(loaded, args.convert, args.format)
    return 0


def describe(loaded: LoadedGraphs) -> dict[str, Any]:
    """Returns what a data set holds; counts a graph as minimum, median and maximum."""
    import numpy as np
    from scipy.sparse import csgraph

    graphs = loaded.graphs
    components = [
        csgraph.connected_components(graph.to_scipy(), directed=False)[0] if graph.num_nodes else 0 for graph in graphs
    ]
    num_labels = len(np.unique(np.concatenate([[] if graph.labels is None else graph.labels for graph in graphs])))
    return {
        "source": loaded.source,
        "format": loaded.format,
        "sha256": loaded.digest,
        "graphs": len(graphs),
        "nodes": _range([graph.num_nodes for graph in graphs]),
        "edges": _range([graph.num_edges for graph in graphs]),
        "components": _range(components),
        "isolated_nodes": int(sum((graph.degrees == 0).sum() for graph in graphs)),
        "features": graphs[0].num_features,
        "node_classes": num_labels,
        "node_ids": sum(graph.node_ids is not None for graph in graphs) > 0,
        "splits": {name: [int((split == part).sum()) for part in range(3)] for name, split in loaded.splits.items()},
        "graph_values": sorted(loaded.extras),
    }


def _range(counts: Sequence[int]) -> list[float]:
    import numpy as np

    return [min(counts), float(np.median(counts)), max(counts)]


def _text(value: Any) -> str:
    if isinstance(value, list) and value and all(isinstance(entry, int | float) for entry in value):
        return " / ".join(f"{entry:g}" for entry in value) if len(set(value)) > 1 else f"{value[0]:g}"
    if isinstance(value, dict):
        return ", ".join(f"{name} {'/'.join(map(str, counts))}" for name, counts in value.items()) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) or "none" if isinstance(value, list) else str(value)


def _convert(loaded: LoadedGraphs, path: Path, name: str | None) -> None:
    from sbgd.formats import save
    from sbgd.formats.registry import writable_format

    if writable_format(path, name).name == "npz":
        save(loaded.graphs, path, name, splits=loaded.splits, extras=loaded.extras)
    else:
        save(loaded.graphs, path, name)
        lost = [*(f"split {split}" for split in loaded.splits), *loaded.extras]
        _print([f"not written, npz holds it: {', '.join(lost)}"] if lost else [])
    _print([f"wrote {path}"])


def _names() -> list[str]:
    from sbgd.data.sources import BUNDLED, RECIPES, published

    described = dict.fromkeys(BUNDLED, "bundled") | dict.fromkeys(RECIPES, "generated")
    described |= {name: entry.about for name, entry in published().items()}
    return [f"{name}: {about}" for name, about in sorted(described.items())]


def _print(lines: Sequence[str]) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)
