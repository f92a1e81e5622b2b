from pathlib import Path

import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.partition import Partition, Partitioner


def test_labels_are_renumbered_in_the_order_of_their_first_node() -> None:
    partition = Partition.from_assignment([7, -2, 7, 100, -2])
    assert partition.assignment.tolist() == [0, 1, 0, 2, 1]
    assert partition.num_blocks == 3
    assert partition.sizes.tolist() == [2, 2, 1]


def test_renumbering_twice_changes_nothing() -> None:
    labels = np.random.default_rng(0).integers(0, 40, 200)
    once = Partition.from_assignment(labels)
    assert np.array_equal(Partition.from_assignment(once.assignment).assignment, once.assignment)


def test_no_nodes_make_no_blocks() -> None:
    partition = Partition.from_assignment([])
    assert partition.num_blocks == 0
    assert partition.sizes.tolist() == []


@pytest.mark.parametrize("labels", [[[0, 1]], [0.5, 1.0], ["a", "b"]])
def test_labels_must_be_one_integer_a_node(labels: list[object]) -> None:
    with pytest.raises(InputError, match="expected one integer label a node"):
        Partition.from_assignment(labels)


def test_load_returns_what_was_saved(tmp_path: Path) -> None:
    partition = Partition.from_assignment([0, 1, 1, 2, 0])
    partition.save(tmp_path / "blocks.npz")
    assert np.array_equal(Partition.load(tmp_path / "blocks.npz").assignment, partition.assignment)
    assert [path.name for path in tmp_path.iterdir()] == ["blocks.npz"]


def test_load_refuses_a_missing_and_a_foreign_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="got none at"):
        Partition.load(tmp_path / "absent.npz")
    np.savez(tmp_path / "foreign.npz", other=np.arange(3))
    with pytest.raises(InputError, match="array 'assignment'"):
        Partition.load(tmp_path / "foreign.npz")
    (tmp_path / "text.npz").write_text("nonsense")
    with pytest.raises(InputError, match="array 'assignment'"):
        Partition.load(tmp_path / "text.npz")


def test_load_never_unpickles(tmp_path: Path) -> None:
    np.savez(tmp_path / "objects.npz", assignment=np.array([0, "1", None], dtype=object))
    with pytest.raises(InputError):
        Partition.load(tmp_path / "objects.npz")


def test_a_partitioner_is_abstract() -> None:
    with pytest.raises(TypeError):
        Partitioner()  # type: ignore[abstract]
