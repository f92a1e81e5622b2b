"""An evaluation as one page of HTML that needs nothing else: tables, notes and pictures."""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined

from sbgd.evaluation.report.plots import pictures
from sbgd.evaluation.report.table import notes, result_tables, set_line, summary_table
from sbgd.evaluation.result import EvaluationResult
from sbgd.graph import Graph


def html_report(result: EvaluationResult, generated: Sequence[Graph], reference: Sequence[Graph]) -> str:
    """Returns the page.

    Args:
        result: What was measured.
        generated: The generated graphs, for the pictures.
        reference: The reference graphs.
    """
    loader = PackageLoader("sbgd.evaluation.report", ".")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True
    )
    return environment.get_template("page.html.jinja").render(
        preset=result.preset,
        counts=[set_line("reference", result.reference), set_line("generated", result.generated)],
        tables=[summary_table(result), *result_tables(result)],
        notes=notes(result),
        pictures=pictures(generated, reference),
    )
