import math
from dataclasses import fields

import pytest
import torch

from sbgd.data.batch import BlockBatch, PairBatch


@pytest.fixture
def blocks() -> BlockBatch:
    """A path of three nodes in four places, with five edges to the outside, and a single node."""
    edges = torch.zeros(2, 4, 4)
    edges[0, 0, 1] = edges[0, 1, 0] = edges[0, 1, 2] = edges[0, 2, 1] = 1
    return BlockBatch(
        edges=edges,
        mask=torch.tensor([[1.0, 1, 1, 0], [1, 0, 0, 0]]),
        degrees=torch.zeros(2, 4, 2),
        features=torch.zeros(2, 4, 0),
        num_edges=torch.tensor([2.0, 0.0]),
        num_outer=torch.tensor([5.0, 0.0]),
    )


@pytest.fixture
def pairs() -> PairBatch:
    generator = torch.Generator().manual_seed(0)
    shapes = {"left": (2, 3, 3), "right": (2, 4, 4), "halo": (2, 3, 4), "edges": (2, 3, 4)}
    shapes |= {f"left_{name}": (2, 3) for name in ("mask", "stubs", "outer")}
    shapes |= {f"right_{name}": (2, 4) for name in ("mask", "stubs", "outer")}
    shapes |= {"num_edges": (2,), "weight": (2,)}
    return PairBatch(**{name: torch.rand(shape, generator=generator) for name, shape in shapes.items()})


def test_condition_numbers_of_a_path_and_of_a_single_node(blocks: BlockBatch) -> None:
    expected = [[math.log(3), math.log(3), 2 / 3, math.log(6)], [0, 0, 0, 0]]
    torch.testing.assert_close(blocks.numbers, torch.tensor(expected))


def test_pairs_are_those_of_distinct_real_nodes(blocks: BlockBatch) -> None:
    assert blocks.pairs[0].tolist() == [[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0]]
    assert not blocks.pairs[1].any()


def test_pairs_between_blocks_are_those_of_real_nodes(pairs: PairBatch) -> None:
    masked = pairs.replace(left_mask=torch.tensor([[1.0, 0, 1]] * 2), right_mask=torch.tensor([[0.0, 1, 1, 0]] * 2))
    assert masked.pairs[0].tolist() == [[0, 1, 1, 0], [0, 0, 0, 0], [0, 1, 1, 0]]


def test_replace_changes_what_it_names_and_leaves_the_original(blocks: BlockBatch) -> None:
    changed = blocks.replace(num_edges=torch.tensor([3.0, 0.0]))
    assert changed.num_edges.tolist() == [3, 0]
    assert blocks.num_edges.tolist() == [2, 0]
    assert changed.edges is blocks.edges


def test_moving_to_a_device_moves_every_tensor(pairs: PairBatch) -> None:
    moved = pairs.to("meta")
    assert {getattr(moved, field.name).device.type for field in fields(moved)} == {"meta"}
    assert len(moved) == len(pairs) == 2


def test_exchanging_blocks_twice_changes_nothing(pairs: PairBatch) -> None:
    twice = pairs.transposed.transposed
    for field in fields(pairs):
        assert torch.equal(getattr(twice, field.name), getattr(pairs, field.name)), field.name


def test_exchanging_blocks_swaps_sides_and_transposes_what_lies_between(pairs: PairBatch) -> None:
    exchanged = pairs.transposed
    for name in ("", "_mask", "_stubs", "_outer"):
        assert torch.equal(getattr(exchanged, f"left{name}"), getattr(pairs, f"right{name}"))
        assert torch.equal(getattr(exchanged, f"right{name}"), getattr(pairs, f"left{name}"))
    assert torch.equal(exchanged.edges, pairs.edges.mT)
    assert torch.equal(exchanged.halo, pairs.halo.mT)
    assert torch.equal(exchanged.pairs, pairs.pairs.mT)
