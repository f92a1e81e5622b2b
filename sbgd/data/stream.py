"""Training batches of blocks and of pairs of blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sbgd.data.batch import BlockBatch, PairBatch
from sbgd.data.batch_stream import BatchStream
from sbgd.data.blocks import BlockTable, Ints, padded_size
from sbgd.data.pairs import OuterEdges, PairTable, dense_pair_edges, pair_batch

MAX_DRAWS = 100


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Blocks, non-empty pairs and outer edges of all training graphs.

    Attributes:
        blocks: All blocks.
        pairs: All pairs of blocks with an edge between them.
        outer: The edges of `pairs` as neighbour lists.
        graph_blocks: int64 (g+1,): graph i holds the blocks graph_blocks[i] .. graph_blocks[i+1].
    """

    blocks: BlockTable
    pairs: PairTable
    outer: OuterEdges
    graph_blocks: Ints


@dataclass(frozen=True)
class StreamOptions:
    """What a batch holds.

    Attributes:
        batch_size: Blocks a batch.
        pair_batch_size: Pairs a batch; 0 for none.
        empty_pair_share: Share of drawn pairs that come from all pairs of blocks of a graph, most of them empty; the
            loss weights undo the choice. Needed by the independent factorisation alone.
    """

    batch_size: int
    pair_batch_size: int
    empty_pair_share: float = 0.0


class TrainingStream(BatchStream[dict[str, BlockBatch | PairBatch]]):
    """Batches of blocks and of pairs of blocks.

    Args:
        data: The training set.
        options: Batch sizes.
        num_batches: Batches an epoch.
        seed: Seed of the order.
        rank: Number of this process; every process draws its own batches.
    """

    def __init__(
        self, data: TrainingSet, options: StreamOptions, *, num_batches: int, seed: int = 0, rank: int = 0
    ) -> None:
        super().__init__(num_batches=num_batches, seed=seed, rank=rank)
        self.data = data
        self.options = options
        self._buckets = _buckets(data.blocks)
        blocks = np.diff(data.graph_blocks)
        self._possible = blocks * (blocks - 1) // 2
        self._pair_keys = data.pairs.pairs[:, 0] * data.blocks.num_blocks + data.pairs.pairs[:, 1]

    def batch(self, number: int) -> dict[str, BlockBatch | PairBatch]:
        """Returns batch number `number` of the stream."""
        rng = self.generator(number)
        batch: dict[str, BlockBatch | PairBatch] = {"blocks": self._blocks(rng)}
        if self.options.pair_batch_size and self.data.pairs.num_pairs:
            batch["pairs"] = self._pairs(rng)
        return batch

    def _blocks(self, rng: np.random.Generator) -> BlockBatch:
        """Draws blocks of one padded size, sizes in proportion to their number of blocks."""
        sizes = np.array([len(ids) for ids in self._buckets], float)
        bucket = self._buckets[rng.choice(len(sizes), p=sizes / sizes.sum())]
        count = min(self.options.batch_size, len(bucket))
        return self.data.blocks.batch(rng.choice(bucket, count, replace=False))

    def _pairs(self, rng: np.random.Generator) -> PairBatch:
        """Draws pairs and hides a random share of the other pairs, as if pairs came in a random order."""
        blocks, table = self.data.blocks, self.data.pairs
        size = self.options.pair_batch_size
        num_empty = min(round(size * self.options.empty_pair_share), size - 1)
        num_full = min(size - num_empty, table.num_pairs)
        ids = rng.choice(table.num_pairs, num_full, replace=False)
        present = rng.random(table.num_pairs) < rng.random()
        present[ids] = False
        pairs, counts = table.pairs[ids], table.counts[ids]
        padded = padded_size(int(blocks.sizes.max()))
        edges = dense_pair_edges(table, ids, padded)
        if num_empty:
            return self._with_empty(rng, pairs, counts, edges, num_empty, padded)
        return pair_batch(
            blocks, pairs, counts, self.data.outer, blocks.degrees[:, 1], padded, present=present, edges=edges
        )

    def _with_empty(
        self,
        rng: np.random.Generator,
        pairs: Ints,
        counts: Ints,
        edges: NDArray[np.float32],
        num_empty: int,
        padded: int,
    ) -> PairBatch:
        """Adds pairs without edges; weights make the batch an unbiased sample of all pairs."""
        blocks, table = self.data.blocks, self.data.pairs
        empty = self._empty_pairs(rng, num_empty)
        total_empty = int(self._possible.sum()) - table.num_pairs
        share = table.num_pairs / max(table.num_pairs + total_empty, 1)
        total = len(pairs) + len(empty)
        weight = np.concatenate(
            [
                np.full(len(pairs), share * total / max(len(pairs), 1)),
                np.full(len(empty), (1 - share) * total / max(len(empty), 1)),
            ]
        ).astype(np.float32)
        return pair_batch(
            blocks,
            np.concatenate([pairs, empty]),
            np.concatenate([counts, np.zeros(len(empty), np.int64)]),
            self.data.outer,
            blocks.degrees[:, 1],
            padded,
            present=np.zeros(table.num_pairs, bool),
            edges=np.concatenate([edges, np.zeros((len(empty), padded, padded), np.float32)]),
            weight=weight,
        )

    def _empty_pairs(self, rng: np.random.Generator, count: int) -> Ints:
        """Draws up to `count` pairs of blocks of one graph without an edge between them, uniformly, int64 (c, 2).

        Pairs are drawn and those with edges thrown away; where hardly any pair is empty, fewer come out.
        """
        k, sizes, found = self.data.blocks.num_blocks, np.diff(self.data.graph_blocks), [np.zeros((0, 2), np.int64)]
        if self._possible.sum() == self.data.pairs.num_pairs:
            return found[0]
        for _ in range(MAX_DRAWS):
            graph = rng.choice(len(sizes), 2 * count, p=self._possible / self._possible.sum())
            first = rng.integers(sizes[graph])
            second = rng.integers(sizes[graph] - 1)
            ends = np.stack([first, second + (second >= first)], axis=1) + self.data.graph_blocks[graph][:, None]
            pairs = np.sort(ends, axis=1)
            found.append(pairs[~np.isin(pairs[:, 0] * k + pairs[:, 1], self._pair_keys)])
            if sum(map(len, found)) >= count:
                break
        return np.concatenate(found)[:count]


def _buckets(blocks: BlockTable) -> list[Ints]:
    """Groups blocks by padded size."""
    padded = np.array([padded_size(int(size)) for size in blocks.sizes])
    return [np.flatnonzero(padded == size) for size in np.unique(padded)]
