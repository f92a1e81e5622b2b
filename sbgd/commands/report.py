"""`sbgd report`: everything that there is to see of generated graphs, on one page."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from sbgd.commands.evaluate import add_metric_options, check_metric_options, measure
from sbgd.commands.outputs import check_file, write_json, write_text
from sbgd.commands.read_options import add_read_options

_EPILOG = """\
examples:
  sbgd report samples/cora_4x --reference cora --train cora --checkpoint cora --out report.html
  sbgd report theirs.npz --reference sbm:test --train sbm:train --validity sbm --out report.html

The page needs nothing else: it can be sent by mail and opened without a network.
"""


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Adds the command to those of `sbgd`."""
    parser = subparsers.add_parser(
        "report",
        help="draw generated graphs beside reference graphs and measure them, on one HTML page",
        description="Writes one HTML page: generated and reference graphs drawn side by side, distributions, the "
        "metrics of `sbgd evaluate`, copies of training graphs, the denoising of one block, and a record of the run.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_metric_options(parser)
    parser.add_argument(
        "--checkpoint",
        metavar="MODEL",
        help="run or model folder, or the name of a bundled model: shows how it denoises a block",
    )
    parser.add_argument("--out", required=True, type=Path, metavar="FILE.html", help="the page")
    parser.add_argument("--json", type=Path, metavar="FILE", help="the numbers, as `sbgd evaluate --json` writes them")
    add_read_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Evaluates and writes the page; returns the exit code."""
    check_metric_options(args)
    for path in (args.out, args.json):
        if path is not None:
            check_file(path)

    from sbgd.commands.page import check_checkpoint, report_page

    if args.checkpoint is not None:
        check_checkpoint(args.checkpoint)
    measured = measure(args)
    page = report_page(args, measured, checkpoint=args.checkpoint)
    write_text(args.out, page)
    if args.json is not None:
        write_json(args.json, measured.result.to_dict())
    print(f"{args.out}: {len(page.encode()) / 1e6:.2f} MB")
    return 0
