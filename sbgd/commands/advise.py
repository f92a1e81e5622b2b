"""`sbgd advise`: steps, diffusion length and normalisation for features of a data set, with the reasons."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sbgd.commands.outputs import check_file, write_json
from sbgd.commands.read_options import add_read_options, read_options
from sbgd.errors import InputError

if TYPE_CHECKING:
    from sbgd.theory import Advice

_EPILOG = """\
example:
  sbgd advise features.npz --target-error 0.01 --json advice.json

The figures are exact for Gaussian features with the covariance that was fitted to the data and the exact score: what
second moments alone demand. The error is the Wasserstein-2 distance per entry, relative to the spread of the features.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to those of `sbgd`."""
    parser = subparsers.add_parser(
        "advise",
        help="propose steps, diffusion length and normalisation for node features",
        description="Reads graphs with node features, fits a Gaussian model of the features given the graph, and "
        "proposes process, steps, diffusion length and normalisation of the sampler, with the reason for each.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("data", metavar="DATA", help="data set by name (tu_ENZYMES) or path of a file or folder")
    parser.add_argument(
        "--target-error", type=float, default=0.01, metavar="E", help="largest error allowed (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the spectrum of large graphs (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the advice and the error curves")
    add_read_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the advice and on request writes it; returns the exit code."""
    if args.json is not None:
        check_file(args.json)
    if not args.target_error > 0:
        raise InputError(f"expected --target-error above 0, got {args.target_error}")
    if args.seed < 0:
        raise InputError(f"expected a seed of at least 0, got {args.seed}")

    import numpy as np

    from sbgd.data.sources import load_dataset
    from sbgd.theory import advise_graph, disjoint_union

    graphs = [graph for graph in load_dataset(args.data, options=read_options(args)).graphs if graph.num_nodes]
    if not graphs or any(graph.num_features == 0 for graph in graphs):
        raise InputError(
            f"expected node features on every graph of {args.data}, got graphs without; the theory is of features "
            "given a structure"
        )
    graph = graphs[0] if len(graphs) == 1 else disjoint_union(graphs)
    advice = advise_graph(graph, target_error=args.target_error, rng=np.random.default_rng(args.seed))
    _print(advice)
    if args.json is not None:
        write_json(args.json, advice.to_dict())
    return 0


def _print(advice: Advice) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(width=None if sys.stdout.isatty() else 140)
    found = advice.to_dict()
    choices = Table(title="Advice", title_justify="left", box=None, padding=(0, 2, 0, 0))
    for name in ("what", "value", "reason"):
        choices.add_column(name, no_wrap=name != "reason")
    for recommendation in advice.recommendations:
        choices.add_row(recommendation.subject, recommendation.value, recommendation.reason)
    curve = Table(title="Predicted error by steps", title_justify="left", box=None, padding=(0, 2, 0, 0))
    for name in ("steps", "error"):
        curve.add_column(name, justify="right")
    for row in found["steps_curve"]:
        curve.add_row(f"{row['num_steps']:.0f}", f"{row[advice.metric]:.3g}")
    verdict = "is reached" if advice.reached else "is out of reach of the steps that were tried"
    with console.capture() as captured:
        console.print(choices)
        console.print(f"\npredicted error {found['predicted_error']:.3g}; the target {advice.target:g} {verdict}\n")
        console.print(curve)
    sys.stdout.write(captured.get())
