"""`sbgd partition`: cuts the graphs of a data set into blocks and says how well that went."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sbgd.commands.outputs import check_file, write_json
from sbgd.commands.read_options import add_read_options, read_options
from sbgd.errors import InputError

if TYPE_CHECKING:
    from sbgd.partition import Partition, Partitioner, PartitionSummary


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to those of `sbgd`."""
    parser = subparsers.add_parser(
        "partition",
        help="cut graphs into blocks and report the cut",
        description="Cuts every graph of a data set into blocks, as training does, and reports sizes, cut and density.",
    )
    parser.add_argument("data", help="data set by name (planar:train, cora) or path of a file or folder")
    parser.add_argument("--partitioner", choices=("metis", "louvain"), default="metis")
    parser.add_argument("--block-size", type=int, default=32, help="wanted nodes a block (default: %(default)s)")
    parser.add_argument(
        "--max-block-size",
        type=int,
        help="most nodes of a block (default: a quarter over --block-size for metis, twice --block-size for louvain)",
    )
    parser.add_argument(
        "--allow-disconnected", action="store_true", help="keep disconnected blocks whole, for graphs with large hubs"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, metavar="FILE.npz", help="write the block of every node")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures")
    add_read_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Partitions the data set and prints, and on request writes, the result; returns the exit code."""
    for path in (args.out, args.json):
        if path is not None:
            check_file(path)
    if args.seed < 0:
        raise InputError(f"expected a seed of at least 0, got {args.seed}")

    from sbgd.data.sources import load_dataset
    from sbgd.partition import BlockGraph, PartitionSummary

    partitioner = _partitioner(args)
    loaded = load_dataset(args.data, options=read_options(args))
    partitions = [partitioner(graph, seed=args.seed) for graph in loaded.graphs]
    summary = PartitionSummary.of(map(BlockGraph.split, loaded.graphs, partitions))
    _print(summary, origin={"data": args.data, "partitioner": repr(partitioner)}, notes=loaded.report.lines())
    if args.out is not None:
        _save(partitions, args.out)
    if args.json is not None:
        origin = {"data": args.data, "partitioner": repr(partitioner), "seed": args.seed}
        write_json(args.json, {"schema": 1, **origin, **summary.to_dict()})
    return 0


def _partitioner(args: argparse.Namespace) -> Partitioner:
    from sbgd.partition import LouvainPartitioner, MetisPartitioner

    connected = not args.allow_disconnected
    if args.partitioner == "metis":
        return MetisPartitioner(args.block_size, args.max_block_size, connected=connected)
    limit = 2 * args.block_size if args.max_block_size is None else args.max_block_size
    return LouvainPartitioner(limit, connected=connected)


def _print(summary: PartitionSummary, origin: Mapping[str, str], notes: Sequence[str]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(show_header=False)
    for name, text in origin.items():
        table.add_row(name, escape(text))
    for name, value in summary.to_dict().items():
        if name != "size_histogram":
            table.add_row(name.replace("_", " "), _text(value))
    for low, high, blocks in summary.size_histogram:
        table.add_row(f"blocks of {low}" if low == high else f"blocks of {low} to {high}", _text(blocks))
    console = Console()
    # Written by hand: Rich itself would end the program with code 1 when a reader such as `head` has gone.
    with console.capture() as captured:
        console.print(table)
        for note in notes:
            console.print(note, markup=False)
    sys.stdout.write(captured.get())


def _text(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


def _save(partitions: Sequence[Partition], path: Path) -> None:
    """Writes one array `assignment`, or `assignment_0`, `assignment_1`, ... of several graphs."""
    import numpy as np

    if len(partitions) == 1:
        partitions[0].save(path)
        return
    arrays: dict[str, Any] = {f"assignment_{i}": part.assignment for i, part in enumerate(partitions)}
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)
