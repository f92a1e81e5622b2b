from pathlib import Path

import pytest

from sbgd.errors import InputError
from sbgd.formats import ReadOptions, load
from sbgd.graph import Graph

EXPECTED = [Graph.from_edges([(0, 1), (1, 2)], 4)]
HEAD = "%%MatrixMarket matrix coordinate"


def market(tmp_path: Path, text: str, name: str = "graph.mtx") -> Path:
    (tmp_path / name).write_text(text)
    return tmp_path / name


@pytest.mark.parametrize("name", ["graph.mtx", "graph"])
def test_symmetric_patterns(tmp_path: Path, name: str) -> None:
    loaded = load(market(tmp_path, f"{HEAD} pattern symmetric\n% note\n4 4 2\n2 1\n3 2\n", name))
    assert loaded.graphs == EXPECTED
    assert loaded.report.duplicates_merged == 0


def test_general_matrices_are_directed(tmp_path: Path) -> None:
    path = market(tmp_path, f"{HEAD} pattern general\n4 4 2\n2 1\n3 2\n")
    with pytest.raises(InputError, match="got directed ones"):
        load(path)
    assert load(path, options=ReadOptions(directed="symmetrise")).graphs == EXPECTED


def test_the_size_line_is_no_edge_under_another_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"got a Matrix Market file: .*graph\.txt; name it \.mtx"):
        load(market(tmp_path, f"{HEAD} pattern symmetric\n4 4 1\n2 1\n", "graph.txt"))


def test_values_are_weights(tmp_path: Path) -> None:
    path = market(tmp_path, f"{HEAD} real symmetric\n4 4 3\n2 1 1\n3 2 0.5\n4 1 0\n")
    with pytest.raises(InputError, match=r"got weight 0\.5 at line 4 of .* \(2 edges not 1\)"):
        load(path)
    assert load(path, options=ReadOptions(weight_threshold=0)).graphs == EXPECTED


def test_general_symmetric_matrices_are_undirected(tmp_path: Path) -> None:
    path = market(tmp_path, f"{HEAD} integer general\n4 4 4\n2 1 1\n1 2 1\n3 2 1\n2 3 1\n")
    assert load(path).graphs == EXPECTED


def test_a_matrix_without_entries_keeps_its_nodes(tmp_path: Path) -> None:
    assert load(market(tmp_path, f"{HEAD} pattern symmetric\n3 3 0\n")).graphs == [Graph.from_edges([], 3)]


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        (f"{HEAD} pattern general\n2 3 1\n2 1\n", "expected 'rows columns entries' of a square matrix, got '2 3 1'"),
        (f"{HEAD} complex general\n2 2 1\n2 1 1 1\n", "expected '%%MatrixMarket matrix coordinate'"),
        (f"{HEAD} pattern general\n2 2 3\n2 1\n", "expected 3 entries as stated, got 1"),
        (f"{HEAD} pattern symmetric\n2 2 1\n2 1 1\n", "expected row, column on every line"),
        (f"{HEAD} real symmetric\n2 2 1\n2 1 x\n", "expected numbers as values"),
        (f"{HEAD} pattern symmetric\n2 2 1\n3 1\n", r"expected rows and columns in 1\.\.2, got others at line 3"),
        ("nothing\n", "got 'nothing' in"),
    ],
)
def test_other_matrices_are_refused(tmp_path: Path, text: str, fragment: str) -> None:
    with pytest.raises(InputError, match=fragment):
        load(market(tmp_path, text))
