"""An evaluation for a terminal."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from sbgd.evaluation.report.table import Table, notes, result_tables, set_line
from sbgd.evaluation.result import EvaluationResult


def terminal_report(result: EvaluationResult) -> RenderableType:
    """Returns the counts, all tables and notes, ready for `rich.print`."""
    return Group(
        Text(set_line("reference", result.reference)),
        Text(set_line("generated", result.generated)),
        *[_rich(table) for table in result_tables(result)],
        *[Text(line) for line in notes(result)],
    )


def _rich(table: Table) -> RichTable:
    shown = RichTable(title=table.title, box=SIMPLE_HEAD, padding=(0, 1), collapse_padding=True, title_justify="left")
    shown.add_column(table.header[0], no_wrap=True)
    for name in table.header[1:]:
        shown.add_column(name.replace("_", "\n"), justify="right", overflow="fold")
    for row in table.rows:
        shown.add_row(*row)
    return shown
