import json
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.formats import ReadOptions, load, save
from sbgd.graph import Graph

PATH = Graph.from_edges([(0, 1), (1, 2)], 3)
NODES = [{"id": 0}, {"id": 1}]


def written(tmp_path: Path, value: Any) -> Path:
    path = tmp_path / "graphs.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


@pytest.mark.parametrize("key", ["edges", "links"])
def test_what_networkx_writes_is_read_with_either_key(tmp_path: Path, key: str) -> None:
    graphs = [nx.path_graph(3), nx.empty_graph(2), nx.Graph(), nx.Graph([("a", "b")])]
    path = written(tmp_path, [nx.node_link_data(graph, edges=key) for graph in graphs])
    assert load(path).graphs == [Graph.from_networkx(graph) for graph in graphs]
    path = written(tmp_path, nx.node_link_data(graphs[0], edges=key))
    assert load(path).graphs == [PATH]


def test_networkx_reads_what_we_write(tmp_path: Path) -> None:
    graph = Graph.from_edges([(0, 2)], 3, features=[0.5, 1, 2], labels=[3, 4, 5], node_ids=["a", "b", "c"])
    save([graph], tmp_path / "one.json")
    theirs = nx.node_link_graph(json.loads((tmp_path / "one.json").read_text()), edges="edges")
    assert Graph.from_networkx(theirs) == graph
    save([PATH, graph.replace(features=None, labels=None)], tmp_path / "two.json")
    assert len(json.loads((tmp_path / "two.json").read_text())) == 2


def test_the_name_of_the_file_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "graphs"
    for value in (nx.node_link_data(nx.path_graph(3)), [nx.node_link_data(nx.path_graph(3))]):
        for indent in (None, 2):
            path.write_text(json.dumps(value, indent=indent))
            loaded = load(path)
            assert (loaded.format, loaded.graphs) == ("nodelink", [PATH])


def test_json_in_a_folder_is_read_only_when_its_format_is_named(tmp_path: Path) -> None:
    save([PATH], tmp_path / "graphs" / "a.json")
    save([PATH], tmp_path / "graphs" / "b.graphml")
    assert load(tmp_path / "graphs").format == "graphml"
    (tmp_path / "graphs" / "b.graphml").unlink()
    assert load(tmp_path / "graphs", format="nodelink").graphs == [PATH]
    with pytest.raises(InputError, match="got none in folder"):
        load(tmp_path / "graphs")


def test_names_that_are_tuples_become_text(tmp_path: Path) -> None:
    grid = nx.grid_2d_graph(2, 2)
    loaded = load(written(tmp_path, nx.node_link_data(grid))).graphs[0]
    assert loaded == Graph.from_networkx(grid)
    assert loaded.node_ids is not None
    assert loaded.node_ids.tolist()[0] == "(0, 0)"


def test_nodes_without_ids_are_numbered(tmp_path: Path) -> None:
    value = {"nodes": [{}, {}, {}], "links": [{"source": 0, "target": 1}, {"source": 1, "target": 2}]}
    assert load(written(tmp_path, value)).graphs == [PATH]


def test_repeated_edges_are_merged_and_counted(tmp_path: Path) -> None:
    loaded = load(written(tmp_path, nx.node_link_data(nx.MultiGraph([(0, 1), (1, 0), (1, 2)]))))
    assert loaded.graphs == [PATH]
    assert loaded.report.duplicates_merged == 1


def test_directions_loops_and_weights_follow_the_policy(tmp_path: Path) -> None:
    theirs = nx.DiGraph([(0, 0)])
    theirs.add_edge(0, 1, weight=0.5)
    theirs.add_edge(1, 2)
    path = written(tmp_path, nx.node_link_data(theirs))
    for options, message in [
        (ReadOptions(), r"got weight 0.5 at graph 0"),
        (ReadOptions(weights="ignore"), "got directed ones"),
        (ReadOptions(weights="ignore", directed="symmetrise"), "got node 0 to itself"),
    ]:
        with pytest.raises(InputError, match=message):
            load(path, options=options)
    options = ReadOptions(weights="ignore", directed="symmetrise", self_loops="drop")
    assert load(path, options=options).graphs == [PATH]
    assert load(path, options=ReadOptions(weight_threshold=0.7, directed="symmetrise", self_loops="drop")).graphs == [
        Graph.from_edges([(1, 2)], 3)
    ]


def test_other_attributes_are_reported(tmp_path: Path) -> None:
    theirs = nx.Graph(name="mine")
    theirs.add_node(0, colour="red")
    theirs.add_edge(0, 1, length=2)
    loaded = load(written(tmp_path, nx.node_link_data(theirs)))
    assert loaded.report.columns_ignored == ("name", "colour", "length")


def test_a_node_may_have_one_number_as_feature(tmp_path: Path) -> None:
    value = {"nodes": [{"id": 0, "x": 1}, {"id": 1, "x": 0.5}], "edges": []}
    assert load(written(tmp_path, value)).graphs == [Graph.from_edges([], 2, features=[1, 0.5])]


def test_labels_without_nodes_come_back(tmp_path: Path) -> None:
    graph = Graph.from_edges([], 0, labels=np.zeros(0, int))
    save([graph], tmp_path / "out.json")
    assert load(tmp_path / "out.json").graphs == [graph]


@pytest.mark.parametrize(
    ("value", "fragment"),
    [
        ("{", "expected node-link JSON, got Expecting property name"),
        ("[" * 100_000, "expected node-link JSON"),
        ([], "expected at least one graph, got an empty list"),
        (3, "expected nodes and edges .* got int at graph 0"),
        ([{"nodes": [], "edges": []}, 3], "got int at graph 1"),
        ({"nodes": []}, "got the keys nodes at graph 0"),
        ({"nodes": [], "adjacency": []}, "got the keys adjacency, nodes at graph 0.*networkx.node_link_data"),
        ({"nodes": 3, "edges": []}, "expected a list of objects as nodes"),
        ({"nodes": [], "edges": [3]}, "expected a list of objects as edges"),
        ({"nodes": [{"id": {}}], "edges": []}, "got an object at graph 0"),
        ({"nodes": [{"id": 0}, {"id": 0}], "edges": []}, "expected distinct node ids"),
        ({"nodes": [{"id": 1}, {"id": "1"}], "edges": []}, "expected node ids that differ as text"),
        ({"nodes": NODES, "edges": [{"source": 0, "target": 2}]}, "between declared nodes, got target 2"),
        ({"nodes": NODES, "edges": [{"source": 0}]}, "between declared nodes, got target None"),
        ({"nodes": NODES, "edges": [{"source": 0, "target": 1, "weight": "a"}]}, "expected numbers as weight, got a"),
        ({"nodes": NODES, "edges": [{"source": 0, "target": 1, "weight": [1, 2]}]}, "expected one number as weight"),
        ({"nodes": [{"id": 0, "x": 1}, {"id": 1}], "edges": []}, "expected 'x' on every node"),
        ({"nodes": [{"id": 0, "x": "a"}], "edges": []}, "expected numbers as x, got a"),
        ({"nodes": [{"id": 0, "x": 10**400}], "edges": []}, "expected numbers as x"),
        ({"nodes": [{"x": [1, 2]}, {"x": [1]}], "edges": []}, r"as many features on every node, got \[1, 2\]"),
        ({"nodes": [{"y": 1.5}], "edges": []}, "expected integers as labels y, got 1.5"),
        ({"nodes": [{"y": 2**63}], "edges": []}, "expected integers as labels y"),
    ],
)
def test_other_contents_are_refused(tmp_path: Path, value: Any, fragment: str) -> None:
    with pytest.raises(InputError, match=fragment):
        load(written(tmp_path, value))


def test_graphs_of_which_some_have_features_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected features on every graph or on none"):
        save([PATH, Graph.from_edges([], 1, features=[1])], tmp_path / "out.json")
    assert not (tmp_path / "out.json").exists()
