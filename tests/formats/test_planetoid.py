import io
import pickle  # noqa: TID251 - makes the files under test
import struct
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from sbgd.errors import InputError
from sbgd.formats import ReadOptions, load
from sbgd.graph import Graph


class Python2Pickler(pickle._Pickler):
    """Writes bytes as Python 2 wrote its strings, and names modules as they were called then."""

    dispatch = {  # noqa: RUF012 - the name and kind that the base class has
        **pickle._Pickler.dispatch,
        bytes: lambda self, value: self.write(b"T" + struct.pack("<i", len(value)) + value),
    }


def python2_pickle(value: Any) -> bytes:
    buffer = io.BytesIO()
    Python2Pickler(buffer, protocol=2).dump(value)
    renamed = buffer.getvalue().replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
    return renamed.replace(b"scipy.sparse._csr", b"scipy.sparse.csr")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Five nodes: 0 to train, 1 and 2 known, 4 to test, 3 without any row."""
    parts = {
        "x": sparse.csr_matrix([[1.0, 0.0]]),
        "y": np.array([[1, 0]]),
        "allx": sparse.csr_matrix([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]),
        "ally": np.array([[1, 0], [0, 1], [1, 0]]),
        "tx": sparse.csr_matrix([[1.0, 1.0]]),
        "ty": np.array([[0, 1]]),
        "graph": defaultdict(list, {0: [1, 1], 1: [0, 0, 2], 2: [1, 4], 3: [], 4: [2]}),
    }
    for part, value in parts.items():
        (tmp_path / f"ind.toy.{part}").write_bytes(python2_pickle(value))
    (tmp_path / "ind.toy.test.index").write_text("4\n")
    return tmp_path


EXPECTED = Graph.from_edges(
    [(0, 1), (1, 2), (2, 4)],
    5,
    features=[[1, 0], [0, 1], [0, 0], [0, 0], [1, 1]],
    labels=[0, 1, 0, -1, 1],
)


@pytest.mark.parametrize("name", ["", "ind.toy.graph", "ind.toy.allx"])
def test_folder_and_any_part_read_the_same_graph(folder: Path, name: str) -> None:
    loaded = load(folder / name)
    assert loaded.graphs == [EXPECTED]
    assert loaded.report.duplicates_merged == 2
    assert loaded.splits["public"].tolist() == [0, 1, 1, 1, 2]
    assert loaded.digest == load(folder).digest


@pytest.mark.parametrize(
    "payload",
    [
        b"cos\nsystem\n(S'touch {marker}'\ntR.",
        b"cposix\nsystem\n(S'touch {marker}'\ntR.",
        b'c__builtin__\neval\n(S\'open("{marker}", "w")\'\ntR.',
        b'cbuiltins\nexec\n(S\'open("{marker}", "w")\'\ntR.',
        b"cnumpy\nload\n(S'{marker}'\ntR.",
        b"cnumpy\nndarray.tofile\n(S'{marker}'\ntR.",
        b"cscipy.sparse.csr\nnp.save\n(S'{marker}'\ntR.",
        b"\x80\x04\x8c\x02os\x8c\x06system\x93(S'touch {marker}'\ntR.",
        b"\x80\x02(S'touch {marker}'\nios\nsystem\n.",
        b"\x82\x01.",
        b"S'{marker}'\nQ.",
    ],
)
def test_a_pickle_that_names_anything_else_is_refused_and_runs_nothing(folder: Path, payload: bytes) -> None:
    marker = folder / "marker"
    (folder / "ind.toy.allx").write_bytes(payload.replace(b"{marker}", str(marker).encode()))
    with pytest.raises(InputError, match=r"expected a (complete )?Planetoid part, got .*ind\.toy\.allx"):
        load(folder)
    assert not marker.exists()


def test_the_forbidden_name_is_told(folder: Path) -> None:
    (folder / "ind.toy.ty").write_bytes(b"cos\nsystem\n(S'true'\ntR.")
    with pytest.raises(InputError, match=r"the forbidden name os\.system in .*ind\.toy\.ty; do not trust this file"):
        load(folder)


def test_a_matrix_that_points_outside_itself_is_refused(folder: Path) -> None:
    matrix = sparse.csr_matrix([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    matrix.indices = np.array([0, 10**6], np.int32)
    (folder / "ind.toy.allx").write_bytes(python2_pickle(matrix))
    with pytest.raises(InputError, match="expected a complete Planetoid part"):
        load(folder)


def test_truncated_and_missing_parts_are_refused(folder: Path) -> None:
    whole = (folder / "ind.toy.allx").read_bytes()
    (folder / "ind.toy.allx").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="expected a complete Planetoid part"):
        load(folder)
    (folder / "ind.toy.allx").unlink()
    with pytest.raises(InputError, match=r"got no such file: .*allx"):
        load(folder)


def test_rows_that_do_not_match_are_refused(folder: Path) -> None:
    (folder / "ind.toy.test.index").write_text("4\n3\n")
    with pytest.raises(InputError, match="expected rows for 5 nodes, got 3 in allx, 1 in tx and 2 test nodes"):
        load(folder)
    (folder / "ind.toy.test.index").write_text("four\n")
    with pytest.raises(InputError, match="expected one node a line"):
        load(folder)


def test_self_loops_follow_the_policy(folder: Path) -> None:
    (folder / "ind.toy.graph").write_bytes(python2_pickle({0: [1, 0], 1: [0], 2: [], 3: [], 4: []}))
    with pytest.raises(InputError, match="got node 0 to itself"):
        load(folder)
    assert load(folder, options=ReadOptions(self_loops="drop")).graphs[0].edges.tolist() == [[0, 1]]


@pytest.mark.parametrize("value", [[1, 2], {"a": [1]}, {0: 3}])
def test_a_graph_part_of_another_kind_is_refused(folder: Path, value: Any) -> None:
    (folder / "ind.toy.graph").write_bytes(python2_pickle(value))
    with pytest.raises(InputError, match="expected a dictionary of neighbours"):
        load(folder)


def test_two_graphs_in_a_folder_ask_for_a_choice(folder: Path) -> None:
    (folder / "ind.other.graph").write_bytes(b"x")
    with pytest.raises(InputError, match=r"got other, toy in .*name one ind\.NAME.graph"):
        load(folder)
