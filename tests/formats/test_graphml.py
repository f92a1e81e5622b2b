from pathlib import Path

import networkx as nx
import pytest

from sbgd.errors import InputError
from sbgd.formats import ReadOptions, load, save
from sbgd.graph import Graph

HEAD = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'


def written(tmp_path: Path, body: str, head: str = HEAD) -> Path:
    path = tmp_path / "graph.graphml"
    path.write_text(f"{head}{body}</graphml>")
    return path


def test_features_follow_their_nodes(tmp_path: Path) -> None:
    body = (
        '<key id="d0" for="node" attr.name="x0" attr.type="double"/><graph edgedefault="undirected">'
        + "".join(f'<node id="{i}"><data key="d0">{i}</data></node>' for i in (4, 2, 6))
        + '<edge source="4" target="6"/><edge source="2" target="6"/></graph>'
    )
    graph = load(written(tmp_path, body)).graphs[0]
    assert graph == Graph.from_edges([(0, 2), (1, 2)], 3, features=[4, 2, 6], node_ids=[4, 2, 6])
    save([graph], tmp_path / "again.graphml")
    assert load(tmp_path / "again.graphml").graphs == [graph]


def test_networkx_and_we_read_each_other(tmp_path: Path) -> None:
    theirs = nx.Graph([("a", "b"), ("b", "c")])
    theirs.add_node("lonely")
    nx.write_graphml(theirs, tmp_path / "theirs.graphml")
    graph = load(tmp_path / "theirs.graphml").graphs[0]
    assert graph == Graph.from_edges([(0, 1), (1, 2)], 4, node_ids=["a", "b", "c", "lonely"])
    save([graph], tmp_path / "ours.graphml")
    ours = nx.read_graphml(tmp_path / "ours.graphml")
    assert set(ours.nodes) == set(theirs.nodes)
    assert set(map(frozenset, ours.edges)) == set(map(frozenset, theirs.edges))


def test_directed_graphs_and_weights_follow_the_policy(tmp_path: Path) -> None:
    theirs = nx.DiGraph()
    theirs.add_edge("a", "b", weight=0.5)
    path = tmp_path / "theirs.graphml"
    nx.write_graphml(theirs, path)
    with pytest.raises(InputError, match=r"got weight 0.5"):
        load(path)
    with pytest.raises(InputError, match="got directed ones"):
        load(path, options=ReadOptions(weights="ignore"))
    assert load(path, options=ReadOptions(weights="ignore", directed="symmetrise")).graphs[0].num_edges == 1


def test_other_attributes_are_reported(tmp_path: Path) -> None:
    theirs = nx.Graph()
    theirs.add_node("a", colour="red")
    nx.write_graphml(theirs, tmp_path / "theirs.graphml")
    assert load(tmp_path / "theirs.graphml").report.columns_ignored == ("colour",)


def test_entities_are_refused(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + HEAD
    with pytest.raises(InputError, match="expected GraphML without a DOCTYPE"):
        load(written(tmp_path, "<graph/>", head=bomb))


@pytest.mark.parametrize(
    ("body", "fragment"),
    [
        (
            '<graph><node id="a"/><edge source="a" target="b"/></graph>',
            "expected edges between declared nodes, got target 'b'",
        ),
        ('<graph><node id="a"/><node id="a"/></graph>', "expected distinct node ids"),
        ("<graph/><graph/>", "expected one graph without hyperedges, got 2 graphs"),
        ("<graph><hyperedge/></graph>", "without hyperedges"),
        ("<graph>", "expected well-formed GraphML, got mismatched tag"),
        (
            '<key id="x0" for="node" attr.name="x0"/><graph><node id="a"/></graph>',
            "expected 'x0' on every node, got a node without",
        ),
        (
            '<key id="y" for="node" attr.name="y"/><graph><node id="a"><data key="y">red</data></node></graph>',
            "expected numbers in y",
        ),
        (
            '<key id="sbgd" for="graph" attr.name="sbgd"/><graph><data key="sbgd">{</data></graph>',
            "expected JSON in the graph's entry 'sbgd'",
        ),
    ],
)
def test_malformed_documents_are_refused(tmp_path: Path, body: str, fragment: str) -> None:
    with pytest.raises(InputError, match=fragment):
        load(written(tmp_path, body))


def test_ids_that_xml_cannot_hold_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected node ids that XML can hold"):
        save([Graph.from_edges([], 1, node_ids=["\x01"])], tmp_path / "out.graphml")
    assert not (tmp_path / "out.graphml").exists()
