import json
import pickle  # noqa: TID251 - makes the files under test
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.formats import LoadedGraphs, ReadReport, load, save
from sbgd.graph import Graph

EDGE, PATH = Graph.from_edges([(0, 1)], 2), Graph.from_edges([(0, 1), (1, 2)], 3)


def test_missing_files_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected a graph file, got no such file: .*nowhere"):
        load(tmp_path / "nowhere.npz")


@pytest.mark.parametrize(
    "name", ["a.npz", "a.edges", "a.graphml", "a.parquet", "a.graph", "a.zip", "a.mtx", "a.pt", "a"]
)
def test_empty_files_are_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(InputError, match="expected a graph file, got an empty one"):
        load(tmp_path / name)


def test_truncated_gzip_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.edges.gz"
    save([PATH], path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InputError, match="expected a complete gzip file"):
        load(path)


@pytest.mark.parametrize("name", ["graphs.pkl", "graphs.bin"])
@pytest.mark.parametrize("value", [[nx.path_graph(3)], {"train": [nx.path_graph(3)]}])
def test_pickles_are_refused_with_a_way_out(tmp_path: Path, name: str, value: object) -> None:
    (tmp_path / name).write_bytes(pickle.dumps(value))
    with pytest.raises(InputError, match=r"got a pickle: .*never unpickled: convert it .*from_networkx"):
        load(tmp_path / name)


@pytest.mark.parametrize("data", [b"\x00\x01\x02\x03", b"word\n", b"(\n\x07 1)"])
def test_unknown_content_lists_the_readable_formats(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "thing.bin").write_bytes(data)
    with pytest.raises(InputError, match=r"expected a graph file \(npz, edgelist, .*\), got something else"):
        load(tmp_path / "thing.bin")


@pytest.mark.parametrize("suffix", [".npz", ".edges", ".graphml", ".parquet"])
def test_formats_are_recognised_without_a_suffix(tmp_path: Path, suffix: str) -> None:
    save([PATH], tmp_path / f"graph{suffix}")
    (tmp_path / f"graph{suffix}").rename(tmp_path / "graph")
    assert load(tmp_path / "graph").graphs == [PATH]


def test_a_format_may_be_named(tmp_path: Path) -> None:
    (tmp_path / "a.dat").write_text("2 1\n2\n1\n")
    assert load(tmp_path / "a.dat", format="metis").graphs == [EDGE]
    with pytest.raises(InputError, match=r"expected a format among npz, .*, got dot"):
        load(tmp_path / "a.dat", format="dot")


@pytest.mark.parametrize("suffix", [".edges", ".graphml"])
def test_several_graphs_make_a_folder_in_their_order(tmp_path: Path, suffix: str) -> None:
    graphs = [Graph.from_edges([], size) for size in range(12)]
    save(graphs, tmp_path / f"out{suffix}")
    assert load(tmp_path / f"out{suffix}").graphs == graphs


def test_a_folder_reads_its_files_by_name_and_passes_over_others(tmp_path: Path) -> None:
    save([PATH], tmp_path / "b.npz")
    (tmp_path / "a.csv").write_text("0,1\n1,0\n")
    (tmp_path / "README.txt").write_text("not a graph")
    (tmp_path / "notes.json").write_text("{}")
    (tmp_path / ".hidden.txt").write_text("0 1\n")
    save([Graph.from_edges([], 1, labels=[3])], tmp_path / "c.parquet")
    loaded = load(tmp_path)
    assert loaded.graphs == [EDGE, PATH, Graph.from_edges([], 1, labels=[3])]
    assert loaded.report.edges_kept == 3
    assert loaded.report.duplicates_merged == 1
    assert loaded.format == "edgelist+npz+parquet"


def test_a_folder_of_samples_reads_as_its_graphs(tmp_path: Path) -> None:
    save([EDGE, PATH], tmp_path / "graphs.npz")
    (tmp_path / "manifest.json").write_text(json.dumps({"seed": 0}))
    (tmp_path / "sizes.csv").write_text("graph,nodes\n0,2\n1,3\n")
    assert load(tmp_path).graphs == [EDGE, PATH]


def test_an_empty_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected graph files .* got none in folder"):
        load(tmp_path)


def test_feature_widths_that_differ_name_both_files(tmp_path: Path) -> None:
    save([Graph.from_edges([], 1, features=[[1.0, 2.0]])], tmp_path / "a.npz")
    save([Graph.from_edges([], 1, features=[[1.0]])], tmp_path / "b.npz")
    with pytest.raises(InputError, match=r"got 2 in .*a\.npz and 1 in .*b\.npz"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("path", "name", "fragment"),
    [
        ("out.dot", None, "expected a format to write among npz, edgelist, graphml, parquet, nodelink, got out.dot"),
        ("out.graph", None, "got out.graph"),
        ("out", "metis", "got metis"),
        ("out", "nonsense", "expected a format among"),
    ],
)
def test_what_cannot_be_written_is_one_line(tmp_path: Path, path: str, name: str | None, fragment: str) -> None:
    with pytest.raises(InputError, match=fragment):
        save([PATH], tmp_path / path, name)


def test_nothing_to_write_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected at least one graph to write, got none"):
        save([], tmp_path / "out.npz")


def test_features_on_some_graphs_only_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected features on every graph or on none, got 1 of 2"):
        save([PATH, Graph.from_edges([], 1, features=[[1.0]])], tmp_path / "out.npz")
    assert list(tmp_path.iterdir()) == []


def test_splits_need_npz(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected npz for splits"):
        save([PATH], tmp_path / "out.graphml", splits={"mine": np.zeros(1, np.int8)})


def test_a_full_folder_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "precious").touch()
    with pytest.raises(InputError, match="expected a new or empty folder for 2 files"):
        save([PATH, EDGE], tmp_path / "out", "edgelist")
    assert [file.name for file in tmp_path.iterdir()] == ["out"]


def test_a_failed_write_leaves_the_old_file_and_no_scraps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.npz"
    save([PATH], path)

    def full_disk(source: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full_disk)
    with pytest.raises(InputError, match="got No space left on device"):
        save([EDGE], path)
    assert [file.name for file in tmp_path.iterdir()] == ["out.npz"]
    assert load(path).graphs == [PATH]


def loaded(splits: dict[str, list[int]], num_graphs: int = 3) -> LoadedGraphs:
    graphs = [Graph.from_edges([], size) for size in range(num_graphs)]
    arrays = {name: np.array(split, np.int8) for name, split in splits.items()}
    return LoadedGraphs(graphs, ReadReport(), "here", "npz", "", arrays)


@pytest.mark.parametrize(
    ("part", "recipe", "sizes"),
    [
        ("all", None, [0, 1, 2]),
        ("train", None, [1]),
        ("test", None, [0]),
        ("val", "second", [0, 1, 2]),
        ("all", "first", [0, 1]),
    ],
)
def test_parts_by_recipe(part: str, recipe: str | None, sizes: list[int]) -> None:
    chosen = loaded({"first": [2, 0, -1], "second": [1, 1, 1]}).part(part, recipe)
    assert [graph.num_nodes for graph in chosen.graphs] == sizes


@pytest.mark.parametrize(
    ("splits", "part", "recipe", "fragment"),
    [
        ({}, "train", None, "expected a stored split, got none in here"),
        ({"a": [0, 0, 0]}, "train", "b", "expected a stored split b, got a in here"),
        ({"a": [0, 0, 0]}, "val", None, "expected graphs in part val, got none"),
        ({"a": [0, 0, 0, 1, 2]}, "train", None, "got one of 5 nodes"),
        ({"a": [0, 0, 0]}, "half", None, "expected a part train, val, test or all, got half"),
    ],
)
def test_parts_that_do_not_exist(splits: dict[str, list[int]], part: str, recipe: str | None, fragment: str) -> None:
    with pytest.raises(InputError, match=fragment):
        loaded(splits).part(part, recipe)
