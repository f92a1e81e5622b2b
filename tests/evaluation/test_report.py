"""An evaluation in the forms that people read."""

import io
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from rich.console import Console

from sbgd.evaluation import evaluate
from sbgd.evaluation.baselines import ErdosRenyi
from sbgd.evaluation.report import html_report, latex_report, markdown_report, terminal_report
from sbgd.evaluation.report.latex import latex_table
from sbgd.evaluation.report.markdown import markdown_table
from sbgd.evaluation.report.plots import pictures
from sbgd.evaluation.report.table import Table, number, result_tables, summary_table
from sbgd.graph import Graph


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


class Tags(HTMLParser):
    """Checks that elements close in the order in which they opened."""

    VOID = frozenset({"meta", "br", "img", "path", "use", "rect"})

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.addresses = [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.addresses += [value for key, value in attrs if key in ("src", "href", "xlink:href")]
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)
        self.addresses += [value for key, value in attrs if key in ("src", "href", "xlink:href")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_whole_and_needs_nothing_else(result, sets):
    page = html_report(result, *sets)
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert all(address.startswith("#") for address in tags.addresses)
    assert {"script", "link", "iframe", "img"}.isdisjoint(tags.seen)
    assert not re.search(r"url\((?!#)", page)
    assert tags.seen.count("table") == 1 + len(result_tables(result))
    assert len(page) < 3_000_000


def test_the_page_is_the_same_every_time(result, sets):
    assert html_report(result, *sets) == html_report(result, *sets)


def test_pictures_are_svg_in_the_colour_of_the_text(sets):
    found = pictures(*sets)
    assert [picture.title for picture in found] == [
        "Degrees",
        "Local clustering",
        "Eigenvalues of the normalised Laplacian",
        "The first graphs of both sets",
    ]
    for picture in found:
        assert ElementTree.fromstring(picture.svg).tag.endswith("svg")  # noqa: S314
        assert "currentColor" in picture.svg
        assert "#000000" not in picture.svg


def test_large_graphs_are_not_drawn():
    large = [Graph.from_edges([(0, 1)], 2000)]
    assert [picture.title for picture in pictures(large, large)] == ["Degrees", "Local clustering"]


def test_graphs_without_edges_or_nodes_make_a_page(shapes):
    for name in ("point", "two_points", "edge"):
        graphs = [shapes[name], shapes["nothing"]]
        assert html_report(evaluate(graphs, graphs), graphs, graphs).endswith("</html>\n")
