"""Edge types in files: kept by the formats that hold them, refused by the others, one type an edge."""

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from torch_geometric.data import Data

from sbgd.errors import InputError
from sbgd.formats import FORMATS, load, save
from sbgd.formats.loading import TYPED
from sbgd.graph import Graph

SUFFIXES = {"npz": ".npz", "parquet": ".parquet", "nodelink": ".json"}
TYPES = {
    "several types": [Graph.from_edges([(2, 1), (0, 1)], 3, edge_types=[3, 1])],
    "with labels and ids": [
        Graph.from_edges([(0, 1)], 2, labels=[6, 8], edge_types=[2], node_ids=["a", "b"]),
        Graph.from_edges([(0, 1), (1, 2)], 3, labels=[6, 6, 7], edge_types=[0, 70_000]),
    ],
}


@pytest.mark.parametrize("name", TYPED)
@pytest.mark.parametrize("case", TYPES)
def test_types_come_back(name: str, case: str, tmp_path: Path) -> None:
    path = tmp_path / f"typed{SUFFIXES[name]}"
    save(TYPES[case], path)
    assert load(path).graphs == TYPES[case]


@pytest.mark.parametrize("name", sorted({name for name, entry in FORMATS.items() if entry.write} - set(TYPED)))
def test_formats_without_types_refuse_them(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"expected npz, parquet, nodelink for graphs with edge types, got {name}"):
        save(TYPES["several types"], tmp_path / "typed", format=name)
    assert not list(tmp_path.iterdir())


def test_types_follow_their_edges_whatever_the_order() -> None:
    graph = Graph.from_edges([(2, 1), (0, 1), (0, 2)], 3, edge_types=[7, 5, 9])
    kinds = {tuple(edge): kind for edge, kind in zip(graph.edges.tolist(), graph.edge_types.tolist(), strict=True)}
    assert kinds == {(0, 1): 5, (0, 2): 9, (1, 2): 7}


def test_networkx_and_pyg_carry_types() -> None:
    other = nx.Graph([(0, 1, {"edge_type": 4}), (1, 2, {"edge_type": 2})])
    graph = Graph.from_networkx(other)
    assert graph.edge_types.tolist() == [4, 2]
    assert Graph.from_networkx(graph.to_networkx()) == graph
    data = graph.to_pyg()
    assert isinstance(data, Data)
    assert Graph.from_pyg(data) == graph


def write(path: Path, edges: list[tuple[int, int, object]]) -> Path:
    links = [{"source": u, "target": v, "edge_type": kind} for u, v, kind in edges]
    document = {"directed": False, "multigraph": False, "graph": {}, "nodes": [{"id": i} for i in range(3)]}
    path.write_text(json.dumps({**document, "edges": links}))
    return path


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([(0, 1, 1), (1, 0, 2)], "expected one type of at least 0 for every edge"),
        ([(0, 1, 1), (1, 2, -1)], "expected one type of at least 0 for every edge, got -1"),
        ([(0, 1, 1), (1, 2, "double")], "expected an integer edge_type on every edge, got 'double'"),
        ([(0, 1, 1), (1, 2, None)], "expected an integer edge_type on every edge, got None"),
    ],
)
def test_types_that_contradict_each_other_or_are_none_are_refused(
    edges: list[tuple[int, int, object]], message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        load(write(tmp_path / "bad.json", edges))


def test_an_edge_that_is_listed_twice_with_one_type_is_one_edge(tmp_path: Path) -> None:
    (graph,) = load(write(tmp_path / "twice.json", [(0, 1, 1), (1, 0, 1), (1, 2, 3)])).graphs
    assert graph.edge_types.tolist() == [1, 3]


def test_atomic_numbers_and_bond_orders_are_labels_and_types(tmp_path: Path) -> None:
    path = tmp_path / "molecule.npz"
    save(TYPES["with labels and ids"][1:], path)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    arrays["node_atomic_number"], arrays["edge_bond_order"] = arrays.pop("node_label"), arrays.pop("edge_type")
    np.savez(path, **arrays)
    assert load(path).graphs == TYPES["with labels and ids"][1:]
