from pathlib import Path

import pytest
from scipy import io, sparse

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
    path = market(tmp_path, f"{HEAD} pattern symmetric\n% note\n4 4 2\n2 1\n3 2\n", name)
    assert load(path).graphs == EXPECTED


def test_general_matrices_are_directed(tmp_path: Path) -> None:
    path = market(tmp_path, f"{HEAD} pattern general\n4 4 2\n2 1\n3 2\n")
    with pytest.raises(InputError, match="got directed ones"):
        load(path)
    assert load(path, options=ReadOptions(directed="symmetrise")).graphs == EXPECTED


def test_the_size_line_is_no_edge_under_another_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"got a Matrix Market file: .*graph\.txt; name it \.mtx"):
        load(market(tmp_path, f"{HEAD} pattern symmetric\n4 4 1\n2 1\n", "graph.txt"))


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        (f"{HEAD} real symmetric\n2 2 1\n2 1 0.5\n", "got weight 0.5"),
        (f"{HEAD} pattern general\n2 3 1\n2 1\n", "expected a square matrix, got 2 x 3"),
        (f"{HEAD} pattern general\n2 2 3\n2 1\n", "expected a Matrix Market file"),
        ("nothing\n", "expected a Matrix Market file"),
    ],
)
def test_other_matrices_are_refused(tmp_path: Path, text: str, fragment: str) -> None:
    with pytest.raises(InputError, match=fragment):
        load(market(tmp_path, text))


def test_matlab_files_give_their_only_matrix(tmp_path: Path) -> None:
    path = tmp_path / "graph.mat"
    adjacency = sparse.csc_array(EXPECTED[0].to_scipy())
    io.savemat(path, {"A": adjacency, "local_info": [[1, 2]]})
    loaded = load(path)
    assert loaded.graphs == EXPECTED
    assert loaded.report.columns_ignored == ("local_info",)
    io.savemat(path, {"A": adjacency, "B": adjacency})
    with pytest.raises(InputError, match="expected one square sparse matrix, got A, B"):
        load(path)
    path.write_bytes(b"MATLAB 5.0 nothing")
    with pytest.raises(InputError, match="expected a MATLAB file"):
        load(path)
