import zipfile
from pathlib import Path

import pytest

from sbgd.errors import InputError
from sbgd.formats import load
from sbgd.graph import Graph

# Two graphs: a path of three nodes whose edges are listed twice, and two nodes with one edge.
PARTS = {
    "A": "1, 2\n2, 1\n1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n",
    "graph_indicator": "1\n1\n1\n2\n2\n",
    "graph_labels": "-1\n1\n",
    "node_labels": "0\n1\n0\n3\n3\n",
    "node_attributes": "0.5, 1\n0, 0\n0, 0\n2, 2\n1e-3, 0\n",
    "edge_labels": "0\n0\n0\n0\n0\n0\n0\n0\n",
}
EXPECTED = [
    Graph.from_edges([(0, 1), (1, 2)], 3, features=[[0.5, 1], [0, 0], [0, 0]], labels=[0, 1, 0]),
    Graph.from_edges([(0, 1)], 2, features=[[2, 2], [1e-3, 0]], labels=[3, 3]),
]


def zipped(path: Path, **changes: str | None) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in (PARTS | changes).items():
            if text is not None:
                archive.writestr(f"TOY//TOY_{name}.txt", text)
        archive.writestr("TOY//README.txt~", "stray")
        archive.writestr("TOY//README.txt", "stray")
    return path


def test_zip_with_double_slash_stray_files_and_edges_listed_twice(tmp_path: Path) -> None:
    loaded = load(zipped(tmp_path / "TOY.zip"))
    assert loaded.graphs == EXPECTED
    assert loaded.extras["graph_label"].tolist() == [-1, 1]
    assert loaded.report.duplicates_merged == 2
    assert loaded.report.columns_ignored == ("TOY_edge_labels.txt",)


def test_a_zip_without_a_telling_name_is_recognised(tmp_path: Path) -> None:
    assert load(zipped(tmp_path / "TOY.download")).graphs == EXPECTED


def test_an_unpacked_folder_reads_the_same(tmp_path: Path) -> None:
    for name, text in PARTS.items():
        (tmp_path / f"TOY_{name}.txt").write_text(text)
    assert load(tmp_path).graphs == EXPECTED


def test_a_collection_without_edges_keeps_its_nodes(tmp_path: Path) -> None:
    path = zipped(tmp_path / "TOY.zip", A="", node_labels=None, node_attributes=None)
    assert load(path).graphs == [Graph.from_edges([], 3), Graph.from_edges([], 2)]


@pytest.mark.parametrize(
    ("changes", "fragment"),
    [
        ({"A": "1, 4\n"}, "expected edges inside a graph, got one between two at line 1"),
        ({"A": "1, 9\n"}, r"expected nodes in 1\.\.5, got \[1 9\] at line 1"),
        ({"A": "1, x\n"}, "expected numbers in TOY_A.txt"),
        ({"A": "1\n"}, "expected two nodes a line of A, got 1"),
        ({"A": None}, "expected one NAME_A.txt"),
        ({"graph_indicator": "1\n2\n1\n2\n2\n"}, "expected graph numbers from 1 in rising order"),
        ({"node_labels": "0\n"}, "expected 5 lines of node_labels, got 1"),
        ({"node_labels": "0.5\n0\n0\n0\n0\n"}, "expected integers in node_labels, got 0.5"),
        ({"graph_labels": "1\n"}, "expected 2 graph labels, got 1"),
        ({"A": "1, 2\n3, 3\n"}, "got node 2 to itself at line 2"),
    ],
)
def test_parts_that_do_not_match_are_refused(tmp_path: Path, changes: dict[str, str | None], fragment: str) -> None:
    with pytest.raises(InputError, match=fragment):
        load(zipped(tmp_path / "TOY.zip", **changes))


def test_a_truncated_zip_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "TOY.zip")
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(InputError, match="expected a complete zip archive"):
        load(path)
