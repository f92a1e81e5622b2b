from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from sbgd.graph import Graph
from sbgd.partition import MetisPartitioner, Partition, Partitioner, cached_partition
from sbgd.partition.cache import default_cache_dir, partition_key

CALLS: list[int] = []


@dataclass(frozen=True)
class CountingPartitioner(Partitioner):
    """Puts even and odd nodes apart, and counts how often it is asked."""

    name: str = "parity"

    @property
    def size_limit(self) -> int:
        return 1000

    def __call__(self, graph: Graph, *, seed: int = 0) -> Partition:
        CALLS.append(seed)
        return Partition.from_assignment(np.arange(graph.num_nodes) % 2)


@pytest.fixture(autouse=True)
def _no_calls() -> None:
    CALLS.clear()


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_the_second_call_reads_what_the_first_computed(karate: Graph, tmp_path: Path) -> None:
    first = cached_partition(karate, CountingPartitioner(), seed=3, cache_dir=tmp_path)
    second = cached_partition(karate, CountingPartitioner(), seed=3, cache_dir=tmp_path)
    assert CALLS == [3]
    assert np.array_equal(first.assignment, second.assignment)
    assert [path.suffix for path in _files(tmp_path)] == [".npz"]


def test_the_key_depends_on_graph_partitioner_and_seed_only(karate: Graph) -> None:
    key = partition_key(karate, MetisPartitioner(), seed=0)
    smaller = Graph(34, karate.edges[:-1])
    larger = Graph(35, karate.edges)
    named = karate.replace(node_ids=np.arange(34) + 1)
    assert partition_key(named, MetisPartitioner(), seed=0) == key
    others = [
        partition_key(karate, MetisPartitioner(), seed=1),
        partition_key(karate, MetisPartitioner(block_size=16), seed=0),
        partition_key(smaller, MetisPartitioner(), seed=0),
        partition_key(larger, MetisPartitioner(), seed=0),
    ]
    assert len({key, *others}) == 5


@pytest.mark.parametrize("damage", [b"", b"not a zip file", None])
def test_a_damaged_file_is_computed_anew_with_a_warning(karate: Graph, tmp_path: Path, damage: bytes | None) -> None:
    expected = cached_partition(karate, CountingPartitioner(), cache_dir=tmp_path)
    (path,) = _files(tmp_path)
    path.write_bytes(path.read_bytes()[:100] if damage is None else damage)
    with pytest.warns(UserWarning, match="computed anew"):
        again = cached_partition(karate, CountingPartitioner(), cache_dir=tmp_path)
    assert np.array_equal(again.assignment, expected.assignment)
    cached_partition(karate, CountingPartitioner(), cache_dir=tmp_path)
    assert len(CALLS) == 2


def test_a_file_of_another_size_is_computed_anew(karate: Graph, tmp_path: Path) -> None:
    cached_partition(karate, CountingPartitioner(), cache_dir=tmp_path)
    (path,) = _files(tmp_path)
    Partition.from_assignment([0, 1]).save(path)
    with pytest.warns(UserWarning, match="expected 34 nodes, got 2"):
        assert cached_partition(karate, CountingPartitioner(), cache_dir=tmp_path).num_nodes == 34


def test_a_folder_that_cannot_be_written_only_warns(karate: Graph, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.warns(UserWarning, match="partition not cached"):
        partition = cached_partition(karate, CountingPartitioner(), cache_dir=tmp_path / "file")
    assert partition.num_nodes == 34


def test_the_default_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SBGD_CACHE", str(tmp_path / "own"))
    assert default_cache_dir() == tmp_path / "own"
    monkeypatch.delenv("SBGD_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_cache_dir() == tmp_path / "xdg" / "sbgd"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_cache_dir() == Path.home() / ".cache" / "sbgd"


def test_the_default_folder_is_used(karate: Graph, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SBGD_CACHE", str(tmp_path))
    cached_partition(karate, CountingPartitioner())
    assert len(_files(tmp_path)) == 1
