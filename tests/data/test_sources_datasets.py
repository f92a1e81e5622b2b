import hashlib
import io
import urllib.error
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from sbgd.data.sources import RECIPES, dataset_names, load_dataset, published
from sbgd.data.sources.download import fetch_verified
from sbgd.data.sources.published import random_split
from sbgd.data.sources.spec import DatasetSpec
from sbgd.errors import InputError
from sbgd.formats import load, save
from sbgd.graph import Graph

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
needs_copies = pytest.mark.skipif(not SHARED.is_dir(), reason="no copy of the published files")
EDGE, PATH = Graph.from_edges([(0, 1)], 2), Graph.from_edges([(0, 1), (1, 2)], 3)


@pytest.fixture(autouse=True)
def no_network_and_an_empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def unplugged(url: str, timeout: float) -> Any:
        raise urllib.error.URLError("unplugged")

    monkeypatch.setattr("urllib.request.urlopen", unplugged)
    monkeypatch.setenv("SBGD_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SBGD_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "cache" / "data"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cora", DatasetSpec("cora")),
        ("sbm:test", DatasetSpec("sbm", "test")),
        ("spectre_sbm:val@digress_seed0", DatasetSpec("spectre_sbm", "val", "digress_seed0")),
        ("sbm?num_graphs=20&seed=3:train", DatasetSpec("sbm", "train", None, {"num_graphs": "20", "seed": "3"})),
    ],
)
def test_specs(text: str, expected: DatasetSpec) -> None:
    assert DatasetSpec.parse(text) == expected


@pytest.mark.parametrize("text", ["", ":train", "a:b:c", "a@b", "sbm?seed", "sbm?seed=", "sbm?=3"])
def test_malformed_specs(text: str) -> None:
    with pytest.raises(InputError, match=r"expected (NAME|parameters as KEY=VALUE)"):
        DatasetSpec.parse(text)


def test_cora_is_bundled() -> None:
    cora = load_dataset("cora")
    assert [(graph.num_nodes, graph.num_edges) for graph in cora.graphs] == [(2485, 5069)]
    assert nx.is_connected(cora.graphs[0].to_networkx())


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_are_deterministic_and_cut_as_the_field_does(name: str) -> None:
    first = load_dataset(name)
    assert first.digest == load_dataset(name).digest
    assert first.digest != load_dataset(f"{name}?seed=1").digest
    parts = [load_dataset(f"{name}:{part}").graphs for part in ("train", "val", "test")]
    assert [len(part) for part in parts] == [128, 32, 40]
    assert [graph for part in parts for graph in part] == first.graphs


def test_planar_graphs_are_connected_triangulations() -> None:
    for graph in load_dataset("planar?num_graphs=10").graphs:
        assert graph.num_nodes == 64
        assert nx.check_planarity(graph.to_networkx())[0]
        assert nx.is_connected(graph.to_networkx())
        hull = 3 * 64 - 3 - graph.num_edges  # Euler: a triangulation of h hull points has 3n - 3 - h edges
        assert 3 <= hull <= 30


def test_trees_are_trees_of_any_size() -> None:
    for size in (2, 3, 10):
        assert all(
            nx.is_tree(graph.to_networkx()) for graph in load_dataset(f"tree?num_graphs=5&num_nodes={size}").graphs
        )


@needs_copies
def test_trees_are_those_published() -> None:
    assert load_dataset("tree").graphs == load(SHARED / "esgg_tree.npz").graphs


def test_sbm_densities_are_those_asked_for() -> None:
    spec = "sbm?num_graphs=50&min_communities=2&max_communities=2&min_size=30&max_size=30"
    graphs = load_dataset(spec).graphs
    assert {graph.num_nodes for graph in graphs} == {60}
    inside = np.concatenate([graph.edges[:, 0] // 30 == graph.edges[:, 1] // 30 for graph in graphs])
    pairs_inside, pairs_between = 50 * 2 * 435, 50 * 900
    for count, pairs, p in ((inside.sum(), pairs_inside, 0.3), ((~inside).sum(), pairs_between, 0.005)):
        assert abs(count / pairs - p) < 5 * np.sqrt(p * (1 - p) / pairs)


def test_sbm_sizes_are_in_the_published_range() -> None:
    sizes = [graph.num_nodes for graph in load_dataset("sbm").graphs]
    assert min(sizes) >= 40
    assert max(sizes) <= 200


@pytest.mark.parametrize(
    ("spec", "fragment"),
    [
        ("sbm?nodes=3", "expected a parameter among num_graphs, seed, .*, got nodes"),
        ("sbm?seed=x", "expected int for seed, got 'x'"),
        ("sbm?num_graphs=0", "expected num_graphs of at least 1"),
        ("sbm?p_intra=2", "expected probabilities in 0..1"),
        ("sbm?min_size=50", "expected min_ at least 1 and at most max_"),
        ("planar?num_nodes=2", "expected at least 3 points"),
        ("tree?num_nodes=1", "expected trees of at least 2 nodes"),
        ("cora?seed=1", "expected parameters for planar, sbm, tree only, got some for cora"),
        ("cora:train", "expected a stored split, got none"),
        ("sbm:tset", "expected a part train, val, test or all, got tset"),
        ("sbm:train@other", "expected a stored split other, got in_order"),
        ("planarr", "got 'planarr'; did you mean planar"),
        ("zzz", "known names: cora, "),
    ],
)
def test_wrong_specs_are_one_line_with_a_remedy(spec: str, fragment: str) -> None:
    with pytest.raises(InputError, match=fragment) as caught:
        load_dataset(spec)
    assert "\n" not in str(caught.value)


def test_existing_paths_win_over_names_and_take_parts(tmp_path: Path) -> None:
    save([EDGE, PATH], tmp_path / "mine.npz", splits={"a": np.array([0, 2], np.int8), "b": np.array([2, 0], np.int8)})
    assert load_dataset("mine.npz").graphs == [EDGE, PATH]
    assert load_dataset("mine.npz:test").graphs == [PATH]
    assert load_dataset(f"{tmp_path / 'mine.npz'}:test@b").graphs == [EDGE]
    (tmp_path / "cora").mkdir()
    save([PATH], tmp_path / "cora" / "graphs.npz")
    assert load_dataset("cora").graphs == [PATH]


def test_names_are_looked_up_in_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SBGD_DATA", str(tmp_path / "sets"))
    save([EDGE], tmp_path / "sets" / "own.npz")
    save([PATH], tmp_path / "sets" / "tu_MUTAG.npz")
    assert load_dataset("own").graphs == [EDGE]
    assert load_dataset("tu_MUTAG").graphs == [PATH]


def test_without_a_network_the_message_says_what_to_place_where() -> None:
    with pytest.raises(
        InputError, match=r"download https://.*MUTAG\.zip, got unplugged; place the file at .*SBGD_DATA"
    ):
        load_dataset("tu_MUTAG")
    with pytest.raises(InputError, match=r"expected spectre_sbm\.npz in \$SBGD_DATA or .*; get sbm_200\.pt of"):
        load_dataset("spectre_sbm")


def serve(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("urllib.request.urlopen", lambda url, timeout: io.BytesIO(data))


def test_downloads_are_kept_only_with_the_right_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, digest = tmp_path / "kept" / "file", hashlib.sha256(b"right").hexdigest()
    serve(monkeypatch, b"wrong")
    with pytest.raises(InputError, match=r"expected sha256 .*nothing was kept"):
        fetch_verified("https://example.org/file", path, digest)
    assert not path.exists()
    serve(monkeypatch, b"right")
    fetch_verified("https://example.org/file", path, digest)
    assert path.read_bytes() == b"right"
    path.write_bytes(b"damaged")
    with pytest.raises(InputError, match=r"delete it to fetch it again"):
        fetch_verified("https://example.org/file", path, digest)
    with pytest.raises(InputError, match=r"expected an https address"):
        fetch_verified("file:///etc/hostname", tmp_path / "other", digest)


@needs_copies
@pytest.mark.parametrize(
    ("name", "converted"),
    [
        ("planetoid_cora", "planetoid_cora"),
        ("tu_MUTAG", "tu_MUTAG"),
        ("snap_ca_grqc", "snap_ca_grqc"),
        ("nk_power", "nk_power"),
        ("spectre_community20", "spectre_community20"),
    ],
)
def test_published_files_are_fetched_verified_and_read(
    name: str, converted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = {"power.graph": "nk_power.graph"}

    def copies(url: str, timeout: float) -> io.BytesIO:
        file = url.rsplit("/", 1)[-1]
        return io.BytesIO((SHARED / "raw" / raw.get(file, file)).read_bytes())

    monkeypatch.setattr("urllib.request.urlopen", copies)
    fetched = load_dataset(name)
    monkeypatch.setenv("SBGD_DATA", str(SHARED))
    placed = load_dataset(converted)
    assert fetched.graphs == placed.graphs
    assert fetched.report.self_loops_dropped == placed.report.self_loops_dropped
    for recipe, split in fetched.splits.items():
        assert split.tolist() == placed.splits[recipe].tolist()


def test_random_split_is_a_partition_of_the_stated_sizes() -> None:
    assert np.bincount(random_split(200, 1234)).tolist() == [128, 32, 40]
    assert np.bincount(random_split(918, 0)).tolist() == [587, 147, 184]
    assert random_split(100, 1).tolist() != random_split(100, 2).tolist()


def test_every_published_entry_can_be_had_one_way() -> None:
    assert set(published()) < set(dataset_names())
    for entry in published().values():
        assert bool(entry.files) != bool(entry.by_hand)
        assert all(len(digest) == 64 for digest in entry.files.values())
        assert not entry.files or (entry.load in entry.files and entry.url.startswith("https://"))
