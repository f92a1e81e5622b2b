"""Every writable format returns exactly the graphs it was given."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sbgd.formats import FORMATS, load, save
from sbgd.graph import Graph

SUFFIXES = {"npz": ".npz", "edgelist": ".edges", "graphml": ".graphml", "nodelink": ".json", "parquet": ".parquet"}
WRITABLE = sorted(SUFFIXES)

GRAPHS = {
    "isolated nodes, the last one too": [Graph.from_edges([(0, 1)], 5)],
    "text ids": [Graph.from_edges([(0, 2)], 3, node_ids=["ann", "bob", "eve"])],
    "text ids that read as integers": [Graph.from_edges([(0, 2)], 3, node_ids=["1", "01", "-0"])],
    "text ids that text cannot hold": [Graph.from_edges([(0, 2)], 3, node_ids=["a b", '"#,', "{é\n}"])],
    "gaps in the ids, ids out of order": [Graph.from_edges([(0, 2), (1, 2)], 3, node_ids=[4, 2, 6])],
    "ids of 19 digits": [Graph.from_edges([(0, 1)], 2, node_ids=[2**63 - 1, -(2**63)])],
    "features": [Graph.from_edges([(0, 1)], 3, features=[[0.1, -1e300], [5e-324, 1 / 3], [0.0, 2.0]])],
    "labels": [Graph.from_edges([(0, 1)], 3, labels=[-1, 7, 0])],
    "features without columns": [Graph.from_edges([(0, 1)], 2, features=np.zeros((2, 0)))],
    "no node": [Graph.from_edges([], 0)],
    "no node, two features": [Graph.from_edges([], 0, features=np.zeros((0, 2)))],
    "one node": [Graph.from_edges([], 1, features=[[2.5]])],
    "several": [Graph.from_edges([(0, 1)], 2), Graph.from_edges([], 0), Graph.from_edges([(0, 1), (1, 2)], 4)],
    "several with all kinds of ids": [
        Graph.from_edges([(0, 1)], 2, node_ids=[9, 3]),
        Graph.from_edges([], 1),
        Graph.from_edges([(0, 1)], 2, node_ids=["9", "b"]),
    ],
    "more nodes than fit on a line of the header": [
        Graph.from_edges([(0, 2500)], 2501, node_ids=np.arange(2501) + 7, labels=np.arange(2501))
    ],
}


def test_every_writable_format_is_covered() -> None:
    assert sorted(name for name, entry in FORMATS.items() if entry.write) == WRITABLE


@pytest.mark.parametrize("name", WRITABLE)
@pytest.mark.parametrize("case", GRAPHS)
def test_what_is_written_comes_back(name: str, case: str, tmp_path: Path) -> None:
    path = tmp_path / f"out{SUFFIXES[name]}"
    save(GRAPHS[case], path)
    loaded = load(path)
    assert loaded.graphs == GRAPHS[case]
    assert loaded.format == name
    assert loaded.report.edges_kept == sum(graph.num_edges for graph in GRAPHS[case])


@pytest.mark.parametrize("name", WRITABLE)
@pytest.mark.parametrize("case", GRAPHS)
def test_the_same_graphs_give_the_same_bytes(name: str, case: str, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        save(GRAPHS[case], tmp_path / folder / f"out{SUFFIXES[name]}")
    first, second = ([*sorted((tmp_path / folder).rglob("*"))] for folder in ("a", "b"))
    assert [file.read_bytes() for file in first if file.is_file()] == [
        file.read_bytes() for file in second if file.is_file()
    ]


@pytest.mark.parametrize("name", ["npz", "edgelist", "graphml", "nodelink"])
def test_gzipped_files_come_back(name: str, tmp_path: Path) -> None:
    graphs = GRAPHS["gaps in the ids, ids out of order"]
    path = tmp_path / f"out{SUFFIXES[name]}.gz"
    save(graphs, path)
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    assert load(path).graphs == graphs


@st.composite
def any_graph(draw: st.DrawFn) -> Graph:
    num_nodes = draw(st.integers(0, 6))
    pairs = [(u, v) for v in range(num_nodes) for u in range(v)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    numbers = st.integers(-(2**63), 2**63 - 1)
    words = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn", "Co")), min_size=1, max_size=5)
    ids = draw(st.none() | st.one_of(st.lists(kind, min_size=6, max_size=6, unique=True) for kind in (numbers, words)))
    values = st.floats(allow_nan=False, allow_infinity=False)
    columns = draw(st.none() | st.integers(0, 2))
    rows = st.lists(values, min_size=num_nodes * (columns or 0), max_size=num_nodes * (columns or 0))
    graph = Graph.from_edges(
        edges,
        num_nodes,
        features=None if columns is None else np.reshape(draw(rows), (num_nodes, columns)),
        node_ids=ids[:num_nodes] if ids and num_nodes else None,
    )
    are_positions = graph.node_ids is not None and np.array_equal(graph.node_ids, np.arange(num_nodes))
    return graph.replace(node_ids=None) if are_positions else graph


@pytest.mark.parametrize("name", WRITABLE)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(graph=any_graph())
def test_any_graph_comes_back(name: str, graph: Graph, tmp_path: Path) -> None:
    path = tmp_path / f"out{SUFFIXES[name]}"
    save([graph], path)
    assert load(path).graphs == [graph]
