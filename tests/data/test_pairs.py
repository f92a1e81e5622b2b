"""Pair batches against brute force on the dense adjacency."""

from dataclasses import fields

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from sbgd.data.batch import PairBatch
from sbgd.data.pairs import dense_pair_edges, pair_batch

PADDED = 16


def present_adjacency(cut, present: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The adjacency between blocks, without the pairs that are not there yet."""
    kept = np.zeros_like(cut.adjacency)
    for (i, j), there in zip(cut.data.pairs.pairs, present, strict=True):
        if there:
            kept[cut.nodes(i), cut.nodes(j)] = cut.adjacency[cut.nodes(i), cut.nodes(j)]
    return kept + kept.T


def gathered(cut, pairs: NDArray[np.int64], present: NDArray[np.bool_] | None) -> PairBatch:
    data = cut.data
    counts = np.zeros(len(pairs), np.int64)
    return pair_batch(data.blocks, pairs, counts, data.outer, data.blocks.degrees[:, 1], PADDED, present=present)


@pytest.fixture(params=["all", "half", "none"])
def present(request: pytest.FixtureRequest, cut) -> NDArray[np.bool_]:
    share = {"all": 1.0, "half": 0.5, "none": 0.0}[request.param]
    return np.random.default_rng(4).random(cut.data.pairs.num_pairs) < share


def test_pair_table_holds_every_edge_between_blocks(cut) -> None:
    everything = present_adjacency(cut, np.ones(cut.data.pairs.num_pairs, bool))
    between = cut.block_of[:, None] != cut.block_of
    assert np.array_equal(everything, cut.adjacency * between)
    assert cut.data.pairs.counts.sum() == everything.sum() / 2


def test_halo_counts_common_neighbours_outside_both_blocks(cut, present: NDArray[np.bool_]) -> None:
    pairs = cut.data.pairs.pairs
    batch, known = gathered(cut, pairs, present), present_adjacency(cut, present)
    for row, (i, j) in enumerate(pairs.tolist()):
        outside = (cut.block_of != i) & (cut.block_of != j)
        expected = np.zeros((PADDED, PADDED))
        common = known[cut.nodes(i)][:, outside] @ known[outside][:, cut.nodes(j)]
        expected[: common.shape[0], : common.shape[1]] = common
        assert np.array_equal(batch.halo[row], expected)


def test_the_halo_is_not_trivial(cut) -> None:
    assert gathered(cut, cut.data.pairs.pairs, None).halo.max() >= 1


def test_without_a_mask_all_pairs_are_present(cut) -> None:
    everything = np.ones(cut.data.pairs.num_pairs, bool)
    batch, other = (gathered(cut, cut.data.pairs.pairs, mask) for mask in (None, everything))
    for field in fields(batch):
        assert torch.equal(getattr(batch, field.name), getattr(other, field.name)), field.name


def test_outer_counts_present_edges_and_stubs_those_still_to_come(cut, present: NDArray[np.bool_]) -> None:
    pairs = cut.data.pairs.pairs
    batch, known = gathered(cut, pairs, present), present_adjacency(cut, present)
    wanted = (cut.adjacency * (cut.block_of[:, None] != cut.block_of)).sum(1)
    for row, blocks in enumerate(pairs.tolist()):
        for block, outer, stubs in zip(
            blocks, (batch.left_outer, batch.right_outer), (batch.left_stubs, batch.right_stubs), strict=True
        ):
            nodes = cut.nodes(block)
            n = nodes.stop - nodes.start
            assert np.array_equal(outer[row, :n], known[nodes].sum(1))
            assert np.array_equal(stubs[row, :n], wanted[nodes] - known[nodes].sum(1))
            assert not outer[row, n:].any()
            assert not stubs[row, n:].any()


def test_stubs_never_fall_below_zero(cut) -> None:
    data, pairs = cut.data, cut.data.pairs.pairs
    none_wanted = np.zeros(len(data.blocks.degrees), np.int64)
    batch = pair_batch(data.blocks, pairs, data.pairs.counts, data.outer, none_wanted, PADDED)
    assert batch.left_outer.any()
    assert not batch.left_stubs.any()
    assert not batch.right_stubs.any()


def test_sides_are_the_two_blocks(cut) -> None:
    batch = gathered(cut, cut.data.pairs.pairs, None)
    left, right = cut.data.pairs.pairs.T
    for edges, mask, ids in ((batch.left, batch.left_mask, left), (batch.right, batch.right_mask, right)):
        blocks = cut.data.blocks.batch(ids, PADDED)
        assert torch.equal(edges, blocks.edges)
        assert torch.equal(mask, blocks.mask)


def test_exchanged_ids_give_the_transposed_batch(cut, present: NDArray[np.bool_]) -> None:
    pairs = cut.data.pairs.pairs
    exchanged, batch = gathered(cut, pairs[:, ::-1], present).transposed, gathered(cut, pairs, present)
    for field in fields(batch):
        assert torch.equal(getattr(exchanged, field.name), getattr(batch, field.name)), field.name


def test_a_pair_does_not_depend_on_the_others_in_its_batch(cut, present: NDArray[np.bool_]) -> None:
    pairs = np.concatenate([cut.data.pairs.pairs[:5], cut.data.pairs.pairs[:1]])
    batch = gathered(cut, pairs, present)
    for row in (0, 3, 5):
        alone = gathered(cut, pairs[row : row + 1], present)
        for field in fields(batch):
            assert torch.equal(getattr(alone, field.name)[0], getattr(batch, field.name)[row]), field.name


def test_dense_pair_edges_are_blocks_of_the_adjacency(cut) -> None:
    ids = np.array([2, 0, 7, 2])
    dense = dense_pair_edges(cut.data.pairs, ids, PADDED)
    for row, (i, j) in enumerate(cut.data.pairs.pairs[ids].tolist()):
        expected = np.zeros((PADDED, PADDED))
        block = cut.adjacency[cut.nodes(i), cut.nodes(j)]
        expected[: block.shape[0], : block.shape[1]] = block
        assert np.array_equal(dense[row], expected)


def test_neighbour_lists_hold_both_directions_of_every_edge_between_blocks(cut) -> None:
    outer = cut.data.outer
    found = np.zeros_like(cut.adjacency)
    for node in range(len(found)):
        for neighbour, pair in zip(
            outer.neighbours[outer.starts[node] : outer.starts[node + 1]].tolist(),
            outer.pair[outer.starts[node] : outer.starts[node + 1]].tolist(),
            strict=True,
        ):
            found[node, neighbour] += 1
            assert set(cut.data.pairs.pairs[pair].tolist()) == set(cut.block_of[[node, neighbour]].tolist())
    assert np.array_equal(found, cut.adjacency * (cut.block_of[:, None] != cut.block_of))


def test_a_batch_of_no_pairs_is_empty(cut) -> None:
    assert len(gathered(cut, np.zeros((0, 2), np.int64), None)) == 0
