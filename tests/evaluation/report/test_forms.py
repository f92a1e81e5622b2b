"""An evaluation in the forms that people read."""

import io

import pytest
from rich.console import Console

from sbgd.evaluation import evaluate
from sbgd.evaluation.baselines import ErdosRenyi
from sbgd.evaluation.report import html_report, latex_report, markdown_report, terminal_report
from sbgd.evaluation.report.latex import latex_table
from sbgd.evaluation.report.markdown import markdown_table
from sbgd.evaluation.report.table import Table, number, result_tables, summary_table


@pytest.fixture(scope="module")
def sets(fixture_sets):
    return fixture_sets["planar:gen"], fixture_sets["planar:ref"]


@pytest.fixture(scope="module")
def result(sets, fixture_sets):
    generated, reference = sets
    train = fixture_sets["planar:train"]
    baselines = [ErdosRenyi(reference)]
    return evaluate(generated, reference, train=train, preset="esgg", validity="planar", baselines=baselines)


def printed(found):
    console = Console(file=io.StringIO(), width=140)
    console.print(terminal_report(found))
    return console.file.getvalue()


def test_tables_show_reference_generated_error_and_baselines_side_by_side(shapes):
    text = printed(evaluate([shapes["star"]], [shapes["k4"]], baselines=[ErdosRenyi([shapes["k4"]])]))
    row = next(line.split() for line in text.splitlines() if "mean_degree" in line)
    assert row == ["mean_degree", "3", "1.5", "1.5", "3"]


def test_what_is_missing_is_explained_below_the_tables(shapes):
    text = printed(evaluate([shapes["star"]] * 2, [shapes["k4"]]))
    assert "MMD of degree, clustering, orbit, spectral, wavelet: the unbiased estimate" in text
    assert "generated: 1 of 2 graphs isomorphic to an earlier one" in text
    assert "assortativity: reference: all edges join nodes of one degree" in text
    assert "gin_frechet: needs at least 2 graphs" in text


def test_every_form_has_every_table_and_note(result, sets):
    forms = {
        "terminal": printed(result),
        "markdown": markdown_report(result),
        "latex": latex_report(result),
        "html": html_report(result, *sets),
    }
    for table in result_tables(result):
        for row in table.rows:
            for form, text in forms.items():
                assert row[0] in text.replace(r"\_", "_"), (form, row)
    ratio = f"average ratio to the training graphs: {number(result.metrics.ratio)}"
    assert all(ratio in forms[form] for form in ("terminal", "markdown", "html"))


def test_the_summary_has_a_line_for_training_graphs_generated_ones_and_baselines(result):
    table = summary_table(result)
    assert [row[0] for row in table.rows] == ["train", "generated", "erdos_renyi"]
    assert table.header[:6] == ("graphs", "degree", "clustering", "orbit", "spectral", "wavelet")
    generated = dict(zip(table.header, table.rows[1], strict=True))
    assert generated["degree"] == number(result.metrics.mmd["degree"].value)
    assert generated["valid, unique and novel"] == "70 %"
    assert generated["ratio"] == number(result.metrics.ratio) == "26.021"


def test_tables_are_escaped():
    table = Table("a_b & MMD^2", ("name", "x|y"), (("50 %", "-0.5"), ("a_b", "1 ± 2"), ("none", "-")))
    assert markdown_table(table).splitlines() == [
        "| name | x\\|y |",
        "| --- | ---: |",
        "| 50 % | -0.5 |",
        "| a_b | 1 ± 2 |",
        "| none | - |",
    ]
    text = latex_table(table)
    assert r"\caption{a\_b \& squared MMD}" in text
    assert r"50 \% & $-0.5$ \\" in text
    assert r"a\_b & 1 $\pm$ 2 \\" in text
    assert r"none & -- \\" in text
