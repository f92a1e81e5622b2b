"""The page of an evaluation: whole, alone, the same every time, and readable without seeing it."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest

from sbgd.evaluation import evaluate
from sbgd.evaluation.baselines import ErdosRenyi
from sbgd.evaluation.report import DenoisingStrip, RunRecord, ShownSet, html_report, pictures_page
from sbgd.evaluation.report.drawing import MAX_DRAWN_NODES
from sbgd.evaluation.report.plots import distribution_plots, mmd_plot
from sbgd.evaluation.report.table import result_tables
from sbgd.graph import Graph


@pytest.fixture(scope="module")
def sets(fixture_sets):
    return fixture_sets["planar:gen"], fixture_sets["planar:ref"]


@pytest.fixture(scope="module")
def result(sets, fixture_sets):
    generated, reference = sets
    return evaluate(
        generated,
        reference,
        train=fixture_sets["planar:train"],
        preset="gran",
        validity="planar",
        baselines=[ErdosRenyi(reference)],
    )


@pytest.fixture(scope="module")
def strip():
    rng = np.random.default_rng(0)
    block = np.triu(rng.random((9, 9)) < 0.3, 1).astype(float)
    block += block.T
    return DenoisingStrip("A block.", np.linspace(1, 0.1, 10), rng.random((10, 9, 9)), rng.random((10, 9, 9)), block)


@pytest.fixture(scope="module")
def page(result, sets, strip):
    record = RunRecord({"Data": {"generated": "<mine> & theirs"}}, {"config.yaml": "seed: 0\n"})
    return html_report(result, *sets, denoising=strip, record=record)


class Elements(HTMLParser):
    """All elements of a page; checks that they close in the order in which they opened."""

    VOID = frozenset({"meta", "link", "img", "source", "br"})

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.headings = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("h1", "h2"):
            self.headings.append(data)

    def named(self, *names):
        return [attributes for tag, attributes in self.seen if tag in names]

    def values(self, *keys):
        return [attributes[key] for _, attributes in self.seen for key in keys if key in attributes]


def test_the_page_is_whole_and_needs_nothing_else(page, result):
    elements = Elements(page)
    assert elements.open == []
    addresses = elements.values("src", "href", "srcset", "xlink:href", "action")
    assert addresses
    assert all(address.startswith(("#", "data:")) for address in addresses)
    assert not elements.named("script", "iframe", "object", "embed", "form")
    assert not re.search(r"url\((?!#)|@import|https?://(?!www\.w3\.org/)", page)
    (policy,) = [a["content"] for a in elements.named("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert len(page.encode()) < 3_000_000
    for table in result_tables(result):
        assert table.title.split(",")[0].split("(")[0].strip() in page


def test_every_section_stands_on_the_page_and_is_linked(page):
    elements = Elements(page)
    wanted = ["Summary", "Graphs", "Blocks", "Distributions", "Metrics", "Denoising", "Memorisation", "Run record"]
    targets = [address for address in elements.values("href") if address.startswith("#")]
    ids = elements.values("id")
    assert len(ids) == len(set(ids))
    assert {target[1:] for target in targets} <= set(ids)
    assert all(f">{name}</a>" in page for name in wanted)
    assert len(elements.headings) == 1 + len(wanted)


def test_the_page_can_be_read_without_seeing_it(page):
    elements = Elements(page)
    assert all(picture.get("alt") for picture in elements.named("img"))
    assert all(picture.get("role") == "img" and picture.get("aria-label") for picture in elements.named("svg"))
    assert all(region.get("tabindex") == "0" for region in elements.named("div") if region.get("class") == "scroll")
    levels = [int(tag[1]) for tag, _ in elements.seen if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert all(below - above <= 1 for above, below in zip(levels, levels[1:], strict=False))
    assert elements.named("html")[0]["lang"] == "en"


def test_what_comes_from_files_is_escaped(page):
    assert "&lt;mine&gt; &amp; theirs" in page
    assert "<mine>" not in page


def test_the_page_is_the_same_every_time(result, sets, strip):
    assert html_report(result, *sets, denoising=strip) == html_report(result, *sets, denoising=strip)


def test_the_seed_moves_nodes(sets):
    assert pictures_page("x", *sets, seed=0) == pictures_page("x", *sets, seed=0) != pictures_page("x", *sets, seed=1)


def test_a_figure_has_the_colours_of_the_page(sets, result):
    plots = [*distribution_plots(*sets), mmd_plot(result)]
    assert [picture.title for picture in plots] == ["Degrees", "Local clustering", "Spectra", "Distances"]
    for picture in plots:
        assert ElementTree.fromstring(picture.markup).tag.endswith("svg")  # noqa: S314
        assert "currentColor" in picture.markup
        assert "#000000" not in picture.markup


def test_blocks_are_those_that_are_given():
    graph = Graph.from_networkx(nx.planted_partition_graph(4, 6, 0.9, 0.02, seed=0))
    blocks = np.repeat(np.arange(4), 6)
    page = pictures_page("x", ShownSet([graph], lambda number: blocks), ShownSet([graph], lambda number: blocks))
    assert page.count("24 nodes in 4 blocks") >= 2


def test_a_large_graph_is_drawn_by_its_blocks():
    size = MAX_DRAWN_NODES + 10
    large = Graph.from_networkx(nx.random_regular_graph(3, size, seed=0))
    shown = ShownSet([large], lambda number: np.arange(size) // 100)
    page = html_report(evaluate([large], [large], baselines=()), shown, shown)
    assert f"{size:,} nodes in 21 blocks" in page
    assert "generated graph 0</h3>" not in page
    assert len(page.encode()) < 1_000_000


@pytest.mark.parametrize("name", ["nothing", "point", "two_points", "edge", "triangle"])
def test_graphs_without_edges_or_nodes_make_a_page(shapes, name):
    graphs = [shapes[name], shapes["point"]]
    assert Elements(html_report(evaluate(graphs, graphs), graphs, graphs)).open == []
