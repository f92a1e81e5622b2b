r"""An evaluation as LaTeX, tables with the rules of booktabs to be taken in by \input."""

from __future__ import annotations

from sbgd.evaluation.report.table import Table, result_tables, summary_table
from sbgd.evaluation.result import EvaluationResult

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
}


def latex_report(result: EvaluationResult) -> str:
    """Returns the summary table and all tables; they need the package booktabs."""
    tables = [summary_table(result), *result_tables(result)]
    return "% needs \\usepackage{booktabs}\n" + "\n".join(latex_table(table) for table in tables)


def latex_table(table: Table) -> str:
    """Returns a table environment with a caption, first column to the left and the others to the right."""
    columns = "l" + "r" * (len(table.header) - 1)
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering",
            rf"  \caption{{{_caption(table.title)}}}",
            rf"  \begin{{tabular}}{{{columns}}}",
            r"    \toprule",
            f"    {_line(table.header)}",
            r"    \midrule",
            *[f"    {_line(row)}" for row in table.rows],
            r"    \bottomrule",
            r"  \end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _line(cells: tuple[str, ...]) -> str:
    return " & ".join(_cell(cell) for cell in cells) + r" \\"


def _caption(title: str) -> str:
    return _cell(title.replace("MMD^2", "squared MMD"))


def _cell(text: str) -> str:
    if text == "MMD^2":
        return r"MMD$^2$"
    if text == "-":
        return "--"
    escaped = "".join(_SPECIAL.get(character, character) for character in text)
    # a hyphen before a digit is a minus sign
    return f"${escaped}$" if escaped.startswith("-") and escaped[1:2].isdigit() else escaped
