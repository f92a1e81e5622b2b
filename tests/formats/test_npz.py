from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.formats import ReadOptions, load, save
from sbgd.graph import Graph

# Two graphs, 3 and 2 nodes; small unsigned types as published collections use them.
COLLECTION: dict[str, Any] = {
    "num_nodes": np.array([3, 2], np.uint8),
    "num_edges": np.array([2, 1], np.uint8),
    "edge_index": np.array([[0, 1, 0], [1, 2, 1]], np.uint8),
    "directed": np.array(0, np.uint8),
}


def stored(tmp_path: Path, **changes: Any) -> Path:
    path = tmp_path / "graphs.npz"
    np.savez(path, **{name: array for name, array in (COLLECTION | changes).items() if array is not None})
    return path


def test_small_collection(tmp_path: Path) -> None:
    assert load(stored(tmp_path)).graphs == [Graph.from_edges([(0, 1), (1, 2)], 3), Graph.from_edges([(0, 1)], 2)]


def test_uint8_node_numbers_do_not_overflow(tmp_path: Path) -> None:
    changes = {
        "num_nodes": np.full(3, 250, np.uint8),
        "num_edges": np.ones(3, np.uint8),
        "edge_index": np.array([[0, 1, 2], [249, 249, 249]], np.uint8),
    }
    graphs = load(stored(tmp_path, **changes)).graphs
    assert [graph.edges.tolist() for graph in graphs] == [[[0, 249]], [[1, 249]], [[2, 249]]]


def test_attributes_are_cut_where_graphs_are(tmp_path: Path) -> None:
    changes = {
        "node_attr": np.array([[1], [2], [3], [4], [5]], np.float32),
        "node_label": np.array([0, 1, 2, 3, 4], np.uint8),
        "node_orig_id": np.array([4, 2, 6, 0, 1], np.uint8),
        "graph_label": np.array([-1, 1], np.int8),
        "split_first": np.array([0, 2], np.int8),
        "edge_bond": np.array([1, 2, 1]),
    }
    loaded = load(stored(tmp_path, **changes))
    first, second = loaded.graphs
    assert first == Graph.from_edges(
        [(0, 1), (1, 2)], 3, features=[[1], [2], [3]], labels=[0, 1, 2], node_ids=[4, 2, 6]
    )
    assert second == Graph.from_edges([(0, 1)], 2, features=[[4], [5]], labels=[3, 4])
    assert loaded.extras["graph_label"].tolist() == [-1, 1]
    assert loaded.report.columns_ignored == ("edge_bond",)
    assert loaded.part("test").graphs == [second]


@pytest.mark.parametrize(("data", "expected"), [(None, 1.0), (np.array([2.5, 2.5]), 2.5)])
def test_sparse_features_without_data_are_ones(tmp_path: Path, data: Any, expected: float) -> None:
    changes = {
        "node_feat_indptr": np.array([0, 1, 1, 2, 2, 2], np.uint8),
        "node_feat_indices": np.array([3, 0], np.uint8),
        "node_feat_shape": np.array([5, 4]),
        "node_feat_data": data,
    }
    first, second = load(stored(tmp_path, **changes)).graphs
    assert first.features is not None
    assert second.features is not None
    assert first.features.tolist() == [[0, 0, 0, expected], [0] * 4, [expected, 0, 0, 0]]
    assert second.features.tolist() == [[0] * 4] * 2


def test_directed_collections_follow_the_policy(tmp_path: Path) -> None:
    changes = {"directed": np.array(1), "edge_index": np.array([[0, 1, 0], [1, 0, 1]])}
    path = stored(tmp_path, **changes)
    with pytest.raises(InputError, match=r"got directed ones in .*pass directed=symmetrise"):
        load(path)
    loaded = load(path, options=ReadOptions(directed="symmetrise"))
    assert [graph.num_edges for graph in loaded.graphs] == [1, 1]
    assert "2 directed graphs symmetrised" in loaded.report.lines()
    assert "1 duplicate merged" in loaded.report.lines()


def test_self_loops_name_their_graph(tmp_path: Path) -> None:
    path = stored(tmp_path, edge_index=np.array([[0, 1, 1], [1, 2, 1]]))
    with pytest.raises(InputError, match="got node 1 to itself at graph 1 of"):
        load(path)
    assert load(path, options=ReadOptions(self_loops="drop")).report.self_loops_dropped == 1


def test_non_finite_features_name_graph_node_and_column(tmp_path: Path) -> None:
    features = np.array([[1, 0], [3, 0], [0, 0], [0, 0], [np.nan, np.inf]])
    path = stored(tmp_path, node_feat=features)
    with pytest.raises(
        InputError, match=r"got nan at graph 1, node 1, column 0 of .* \(2 in all\); pass non_finite=mean"
    ):
        load(path)
    loaded = load(path, options=ReadOptions(non_finite="mean"))
    assert loaded.graphs[1].features is not None
    assert loaded.graphs[1].features.tolist() == [[0, 0], [1, 0]]
    assert loaded.report.features_filled == 2


@pytest.mark.parametrize(
    ("changes", "fragment"),
    [
        ({"num_edges": None}, "expected the arrays num_nodes, num_edges, edge_index, got"),
        ({"num_edges": np.array([2, 2])}, r"expected edge_index of shape \(2, 4\) for 2 graphs, got \(2, 3\)"),
        ({"num_edges": np.array([3])}, "for 2 graphs, got .* and 1 edge counts"),
        ({"node_feat": np.ones((4, 2))}, r"expected 5 rows of node_feat, one a node, got shape \(4, 2\)"),
        ({"node_label": np.ones(5)}, "expected integers in node_label, got float64"),
        ({"edge_index": np.array([[0, 1, 0], [1, 2, 2]])}, r"node indices in 0\.\.1, got edge 0 2 at graph 1"),
        ({"graph_label": np.ones(3)}, "expected 2 rows of graph_label"),
        ({"node_feat_indptr": np.array([0, 9])}, r"expected a CSR matrix in node_feat_\*"),
        ({"node_label": np.array([None] * 5)}, "expected plain arrays, got Object arrays cannot be loaded"),
        (
            {"num_nodes": np.zeros(0, int), "num_edges": np.zeros(0, int), "edge_index": np.zeros((2, 0), int)},
            "at least one graph",
        ),
    ],
)
def test_inconsistent_archives_are_refused(tmp_path: Path, changes: dict[str, Any], fragment: str) -> None:
    with pytest.raises(InputError, match=fragment):
        load(stored(tmp_path, **changes))


@pytest.mark.parametrize("share", [0.3, 0.95])
def test_a_truncated_archive_is_refused(tmp_path: Path, share: float) -> None:
    path = stored(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(InputError, match="expected a complete npz archive"):
        load(path)


def test_splits_and_values_of_graphs_come_back(tmp_path: Path) -> None:
    graphs = [Graph.from_edges([(0, 1)], 2), Graph.from_edges([], 1)]
    path = tmp_path / "graphs.npz"
    save(graphs, path, splits={"mine": np.array([2, 0], np.int8)}, extras={"graph_y": np.array([0.5, 0.25])})
    loaded = load(path)
    assert loaded.part("train", "mine").graphs == graphs[1:]
    assert loaded.part("test").extras["graph_y"].tolist() == [0.5]


def test_the_fewest_bytes_are_used(tmp_path: Path) -> None:
    path = tmp_path / "graphs.npz"
    save([Graph.from_edges([(0, 299)], 300)], path)
    with np.load(path) as arrays:
        assert {name: arrays[name].dtype.name for name in ("num_nodes", "num_edges", "edge_index")} == {
            "num_nodes": "uint16",
            "num_edges": "uint8",
            "edge_index": "uint16",
        }


def test_zero_node_graphs_are_kept_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "graphs.npz"
    save([Graph.from_edges([], 0), Graph.from_edges([], 1)], path)
    loaded = load(path)
    assert [graph.num_nodes for graph in loaded.graphs] == [0, 1]
    assert "1 graph without nodes kept" in loaded.report.lines()
