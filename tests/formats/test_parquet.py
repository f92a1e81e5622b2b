from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sbgd.errors import InputError
from sbgd.formats import ReadOptions, load, save
from sbgd.graph import Graph


def stored(tmp_path: Path, columns: dict[str, Any]) -> Path:
    pq.write_table(pa.table(columns), tmp_path / "edges.parquet")
    return tmp_path / "edges.parquet"


@pytest.mark.parametrize(
    "columns",
    [
        {"source": [0, 1], "target": [1, 2]},
        {"weight": [1.0, 1.0], "src": [0, 1], "dst": [1, 2]},
        {"left": [0, 1], "right": [1, 2]},
        {"graph_id": [5, 5], "source": [0, 1], "target": [1, 2]},
    ],
)
def test_tables_of_other_tools(tmp_path: Path, columns: dict[str, Any]) -> None:
    assert load(stored(tmp_path, columns)).graphs == [Graph.from_edges([(0, 1), (1, 2)], 3)]


def test_several_graphs_in_any_row_order(tmp_path: Path) -> None:
    columns = {"graph": ["b", "a", "b"], "source": ["x", "p", "y"], "target": ["y", "q", "z"], "time": [1, 2, 3]}
    loaded = load(stored(tmp_path, columns))
    assert loaded.graphs == [
        Graph.from_edges([(0, 1)], 2, node_ids=["p", "q"]),
        Graph.from_edges([(0, 1), (1, 2)], 3, node_ids=["x", "y", "z"]),
    ]
    assert loaded.report.columns_ignored == ("time",)


def test_weights_follow_the_policy(tmp_path: Path) -> None:
    path = stored(tmp_path, {"source": [0, 1], "target": [1, 2], "weight": [0.5, 2.0]})
    with pytest.raises(InputError, match=r"got weight 0\.5"):
        load(path)
    assert load(path, options=ReadOptions(weight_threshold=1)).graphs[0].edges.tolist() == [[1, 2]]


@pytest.mark.parametrize(
    ("columns", "fragment"),
    [
        ({"source": [0, None], "target": [1, 2]}, "expected no nulls, got 1 in column source"),
        ({"source": [0.5], "target": [1.0]}, "expected integers or text in source and target, got float64"),
        ({"source": [1]}, "expected columns source and target, got source"),
        ({"source": pa.array([], pa.int64()), "target": pa.array([], pa.int64())}, "expected edges, got none"),
    ],
)
def test_unusable_tables_are_refused(tmp_path: Path, columns: dict[str, Any], fragment: str) -> None:
    with pytest.raises(InputError, match=fragment):
        load(stored(tmp_path, columns))


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    path = stored(tmp_path, {"source": [0], "target": [1]})
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(InputError, match="expected a complete Parquet file"):
        load(path)


def test_edges_are_plain_columns_for_other_tools(tmp_path: Path) -> None:
    path = tmp_path / "out.parquet"
    save([Graph.from_edges([(0, 1)], 2, node_ids=["a", "b"]), Graph.from_edges([(1, 2)], 3)], path)
    assert pq.read_table(path).to_pydict() == {"graph": [0, 1], "source": [0, 1], "target": [1, 2]}
    nodes = pq.read_table(tmp_path / "out.nodes.parquet").to_pydict()
    assert nodes["id"] == ["a", "b", "0", "1", "2"]
    assert nodes["node"] == [0, 1, 0, 1, 2]


def test_node_files_must_be_those_written_with_the_edges(tmp_path: Path) -> None:
    path = tmp_path / "out.parquet"
    save([Graph.from_edges([(0, 1)], 2, labels=[1, 2])], path)
    other = (tmp_path / "out.nodes.parquet").read_bytes()
    save([Graph.from_edges([(0, 1)], 2, labels=[3, 4])], path)
    (tmp_path / "out.nodes.parquet").write_bytes(other)
    with pytest.raises(InputError, match=r"expected the node file written with out\.parquet, got another"):
        load(path)
    (tmp_path / "out.nodes.parquet").unlink()
    with pytest.raises(InputError, match=r"got no such file: .*out\.nodes\.parquet"):
        load(path)
