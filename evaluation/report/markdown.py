"""An evaluation as Markdown, with pipe tables."""

from __future__ import annotations

from sbgd.evaluation.report.table import Table, notes, result_tables, set_line, summary_table
from sbgd.evaluation.result import EvaluationResult


def markdown_report(result: EvaluationResult) -> str:
    """Returns the summary table, all tables and notes."""
    counts = [f"- {set_line('reference', result.reference)}", f"- {set_line('generated', result.generated)}"]
    tables = [
        f"## {table.title}\n\n{markdown_table(table)}" for table in (summary_table(result), *result_tables(result))
    ]
    remarks = [f"- {line}" for line in notes(result)]
    return "\n\n".join(["\n".join(counts), *tables, "\n".join(remarks)]).strip() + "\n"


def markdown_table(table: Table) -> str:
    """Returns a pipe table, first column to the left and the others to the right."""
    rule = ["---", *["---:"] * (len(table.header) - 1)]
    return "\n".join(f"| {' | '.join(_escaped(cell) for cell in row)} |" for row in (table.header, rule, *table.rows))


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")
