"""Batches of the training stream: determined by their number, fair to blocks, and unbiased over pairs."""

from dataclasses import fields

import numpy as np
import pytest
import torch

from sbgd.data.batch import TensorBatch
from sbgd.data.batch_stream import FixedBatches
from sbgd.data.datamodule import training_set
from sbgd.data.scaler import FeatureScaler
from sbgd.data.stream import StreamOptions, TrainingSet, TrainingStream
from sbgd.graph import Graph
from sbgd.partition import BlockGraph, Partition

OPTIONS = StreamOptions(batch_size=3, pair_batch_size=4)
Batch = dict[str, TensorBatch]


def stream(cut, options: StreamOptions = OPTIONS, **changes: int) -> TrainingStream:
    return TrainingStream(cut.data, options, **({"num_batches": 6} | changes))


def same(first: Batch, second: Batch) -> bool:
    return first.keys() == second.keys() and all(
        torch.equal(getattr(first[name], field.name), getattr(second[name], field.name))
        for name in first
        for field in fields(first[name])
    )


def all_same(first: list[Batch], second: list[Batch]) -> bool:
    return all(same(*batches) for batches in zip(first, second, strict=True))


def test_the_same_seed_gives_the_same_batches(cut) -> None:
    assert all_same(list(stream(cut)), list(stream(cut)))


@pytest.mark.parametrize("change", [{"seed": 1}, {"rank": 1}])
def test_another_seed_or_rank_gives_other_batches(cut, change: dict[str, int]) -> None:
    assert not any(same(*batches) for batches in zip(stream(cut), stream(cut, **change), strict=True))


def test_the_second_epoch_has_other_batches_than_the_first(cut) -> None:
    batches = stream(cut)
    first, second = list(batches), list(batches)
    assert len(first) == len(second) == len(batches) == 6
    assert not any(same(*pair) for pair in zip(first, second, strict=True))


@pytest.mark.parametrize("position", [0, 1, 4, 6, 8])
def test_a_resumed_stream_continues_with_the_same_batches(cut, position: int) -> None:
    uninterrupted = stream(cut)
    expected = list(uninterrupted) + list(uninterrupted)
    interrupted = stream(cut)
    seen = [batch for _, batch in zip(range(min(position, 6)), interrupted, strict=False)]
    seen += [batch for _, batch in zip(range(position - 6), interrupted, strict=False)]
    state = interrupted.state_dict() if position else {"position": 0}
    resumed = stream(cut)
    resumed.load_state_dict({"position": position} | state)
    assert resumed.position == position
    rest = list(resumed)
    assert len(rest) == 6 - position % 6
    assert all_same(seen + rest, expected[: position + len(rest)])


def test_blocks_of_a_batch_differ_and_share_their_padded_size(cut) -> None:
    for batch in stream(cut, num_batches=50):
        sizes = batch["blocks"].mask.sum(1)
        padded = batch["blocks"].mask.shape[1]
        assert ((sizes <= padded) & (sizes > padded - 4)).all()
        assert len(torch.unique(batch["blocks"].features.flatten(1), dim=0)) == len(sizes)


def test_every_block_is_drawn_and_sizes_come_up_in_proportion_to_their_blocks(cut) -> None:
    sizes = cut.data.blocks.sizes
    padded = -(-sizes // 4) * 4
    drawn = [batch["blocks"].mask.shape[1] for batch in stream(cut, num_batches=2000)]
    for size in np.unique(padded):
        share = np.mean(padded == size)
        error = np.sqrt(share * (1 - share) / 2000)
        assert np.mean(np.array(drawn) == size) == pytest.approx(share, abs=5 * error)


def test_pairs_of_a_batch_hold_their_edges_and_see_nothing_of_each_other(cut) -> None:
    for batch in stream(cut, num_batches=30):
        pairs = batch["pairs"]
        assert torch.equal(pairs.edges.sum((1, 2)), pairs.num_edges)
        assert (pairs.num_edges > 0).all()
        assert torch.equal(pairs.weight, torch.ones(4))
        # What a node has sent and has still to send is its outer degree, so its stubs cover the edges of the pair.
        assert (pairs.left_stubs >= pairs.edges.sum(2)).all()
        assert (pairs.right_stubs >= pairs.edges.sum(1)).all()


def test_known_share_of_other_pairs_is_uniform(cut) -> None:
    """As in a random order of pairs: the share of a node's outer edges that exist already has mean one half."""
    options = StreamOptions(batch_size=1, pair_batch_size=1)
    shares = []
    for batch in stream(cut, options, num_batches=3000):
        pairs = batch["pairs"]
        known = (pairs.left_outer.sum() + pairs.right_outer.sum()).item()
        open_stubs = (pairs.left_stubs.sum() + pairs.right_stubs.sum() - 2 * pairs.num_edges.sum()).item()
        if known + open_stubs:
            shares.append(known / (known + open_stubs))
    assert np.mean(shares) == pytest.approx(0.5, abs=5 * np.std(shares) / np.sqrt(len(shares)))
    assert min(shares) < 0.05
    assert max(shares) > 0.95


def exact_means(cut) -> tuple[float, float]:
    """Mean edges and mean n_i n_j over all pairs of blocks of a graph, empty ones included."""
    edges, sizes, count = 0.0, 0.0, 0
    for first, last in zip(cut.data.graph_blocks[:-1], cut.data.graph_blocks[1:], strict=True):
        n = cut.data.blocks.sizes[first:last]
        sizes += (n.sum() ** 2 - (n**2).sum()) / 2
        count += len(n) * (len(n) - 1) // 2
    edges = float(cut.data.pairs.counts.sum())
    return edges / count, sizes / count


@pytest.mark.parametrize("share", [0.25, 0.5, 0.9])
def test_weights_make_batches_with_empty_pairs_unbiased(cut, share: float) -> None:
    options = StreamOptions(batch_size=1, pair_batch_size=8, empty_pair_share=share)
    found = []
    for batch in stream(cut, options, num_batches=1500):
        pairs = batch["pairs"]
        sizes = pairs.left_mask.sum(1) * pairs.right_mask.sum(1)
        found.append([(pairs.weight * pairs.num_edges).mean().item(), (pairs.weight * sizes).mean().item()])
        assert pairs.weight.mean().item() == pytest.approx(1)
        assert (pairs.num_edges == 0).sum() == round(8 * share)
    mean, error = np.mean(found, 0), np.std(found, 0) / np.sqrt(len(found))
    assert (np.abs(mean - exact_means(cut)) < 5 * error + 1e-6).all()


def test_empty_pairs_are_really_empty_and_lie_within_one_graph(cut) -> None:
    options = StreamOptions(batch_size=1, pair_batch_size=8, empty_pair_share=0.5)
    sizes, adjacency = cut.data.blocks.sizes, cut.adjacency
    empty = {
        (sizes[i], sizes[j])
        for first, last in zip(cut.data.graph_blocks[:-1], cut.data.graph_blocks[1:], strict=True)
        for i in range(first, last)
        for j in range(i + 1, last)
        if not adjacency[cut.nodes(i), cut.nodes(j)].any()
    }
    assert empty
    for batch in stream(cut, options, num_batches=50):
        pairs = batch["pairs"]
        nothing = pairs.num_edges == 0
        assert not pairs.edges[nothing].any()
        drawn = torch.stack([pairs.left_mask[nothing].sum(1), pairs.right_mask[nothing].sum(1)], 1)
        assert {tuple(row) for row in drawn.long().tolist()} <= empty


def two_blocks_and_an_edge() -> TrainingSet:
    graph = Graph.from_edges([(0, 1), (1, 2), (2, 3)], 4)
    block_graph = BlockGraph.split(graph, Partition.from_assignment([0, 0, 1, 1]))
    return training_set([block_graph], FeatureScaler.fit([None]))


def test_where_no_pair_is_empty_the_weights_are_one() -> None:
    pairs = TrainingStream(two_blocks_and_an_edge(), StreamOptions(1, 4, 0.5), num_batches=1).batch(0)["pairs"]
    assert pairs.weight.tolist() == [1]
    assert pairs.num_edges.tolist() == [1]


def test_a_batch_holds_at_least_one_pair_with_edges_whatever_the_share_of_empty_ones(cut) -> None:
    for batch in stream(cut, StreamOptions(batch_size=1, pair_batch_size=4, empty_pair_share=0.95)):
        assert (batch["pairs"].num_edges > 0).sum() == 1


def test_without_pairs_batches_hold_blocks_alone(cut) -> None:
    assert list(stream(cut, StreamOptions(2, 0)).batch(0)) == ["blocks"]


def test_fixed_batches_are_the_first_of_the_stream_every_time(cut) -> None:
    source = stream(cut)
    fixed = FixedBatches(source, 3)
    first, second = list(fixed), list(fixed)
    assert len(fixed) == len(first) == 3
    assert all_same(first, second)
    assert all_same(first, [source.batch(number) for number in range(3)])
    assert source.position == 0
