"""The command line: `sbgd VERB`. Exit codes: 0 done, 1 our fault, 2 the input's or the usage's fault."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from sbgd.errors import InputError
from sbgd.version import __version__

DESCRIPTION = """\
Scalable graph diffusion: learn from one graph or many, generate graphs of any size, judge them.

  sbgd fit --config configs/experiment/cora.yaml
  sbgd sample --checkpoint cora --num-nodes 10000 --out samples
  sbgd evaluate samples --reference cora
"""
TRAINING_VERBS = ("fit", "validate", "test")
VERBS = ("sample", "evaluate", "report", "advise", "partition", "data")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code.

    Args:
        argv: Arguments after the program's name; those of the process by default.
    """
    # Threads that spin while they wait for work cost more CPU than the small tensors here do; read when torch loads.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        if arguments and arguments[0] in TRAINING_VERBS:
            from sbgd.commands import training

            return training.run(arguments)
        parser = _parser()
        parsed = parser.parse_args(arguments)
        if parsed.verb is None:
            parser.print_help()
            return 2
        return int(parsed.run(parsed))
    except InputError as error:
        print(f"sbgd: error: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("sbgd: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 0


class _Parser(argparse.ArgumentParser):
    """Reports a wrong usage in one line instead of a page."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise InputError(f"{message}; see `{self.prog} --help`")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="sbgd", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"sbgd {__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", parser_class=_Parser)
    for verb in TRAINING_VERBS:
        verbs.add_parser(verb, help={"fit": "train a model"}.get(verb, f"{verb} a trained checkpoint"))
    for verb in VERBS:
        importlib.import_module(f"sbgd.commands.{verb}").add_parser(verbs)
    return parser


if __name__ == "__main__":
    sys.exit(main())
