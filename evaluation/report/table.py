"""The tables of an evaluation as rows of text, whatever they are printed as."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sbgd.evaluation.novelty import IdenticalShare
from sbgd.evaluation.preflight import SetSummary, warnings
from sbgd.evaluation.result import Comparison, EvaluationResult, MMDResult, ScoreResult, StatisticResult
from sbgd.evaluation.vun import VUN

MISSING = "-"


@dataclass(frozen=True)
class Table:
    """A table with its first column to the left and numbers to the right.

    Attributes:
        title: What it shows.
        header: Names of the columns.
        rows: Cells, as many a row as there are columns.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def result_tables(result: EvaluationResult) -> list[Table]:
    """Returns statistics, MMDs, other scores and validity, those that were computed."""
    tables = [statistics_table(result), mmd_table(result), scores_table(result), validity_table(result.validity)]
    return [table for table in tables if table is not None and table.rows]


def summary_table(result: EvaluationResult) -> Table:
    """Returns the table of a paper: one line for the training graphs, the generated ones and every baseline."""
    names = [*result.metrics.mmd, *result.metrics.scores]
    with_ratio = result.metrics.ratio is not None
    header = ("graphs", *names, *(("ratio",) if with_ratio else ()), *_validity_header(result.validity))
    width = len(header)
    rows = [
        _row("train", [_train_test(result.metrics, name) for name in names], width),
        (
            "generated",
            *[number(_value(result.metrics, name)) for name in names],
            *((number(result.metrics.ratio),) if with_ratio else ()),
            *_validity_cells(result.validity),
        ),
        *[
            _row(name, [_value(comparison, key) for key in names], width)
            for name, comparison in result.baselines.items()
        ],
    ]
    known = [row for row in rows if row[0] != "train" or set(row[1:]) != {MISSING}]
    return Table("Summary", header, tuple(known))


def statistics_table(result: EvaluationResult) -> Table:
    """Returns one row a statistic: reference, generated, error and the value of every baseline."""
    rows = [
        (
            name,
            *_statistic_cells(row),
            *[number(comparison.statistics[name].generated) for comparison in result.baselines.values()],
        )
        for name, row in result.metrics.statistics.items()
    ]
    return Table("Statistics", ("statistic", "reference", "generated", "error", *result.baselines), tuple(rows))


def mmd_table(result: EvaluationResult) -> Table:
    """Returns one row an MMD: value, both estimates, interval, p-value, floor, training value and the baselines."""
    header = ("MMD^2", "value", "unbiased", "95 % interval", "p", "floor", "train-test", *result.baselines)
    rows = [
        (name, *_mmd_cells(row), *[number(comparison.mmd[name].value) for comparison in result.baselines.values()])
        for name, row in result.metrics.mmd.items()
    ]
    title = f"Maximum mean discrepancy, squared (preset {result.preset}; baselines: value)"
    return Table(title, header, tuple(rows))


def scores_table(result: EvaluationResult) -> Table:
    """Returns one row a score that is no MMD of its own: value, training value and the baselines."""
    rows = [
        (
            name,
            _with_spread(row.value, row.spread),
            number(row.train_test),
            *[number(comparison.scores[name].value) for comparison in result.baselines.values()],
        )
        for name, row in result.metrics.scores.items()
    ]
    return Table("Other scores", ("score", "value", "train-test", *result.baselines), tuple(rows))


def validity_table(found: VUN | None) -> Table | None:
    """Returns shares of valid, unique and novel graphs, with the undecided counted apart."""
    if found is None:
        return None
    rows = tuple((name, _share(value)) for name, value in _validity(found).items())
    return Table("Valid, unique and novel graphs", ("share of the generated", "value"), rows)


def sets_table(result: EvaluationResult) -> Table:
    """Returns the counts of both sets."""
    sets = result.reference, result.generated
    rows: dict[str, list[float]] = {
        "graphs": [found.num_graphs for found in sets],
        "nodes": [found.num_nodes for found in sets],
        "edges": [found.num_edges for found in sets],
        "isolated nodes": [found.isolated_nodes for found in sets],
        "mean degree": [2 * found.num_edges / max(found.num_nodes, 1) for found in sets],
    }
    cells = tuple((name, *[number(value) for value in values]) for name, values in rows.items())
    return Table("The two sets", ("count", "reference", "generated"), cells)


def set_line(which: str, summary: SetSummary) -> str:
    """Returns the counts of a set in one line."""
    return (
        f"{which}: {summary.num_graphs} graphs, {summary.num_nodes} nodes ({summary.isolated_nodes} isolated), "
        f"{summary.num_edges} edges"
    )


def notes(result: EvaluationResult) -> list[str]:
    """Returns what a reader of the tables should know: memorisation, oddities of the sets, reasons for gaps."""
    return [
        *_memorisation(result.memorisation),
        *([f"average ratio to the training graphs: {number(result.metrics.ratio)}"] if result.metrics.ratio else []),
        *[f"defect switched on: {name}" for name in result.defects],
        *_undecided(result.validity),
        *warnings("reference", result.reference),
        *warnings("generated", result.generated),
        *_reasons("MMD of ", result.metrics.mmd),
        *_reasons("", result.metrics.scores),
        *_reasons("", result.metrics.statistics),
    ]


def number(value: float | None) -> str:
    """Returns three significant digits below 1, five above, whole numbers as they are; a dash for a missing value."""
    if value is None:
        return MISSING
    if abs(value) < 1:
        return f"{value:.3g}"
    return f"{value:,.0f}" if value == round(value) and abs(value) < 1e9 else f"{value:,.5g}"


def _row(name: str, values: list[float | None], width: int) -> tuple[str, ...]:
    cells = [number(value) for value in values]
    return (name, *cells, *[MISSING] * (width - 1 - len(cells)))


def _value(comparison: Comparison, name: str) -> float | None:
    return comparison.mmd[name].value if name in comparison.mmd else comparison.scores[name].value


def _train_test(comparison: Comparison, name: str) -> float | None:
    return comparison.mmd[name].train_test if name in comparison.mmd else comparison.scores[name].train_test


def _statistic_cells(row: StatisticResult) -> list[str]:
    return [
        _with_spread(row.reference, row.reference_spread),
        _with_spread(row.generated, row.generated_spread),
        number(row.error),
    ]


def _mmd_cells(row: MMDResult) -> list[str]:
    interval = f"{number(row.interval[0])} .. {number(row.interval[1])}" if row.interval else MISSING
    return [
        number(row.value),
        number(row.unbiased),
        interval,
        number(row.p_value),
        number(row.floor),
        number(row.train_test),
    ]


def _validity(found: VUN) -> dict[str, float | None]:
    shares = {
        "valid": found.valid,
        "unique": found.unique,
        "novel": found.novel,
        "unique and novel": found.unique_novel,
        "valid, unique and novel": found.vun,
    }
    return {name: share for name, share in shares.items() if share is not None}


def _validity_header(found: VUN | None) -> tuple[str, ...]:
    return () if found is None else tuple(_validity(found))


def _validity_cells(found: VUN | None) -> tuple[str, ...]:
    return () if found is None else tuple(_share(value) for value in _validity(found).values())


def _share(value: float | None) -> str:
    return MISSING if value is None else f"{100 * value:.4g} %"


def _memorisation(found: IdenticalShare | None) -> list[str]:
    if found is None:
        return []
    undecided = f", {found.num_undecided} undecided" if found.num_undecided else ""
    return [f"memorisation: {found.num_identical} of {found.num_compared} blocks equal a training block{undecided}"]


def _undecided(found: VUN | None) -> list[str]:
    if found is None:
        return []
    counts = ", ".join(f"{count} {name}" for name, count in found.undecided.items() if count)
    return [f"undecided and not counted as a success: {counts}"] if counts else []


def _reasons(
    prefix: str, rows: Mapping[str, MMDResult] | Mapping[str, ScoreResult] | Mapping[str, StatisticResult]
) -> list[str]:
    """Returns one line for every reason, with the names that share it."""
    names: dict[str, list[str]] = {}
    for name, row in rows.items():
        if row.reason:
            names.setdefault(row.reason, []).append(name)
    return [f"{prefix}{', '.join(group)}: {reason}" for reason, group in names.items()]


def _with_spread(value: float | None, spread: float | None) -> str:
    return number(value) if value is None or spread is None else f"{number(value)} ± {spread:.2g}"
