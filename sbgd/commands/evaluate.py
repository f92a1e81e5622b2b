"""`sbgd evaluate`: measures generated graphs against reference graphs, beside baselines that learn nothing."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sbgd.commands.outputs import check_file, write_json
from sbgd.commands.read_options import add_read_options, read_options
from sbgd.errors import InputError

if TYPE_CHECKING:
    from sbgd.evaluation import EvaluationResult
    from sbgd.evaluation.baselines import Baseline
    from sbgd.graph import Graph

BASELINES = ("erdos_renyi", "configuration", "bter", "density_blocks")
BLOCK_SIZE = 32

_EPILOG = """\
example:
  sbgd evaluate runs/quickstart/samples_1x --reference planar:test --train planar:train --json metrics.json
  sbgd evaluate mine.graphml --reference cora --baselines erdos_renyi,bter

reading the tables:
  error       |generated - reference|; compare it with the errors of the baselines, which learn nothing
  biased      the squared MMD that papers print; equal laws give up to the floor, 1/n + 1/m
  unbiased    the same without that bias: about 0 for equal laws, can be negative
  train-test  what the training graphs score as samples: the value of a perfect generator
Any generator's files are welcome: GENERATED and REFERENCE are read in every format that sbgd reads.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to those of `sbgd`."""
    parser = subparsers.add_parser(
        "evaluate",
        help="measure generated graphs against reference graphs",
        description="Measures generated graphs against reference graphs: statistics, maximum mean discrepancies with "
        "floors and intervals, and the same for baselines without a network.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    data = "data set by name (planar:test, cora) or path of a file or folder"
    parser.add_argument("generated", metavar="GENERATED", help=f"generated graphs: {data}")
    parser.add_argument("--reference", required=True, metavar="REFERENCE", help=f"graphs to compare with: {data}")
    parser.add_argument("--train", metavar="TRAIN", help=f"training graphs, for the train-test column: {data}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write metrics.json, schema 1")
    parser.add_argument(
        "--baselines",
        default="all",
        metavar="NAMES",
        help=f"all, none, or some of {','.join(BASELINES)} (default: %(default)s)",
    )
    parser.add_argument("--seed", type=int, default=0, help="of baselines and intervals (default: %(default)s)")
    add_read_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Evaluates, prints the tables and on request writes the JSON; returns the exit code."""
    if args.seed < 0:
        raise InputError(f"expected a seed of at least 0, got {args.seed}")
    if args.json is not None:
        check_file(args.json)
    names = _baseline_names(args.baselines)

    from sbgd.commands.memorisation import block_memorisation
    from sbgd.data.sources import load_dataset

    options = read_options(args)
    generated = load_dataset(args.generated, options=options).graphs
    reference = load_dataset(args.reference, options=options).graphs
    train = None if args.train is None else load_dataset(args.train, options=options).graphs
    result = _evaluate(generated, reference, train, names, args.seed)
    if train is not None:
        result = replace(result, memorisation=block_memorisation(Path(args.generated), generated, train))
    _print(result)
    if args.json is not None:
        write_json(args.json, result.to_dict())
    return 0


def _baseline_names(text: str) -> tuple[str, ...]:
    if text in ("all", "none"):
        return BASELINES if text == "all" else ()
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    unknown = [name for name in names if name not in BASELINES]
    if unknown:
        raise InputError(f"expected baselines among {', '.join(BASELINES)}, or all or none, got {unknown[0]!r}")
    return names


def _evaluate(
    generated: Sequence[Graph],
    reference: Sequence[Graph],
    train: Sequence[Graph] | None,
    names: Sequence[str],
    seed: int,
) -> EvaluationResult:
    """Runs the evaluation with a spinner on standard error, which shows only on a terminal."""
    from rich.console import Console

    from sbgd.evaluation import evaluate

    console = Console(stderr=True, quiet=not sys.stderr.isatty())
    with console.status("fitting baselines") as status:
        baselines = [_baseline(name, reference, seed) for name in names]
        return evaluate(generated, reference, train=train, baselines=baselines, seed=seed, on_step=status.update)


def _baseline(name: str, reference: Sequence[Graph], seed: int) -> Baseline:
    from sbgd.evaluation.baselines import BTER, ConfigurationModel, DensityBlocks, ErdosRenyi

    if name == DensityBlocks.name:
        from sbgd.partition import MetisPartitioner

        partitioner = MetisPartitioner(block_size=BLOCK_SIZE)
        return DensityBlocks(reference, [partitioner(graph, seed=seed).assignment for graph in reference])
    fitted = {baseline.name: baseline for baseline in (ErdosRenyi, ConfigurationModel, BTER)}
    return fitted[name](reference)


def _print(result: EvaluationResult) -> None:
    from rich.console import Console

    from sbgd.evaluation.report import tables

    console = Console(width=None if sys.stdout.isatty() else 140)
    # Written by hand: Rich itself would end the program with code 1 when a reader such as `head` has gone.
    with console.capture() as captured:
        console.print(tables(result))
    sys.stdout.write(captured.get())
