"""Samples in shards: streamed in bounded pieces, read as a whole, refused when damaged."""

import hashlib
import json
from pathlib import Path

import fsspec
import numpy as np
import pyarrow.parquet as pq
import pytest

import sbgd
from sbgd.errors import InputError
from sbgd.formats import LoadedGraphs, load, save
from sbgd.formats.shard_tables import edge_table, encoded, node_table
from sbgd.formats.sharded import ShardedGraphs
from sbgd.graph import Graph

CUTS = (0, 40, 90)
"""Numbers of the nodes, over all graphs, at which shards begin."""


def _graphs(num_features: int) -> list[Graph]:
    rng = np.random.default_rng(0)
    graphs = []
    for size in (60, 1, 50):
        features = rng.standard_normal((size, num_features)) if num_features else None
        graphs.append(Graph.from_edges(_pairs(rng, size), size, features=features))
    return graphs


def _pairs(rng: np.random.Generator, size: int) -> np.ndarray:
    pairs = rng.integers(size, size=(4 * size, 2))
    return pairs[pairs[:, 0] != pairs[:, 1]]


def _files(graphs: list[Graph]) -> dict[str, bytes]:
    """Cuts graphs into shards; returns files and manifest."""
    sizes = [graph.num_nodes for graph in graphs]
    graph = np.repeat(np.arange(len(graphs)), [graph.num_edges for graph in graphs])
    edges = np.concatenate([graph.edges for graph in graphs])
    owner, node = np.repeat(np.arange(len(graphs)), sizes), np.concatenate([np.arange(size) for size in sizes])
    position = edges[:, 0] + np.concatenate([[0], np.cumsum(sizes)])[graph]
    tables = {}
    for number, (low, high) in enumerate(zip(CUTS, [*CUTS[1:], sum(sizes)], strict=True)):
        inside = (low <= position) & (position < high)
        tables[f"edges-{number:05d}.parquet"] = edge_table(graph[inside], edges[inside])
        if graphs[0].features is not None:
            features = np.concatenate([graph.features for graph in graphs])
            tables[f"nodes-{number:05d}.parquet"] = node_table(owner[low:high], node[low:high], features[low:high])
    files = {name: encoded(table) for name, table in tables.items()}
    manifest = {
        "schema": 1,
        "num_nodes": sizes,
        "num_edges": [graph.num_edges for graph in graphs],
        "files": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
        "rows": {name: table.num_rows for name, table in tables.items()},
    }
    return {**files, "manifest.json": json.dumps(manifest).encode()}


def _written(folder: Path, graphs: list[Graph]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, data in _files(graphs).items():
        (folder / name).write_bytes(data)
    return folder


@pytest.mark.parametrize("num_features", [0, 3])
def test_all_graphs_come_back(num_features: int, tmp_path: Path) -> None:
    graphs = _graphs(num_features)
    sample = sbgd.load(_written(tmp_path, graphs))
    assert isinstance(sample, ShardedGraphs)
    assert (sample.num_graphs, sample.num_nodes, sample.num_edges) == (3, 111, sum(g.num_edges for g in graphs))
    assert sample.sizes.tolist() == [60, 1, 50]
    assert sample.graphs == graphs
    assert [sample.to_graph(number) for number in range(3)] == graphs
    assert load(tmp_path).graphs == graphs
    assert load(tmp_path).report.edges_kept == sample.num_edges
    sample.verify()


@pytest.mark.parametrize("batch_size", [1, 7, 10_000])
def test_edges_and_features_are_streamed_in_order_and_in_bounded_pieces(batch_size: int, tmp_path: Path) -> None:
    graphs = _graphs(2)
    sample = ShardedGraphs.open(_written(tmp_path, graphs))
    for number, graph in enumerate(graphs):
        edges = list(sample.edges(batch_size, graph=number))
        features = list(sample.features(batch_size, graph=number))
        assert all(0 < len(part) <= batch_size for part in [*edges, *features])
        assert np.array_equal(np.concatenate([np.zeros((0, 2), int), *edges]), graph.edges)
        assert np.array_equal(np.concatenate(features), graph.features)


def test_one_graph_needs_no_number_and_several_do(tmp_path: Path) -> None:
    graphs = _graphs(0)
    one = ShardedGraphs.open(_written(tmp_path / "one", graphs[:1]))
    assert one.to_graph() == graphs[0]
    several = ShardedGraphs.open(_written(tmp_path / "several", graphs))
    with pytest.raises(InputError, match=r"expected the number of a graph out of 0 \.\. 2, got none"):
        several.to_graph()
    with pytest.raises(InputError, match=r"out of 0 \.\. 2, got 3"):
        next(several.edges(graph=3))


def test_shards_are_compressed_and_delta_encoded(tmp_path: Path) -> None:
    column = pq.ParquetFile(_written(tmp_path, _graphs(1)) / "edges-00000.parquet").metadata.row_group(0).column(1)
    assert column.compression == "ZSTD"
    assert "DELTA_BINARY_PACKED" in column.encodings


def test_a_store_is_read_like_a_folder() -> None:
    graphs = _graphs(2)
    store = fsspec.filesystem("memory")
    for name, data in _files(graphs).items():
        store.pipe_file(f"/read/{name}", data)
    sample = sbgd.load("memory://read")
    assert sample.graphs == graphs
    sample.verify()


def _replace(path: Path, **changes: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_a_changed_file_is_found_when_asked_for(tmp_path: Path) -> None:
    path = _written(tmp_path, _graphs(0)) / "edges-00001.parquet"
    table = pq.read_table(path)
    path.write_bytes(encoded(table.set_column(2, "target", table["source"])))
    sample = ShardedGraphs.open(tmp_path)
    with pytest.raises(InputError, match=r"expected edges-00001\.parquet as it was written, got another file"):
        sample.verify()
    with pytest.raises(InputError, match="sorted edges of graph 0"):
        sample.to_graph(0)
    with pytest.raises(InputError, match="as it was written"):
        load(tmp_path)


def test_rows_are_counted(tmp_path: Path) -> None:
    path = _written(tmp_path, _graphs(0)) / "edges-00001.parquet"
    path.write_bytes(encoded(pq.read_table(path)[:-3]))
    with pytest.raises(InputError, match=r"expected \d+ rows, got \d+ in .*edges-00001\.parquet"):
        list(ShardedGraphs.open(tmp_path).edges(graph=0))


def test_missing_and_truncated_files_are_one_line(tmp_path: Path) -> None:
    sample = ShardedGraphs.open(_written(tmp_path, _graphs(0)))
    path = tmp_path / "edges-00001.parquet"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InputError, match=r"expected a complete Parquet file, got .*edges-00001\.parquet") as caught:
        list(sample.edges(graph=0))
    assert "\n" not in str(caught.value)
    path.unlink()
    with pytest.raises(InputError, match=r"expected edges-00001\.parquet of the sample, got no such file"):
        list(sample.edges(graph=0))


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ("{", "expected a readable manifest.json"),
        ('{"schema": 2, "rows": {}}', "expected a manifest of schema 1, got 2"),
        ('{"schema": 1}', "expected a folder with the manifest of a sample in shards, got none"),
        ('{"schema": 1, "rows": {}}', "expected num_nodes"),
        ('{"schema": 1, "rows": {"../x": 1}, "num_nodes": [1], "num_edges": [0], "files": {"../x": ""}}', "names of"),
    ],
)
def test_a_wrong_manifest_is_one_line(manifest: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(manifest)
    with pytest.raises(InputError, match=message):
        ShardedGraphs.open(tmp_path)


def test_one_shard_is_no_graph_file(tmp_path: Path) -> None:
    path = _written(tmp_path, _graphs(0)) / "edges-00001.parquet"
    with pytest.raises(InputError, match=r"expected a whole sample, got one file of it: .*; give its folder"):
        load(path)


def test_an_unfinished_sample_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".work").mkdir()
    (tmp_path / ".work" / "job.json").write_text("{}")
    for reader in (load, sbgd.load):
        with pytest.raises(InputError, match="expected a finished sample, got an interrupted one"):
            reader(tmp_path)


def test_what_is_not_in_shards_is_loaded_as_ever(tmp_path: Path) -> None:
    graphs = _graphs(2)
    save(graphs, tmp_path / "graphs.npz")
    loaded = sbgd.load(tmp_path)
    assert isinstance(loaded, LoadedGraphs)
    assert loaded.graphs == graphs
