from pathlib import Path

import pytest

from sbgd.errors import InputError
from sbgd.formats import LoadedGraphs, ReadOptions, load
from sbgd.graph import Graph


def read(tmp_path: Path, text: str, options: ReadOptions | None = None) -> LoadedGraphs:
    file = tmp_path / "example.graph"
    file.write_text(text)
    return load(file, options=options)


def test_neighbours_count_from_one_and_empty_lines_are_isolated_nodes(tmp_path: Path) -> None:
    loaded = read(tmp_path, "% comment\n5 2\n2\n1 3\n2\n\n\n")
    assert loaded.graphs == [Graph.from_edges([(0, 1), (1, 2)], 5)]
    assert loaded.report.comments == 1
    assert loaded.report.duplicates_merged == 0


def test_node_weights_are_skipped_and_reported(tmp_path: Path) -> None:
    loaded = read(tmp_path, "2 1 10 2\n7 8 2\n9 9 1\n")
    assert loaded.graphs == [Graph.from_edges([(0, 1)], 2)]
    assert "not used: node weights" in loaded.report.lines()


def test_edge_weights_follow_the_policy(tmp_path: Path) -> None:
    text = "3 2 1\n2 5\n1 5 3 1\n2 1\n"
    with pytest.raises(InputError, match="got weight 5 at line 2 of"):
        read(tmp_path, text)
    assert read(tmp_path, text, ReadOptions(weights="ignore")).graphs[0].num_edges == 2
    assert read(tmp_path, text, ReadOptions(weight_threshold=2)).graphs[0].edges.tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("3 1\n2\n1\n", "expected 3 node lines as the header says, got 2"),
        ("2 2\n2\n1\n", "expected 4 neighbours, twice the header's 2 edges, got 2"),
        ("2 1\n3\n1\n", r"expected neighbours in 1\.\.2, got 3 at line 2"),
        ("3 1\n2\n3\n\n", "expected every edge at both of its nodes, got 1 2 only at line 2"),
        ("two 1\n2\n1\n", "expected a METIS header"),
        ("2 1 7\n2\n1\n", "expected fmt of up to three digits"),
        ("2 1 1\n2\n1\n", "expected neighbours with a weight each, got 1 fields at line 2"),
        ("2 1\nx\n1\n", "expected numbers in"),
        ("% nothing\n", "expected a METIS header"),
        ("2 1\n1 2\n\n", "expected every edge at both of its nodes"),
    ],
)
def test_contradictions_are_refused(tmp_path: Path, text: str, fragment: str) -> None:
    with pytest.raises(InputError, match=fragment):
        read(tmp_path, text)
