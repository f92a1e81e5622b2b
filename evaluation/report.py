"""Tables of an evaluation for a terminal: statistics side by side, MMDs beside what a reader needs to judge them."""

from __future__ import annotations

from collections.abc import Mapping

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sbgd.evaluation.novelty import IdenticalShare
from sbgd.evaluation.preflight import SetSummary, warnings
from sbgd.evaluation.result import EvaluationResult, MMDResult, StatisticResult

_MISSING = "-"


def tables(result: EvaluationResult) -> RenderableType:
    """Returns the counts, the table of statistics, the table of MMDs and notes, ready for `rich.print`."""
    return Group(
        _sets_line("reference", result.reference),
        _sets_line("generated", result.generated),
        _statistics_table(result),
        _mmd_table(result),
        *[Text(line) for line in _notes(result)],
    )


def _memorisation(found: IdenticalShare | None) -> list[str]:
    if found is None:
        return []
    undecided = f", {found.num_undecided} undecided" if found.num_undecided else ""
    return [f"memorisation: {found.num_identical} of {found.num_compared} blocks equal a training block{undecided}"]


def _sets_line(which: str, summary: SetSummary) -> Text:
    return Text(
        f"{which}: {summary.num_graphs} graphs, {summary.num_nodes} nodes ({summary.isolated_nodes} isolated), "
        f"{summary.num_edges} edges"
    )


def _statistics_table(result: EvaluationResult) -> Table:
    table = _table("Statistics", ["statistic", "reference", "generated", "error", *result.baselines])
    for name, row in result.metrics.statistics.items():
        others = [comparison.statistics[name].generated for comparison in result.baselines.values()]
        table.add_row(name, *_statistic_cells(row), *[_number(value) for value in others])
    return table


def _mmd_table(result: EvaluationResult) -> Table:
    header = ["MMD^2", "biased", "unbiased", "95 % interval", "floor", "train-test", *result.baselines]
    table = _table("Maximum mean discrepancy, squared (baselines: biased)", header)
    for name, row in result.metrics.mmd.items():
        others = [comparison.mmd[name].biased for comparison in result.baselines.values()]
        table.add_row(name, *_mmd_cells(row), *[_number(value) for value in others])
    return table


def _table(title: str, header: list[str]) -> Table:
    table = Table(title=title, box=SIMPLE_HEAD, padding=(0, 1), collapse_padding=True, title_justify="left")
    table.add_column(header[0], no_wrap=True)
    for name in header[1:]:
        table.add_column(name.replace("_", "\n"), justify="right", overflow="fold")
    return table


def _statistic_cells(row: StatisticResult) -> list[str]:
    return [
        _with_spread(row.reference, row.reference_spread),
        _with_spread(row.generated, row.generated_spread),
        _number(row.error),
    ]


def _mmd_cells(row: MMDResult) -> list[str]:
    interval = f"{_number(row.interval[0])} .. {_number(row.interval[1])}" if row.interval else _MISSING
    return [_number(row.biased), _number(row.unbiased), interval, _number(row.floor), _number(row.train_test)]


def _notes(result: EvaluationResult) -> list[str]:
    return [
        *_memorisation(result.memorisation),
        *warnings("reference", result.reference),
        *warnings("generated", result.generated),
        *_reasons("MMD of ", result.metrics.mmd),
        *_reasons("", result.metrics.statistics),
    ]


def _reasons(prefix: str, rows: Mapping[str, MMDResult] | Mapping[str, StatisticResult]) -> list[str]:
    """Returns one line for every reason, with the names that share it."""
    names: dict[str, list[str]] = {}
    for name, row in rows.items():
        if row.reason:
            names.setdefault(row.reason, []).append(name)
    return [f"{prefix}{', '.join(group)}: {reason}" for reason, group in names.items()]


def _with_spread(value: float | None, spread: float | None) -> str:
    return _number(value) if spread is None else f"{_number(value)} ± {spread:.2g}"


def _number(value: float | None) -> str:
    return _MISSING if value is None else f"{value:.3g}" if abs(value) < 1 else f"{value:,.5g}"
