"""`sbgd evaluate`: measures generated graphs against reference graphs, beside baselines that learn nothing."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sbgd.commands.outputs import check_file, write_json, write_text
from sbgd.commands.read_options import add_read_options, read_options
from sbgd.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sbgd.evaluation import EvaluationResult
    from sbgd.evaluation.baselines import Baseline
    from sbgd.graph import Graph

BASELINES = ("erdos_renyi", "configuration", "chung_lu", "sbm", "dcsbm", "bter", "density_blocks")
BLOCK_SIZE = 32
LARGE_BLOCK_SIZE = 1000
"""Blocks of the block models of graphs that are too large for communities to be found."""

_EPILOG = """\
examples:
  sbgd evaluate runs/quickstart/samples_1x --reference planar:test --train planar:train --json metrics.json
  sbgd evaluate samples.npz --reference sbm:test --train sbm:train --preset spectre --validity sbm
  sbgd evaluate mine.graphml --reference cora --baselines erdos_renyi,bter --report report.html

reading the tables:
  error       |generated - reference|; compare it with the errors of the baselines, which learn nothing
  value       the squared MMD that the source of the preset prints; equal laws give up to the floor, 1/n + 1/m
  unbiased    the same without that bias: about 0 for equal laws, can be negative
  p           probability of a value as large as this if both sets have one law (permutation test)
  train-test  what as many training graphs score: the value of a perfect generator
Any generator's files are welcome: GENERATED and REFERENCE are read in every format that sbgd reads.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to those of `sbgd`."""
    parser = subparsers.add_parser(
        "evaluate",
        help="measure generated graphs against reference graphs",
        description="Measures generated graphs against reference graphs: statistics, maximum mean discrepancies with "
        "floors, intervals and tests, validity, uniqueness and novelty, and the same for baselines without a network.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--list-presets", action=_ListPresets, help="print presets, metrics and defects, and stop")
    add_metric_options(parser)
    outputs = parser.add_argument_group("files to write")
    outputs.add_argument("--json", type=Path, metavar="FILE", help="metrics.json, schema 1")
    outputs.add_argument(
        "--report", type=Path, metavar="FILE", help="one HTML page with tables and pictures, see `sbgd report`"
    )
    outputs.add_argument("--markdown", type=Path, metavar="FILE", help="tables as Markdown")
    outputs.add_argument("--latex", type=Path, metavar="FILE", help="tables as LaTeX, with booktabs")
    add_read_options(parser)
    parser.set_defaults(run=run)


def add_metric_options(parser: argparse.ArgumentParser) -> None:
    """Adds what is measured and against what, the same in every command that measures."""
    data = "data set by name (planar:test, cora) or path of a file or folder"
    parser.add_argument("generated", metavar="GENERATED", help=f"generated graphs: {data}")
    parser.add_argument("--reference", required=True, metavar="REFERENCE", help=f"graphs to compare with: {data}")
    parser.add_argument(
        "--train", metavar="TRAIN", help=f"training graphs, for the train-test column and for novelty: {data}"
    )
    parser.add_argument(
        "--preset", default="sbgd", help="whose metrics, see `sbgd evaluate --list-presets` (default: %(default)s)"
    )
    parser.add_argument(
        "--metrics", metavar="NAMES", help="only these metrics of the preset, and statistics or vun (default: all)"
    )
    parser.add_argument("--validity", metavar="RULE", help="rule for valid graphs: planar, tree, lobster, sbm, ...")
    parser.add_argument("--defects", default="", metavar="NAMES", help="errors of the preset's source to repeat")
    parser.add_argument(
        "--baselines",
        default="all",
        metavar="NAMES",
        help=f"all, none, or some of {','.join(BASELINES)} (default: %(default)s)",
    )
    parser.add_argument(
        "--seeds", type=int, default=3, metavar="N", help="random networks for embeddings (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of everything that is drawn (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="processes (default: %(default)s)")


class _ListPresets(argparse.Action):
    """Prints all presets and ends the program, as --help does."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:  # noqa: A002
        super().__init__(option_strings, dest=argparse.SUPPRESS, default=argparse.SUPPRESS, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        _print_presets()
        parser.exit()


@dataclass(frozen=True)
class Measured:
    """What was read and what was found.

    Attributes:
        generated: Graphs to judge.
        reference: Graphs to judge them by.
        train: Training graphs, where they were named.
        result: The evaluation.
    """

    generated: Sequence[Graph]
    reference: Sequence[Graph]
    train: Sequence[Graph] | None
    result: EvaluationResult


def run(args: argparse.Namespace) -> int:
    """Evaluates, prints the tables and writes what is asked for; returns the exit code."""
    check_metric_options(args)
    for path in (args.json, args.report, args.markdown, args.latex):
        if path is not None:
            check_file(path)
    measured = measure(args)
    _print(measured.result)
    _write(args, measured)
    return 0


def measure(args: argparse.Namespace) -> Measured:
    """Reads the graphs and evaluates them."""
    from sbgd.commands.memorisation import block_memorisation
    from sbgd.data.sources import load_dataset

    options = read_options(args)
    generated = load_dataset(args.generated, options=options).graphs
    reference = load_dataset(args.reference, options=options).graphs
    train = None if args.train is None else load_dataset(args.train, options=options).graphs
    result = _evaluate(args, generated, reference, train)
    if train is not None:
        result = replace(result, memorisation=block_memorisation(Path(args.generated), generated, train))
    return Measured(generated, reference, train, result)


def check_metric_options(args: argparse.Namespace) -> None:
    """Makes sure that numbers are in their range.

    Raises:
        InputError: One is not.
    """
    for name, lowest in (("seed", 0), ("seeds", 1), ("jobs", 1)):
        value = getattr(args, name)
        if value < lowest:
            raise InputError(f"expected --{name} of at least {lowest}, got {value}")


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def _baseline_names(text: str) -> tuple[str, ...]:
    if text in ("all", "none"):
        return BASELINES if text == "all" else ()
    names = _names(text)
    unknown = [name for name in names if name not in BASELINES]
    if unknown or not names:
        got = repr(unknown[0]) if unknown else "none"
        raise InputError(f"expected baselines among {', '.join(BASELINES)}, or all or none, got {got}")
    return names


def _evaluate(
    args: argparse.Namespace,
    generated: Sequence[Graph],
    reference: Sequence[Graph],
    train: Sequence[Graph] | None,
) -> EvaluationResult:
    """Runs the evaluation with a spinner on standard error, which shows only on a terminal."""
    from rich.console import Console

    from sbgd.evaluation import evaluate

    names = _baseline_names(args.baselines)
    console = Console(stderr=True, quiet=not sys.stderr.isatty())
    with console.status("fitting baselines") as status:
        baselines = _baselines(names, reference, args.seed)
        return evaluate(
            generated,
            reference,
            train=train,
            preset=args.preset,
            metrics=None if args.metrics is None else _names(args.metrics),
            defects=_names(args.defects),
            validity=args.validity,
            baselines=baselines,
            num_seeds=args.seeds,
            seed=args.seed,
            jobs=args.jobs,
            on_step=status.update,
        )


def _baselines(names: Sequence[str], reference: Sequence[Graph], seed: int) -> list[Baseline]:
    """Fits baselines; block models share their blocks, communities where the graphs are small enough for Louvain."""
    from sbgd.evaluation.baselines import BASELINES, DegreeCorrectedBlockModel, DensityBlocks, StochasticBlockModel
    from sbgd.evaluation.baselines.communities import MAX_NODES, louvain_communities
    from sbgd.partition import MetisPartitioner

    @cache
    def cut(block_size: int) -> list[NDArray[np.int64]]:
        partitioner = MetisPartitioner(block_size=block_size)
        return [partitioner(graph, seed=seed).assignment for graph in reference]

    @cache
    def blocks() -> list[NDArray[np.int64]]:
        small = all(graph.num_nodes <= MAX_NODES for graph in reference)
        return [louvain_communities(graph) for graph in reference] if small else cut(LARGE_BLOCK_SIZE)

    fitted: list[Baseline] = []
    for name in names:
        if name == DensityBlocks.name:
            fitted.append(DensityBlocks(reference, cut(BLOCK_SIZE)))
        elif name == StochasticBlockModel.name:
            fitted.append(StochasticBlockModel(reference, blocks()))
        elif name == DegreeCorrectedBlockModel.name:
            fitted.append(DegreeCorrectedBlockModel(reference, blocks()))
        else:
            fitted.append(BASELINES[name](reference))
    return fitted


def _print(result: EvaluationResult) -> None:
    from rich.console import Console

    from sbgd.evaluation.report import terminal_report

    console = Console(width=None if sys.stdout.isatty() else 160)
    # Written by hand: Rich itself would end the program with code 1 when a reader such as `head` has gone.
    with console.capture() as captured:
        console.print(terminal_report(result))
    sys.stdout.write(captured.get())


def _write(args: argparse.Namespace, measured: Measured) -> None:
    from sbgd.evaluation.report import latex_report, markdown_report

    result = measured.result
    if args.json is not None:
        write_json(args.json, result.to_dict())
    texts: list[tuple[Path | None, Callable[[], str]]] = [
        (args.markdown, lambda: markdown_report(result)),
        (args.latex, lambda: latex_report(result)),
        (args.report, lambda: _page(args, measured)),
    ]
    for path, text in texts:
        if path is not None:
            write_text(path, text())


def _page(args: argparse.Namespace, measured: Measured) -> str:
    from sbgd.commands.page import report_page

    return report_page(args, measured)


def _print_presets() -> None:
    from sbgd.evaluation.defects import DEFECTS
    from sbgd.evaluation.presets import PRESETS

    for preset in PRESETS.values():
        print(f"{preset.name}\n  {preset.summary}")
        for what, names in (
            ("metrics", [*preset.mmds, *preset.embeddings, *(["pgd"] if preset.discrepancy else [])]),
            ("by name", list(preset.variants)),
            ("defects", list(preset.defects)),
        ):
            if names:
                print(f"  {what}: {', '.join(names)}")
    print("\ndefects, off unless named with --defects:")
    for defect in DEFECTS.values():
        print(f"  {defect.name}: {defect.explanation}")
