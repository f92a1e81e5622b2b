"""Command-line options for reading graphs, the same in every command that reads any."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING

from sbgd.errors import InputError

if TYPE_CHECKING:
    from sbgd.formats import ReadOptions


def add_read_options(parser: argparse.ArgumentParser) -> None:
    """Adds one option for every policy of `ReadOptions`."""
    group = parser.add_argument_group("reading", "what to do about input that is not simple, undirected and finite")
    group.add_argument("--self-loops", choices=("error", "drop"), default="error", help="edges from a node to itself")
    group.add_argument("--directed", choices=("error", "symmetrise"), default="error", help="files of directed edges")
    group.add_argument("--weights", choices=("error", "ignore"), default="error", help="edge weights other than 1")
    group.add_argument("--weight-threshold", type=float, metavar="T", help="keep edges whose weight is above T")
    group.add_argument("--non-finite", choices=("error", "mean"), default="error", help="NaN and infinite features")


def read_options(args: argparse.Namespace) -> ReadOptions:
    """Returns the policies that the command line asks for."""
    from sbgd.formats import ReadOptions

    if args.weight_threshold is not None and math.isnan(args.weight_threshold):
        raise InputError("expected a number for --weight-threshold, got nan")
    return ReadOptions(
        self_loops=args.self_loops,
        directed=args.directed,
        weights=args.weights,
        weight_threshold=args.weight_threshold,
        non_finite=args.non_finite,
    )
