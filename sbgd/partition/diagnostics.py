"""What a partition did to a graph: block sizes, edges cut, density inside and between, connected blocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbgd.partition.block_graph import BlockGraph
from sbgd.partition.csr import Adjacency


@dataclass(frozen=True)
class PartitionSummary:
    """Figures of the partition of one graph, or of several taken together.

    A share or density whose denominator is 0 is `None`.

    Attributes:
        num_graphs: Number of graphs.
        num_nodes: Nodes of all graphs.
        num_edges: Edges of all graphs.
        num_blocks: Blocks k of all graphs.
        num_pairs: Pairs of blocks with an edge between them.
        size_min: Nodes of the smallest block.
        size_median: Median nodes of a block.
        size_max: Nodes of the largest block.
        size_histogram: How many blocks have 1-1, 2-3, 4-7, 8-15, ... nodes: (low, high, blocks), none skipped.
        cut_share: Share of the edges that run between blocks.
        inner_density: Edges inside blocks over the pairs of nodes inside blocks.
        outer_density: Edges between blocks over the pairs of nodes in different blocks.
        connected_share: Share of the blocks that are connected.
        edges_per_pair: Mean edges of a pair of blocks that has any.
    """

    num_graphs: int
    num_nodes: int
    num_edges: int
    num_blocks: int
    num_pairs: int
    size_min: int | None
    size_median: float | None
    size_max: int | None
    size_histogram: tuple[tuple[int, int, int], ...]
    cut_share: float | None
    inner_density: float | None
    outer_density: float | None
    connected_share: float | None
    edges_per_pair: float | None

    @classmethod
    def of(cls, block_graphs: Iterable[BlockGraph]) -> PartitionSummary:
        """Summarises graphs that have been split."""
        parts = list(block_graphs)
        sizes = np.concatenate([np.zeros(0, np.int64), *(np.diff(part.offsets) for part in parts)])
        inner = sum(len(part.inner_edges) for part in parts)
        outer = sum(len(part.pair_edges) for part in parts)
        room = sum(part.num_nodes * (part.num_nodes - 1) // 2 for part in parts)
        inner_room = int((sizes * (sizes - 1)).sum()) // 2
        pairs = sum(part.num_pairs for part in parts)
        return cls(
            num_graphs=len(parts),
            num_nodes=int(sizes.sum()),
            num_edges=inner + outer,
            num_blocks=len(sizes),
            num_pairs=pairs,
            size_min=int(sizes.min()) if len(sizes) else None,
            size_median=float(np.median(sizes)) if len(sizes) else None,
            size_max=int(sizes.max()) if len(sizes) else None,
            size_histogram=_doubling_histogram(sizes),
            cut_share=_ratio(outer, inner + outer),
            inner_density=_ratio(inner, inner_room),
            outer_density=_ratio(outer, room - inner_room),
            connected_share=_ratio(sum(_connected_blocks(part) for part in parts), len(sizes)),
            edges_per_pair=_ratio(outer, pairs),
        )

    def to_dict(self) -> dict[str, Any]:
        """Returns the figures that are defined, by name, ready for JSON."""
        figures = {**self.__dict__, "size_histogram": [list(bar) for bar in self.size_histogram]}
        return {name: value for name, value in figures.items() if value is not None}


def _connected_blocks(part: BlockGraph) -> int:
    """Counts the blocks with exactly one component."""
    blocks = part.partition().assignment
    components = Adjacency.of(part.assemble()).within(blocks).components()
    _, first = np.unique(components, return_index=True)
    return int((np.bincount(blocks[first]) == 1).sum())


def _doubling_histogram(sizes: NDArray[np.int64]) -> tuple[tuple[int, int, int], ...]:
    counts = np.bincount(np.log2(sizes).astype(np.int64))
    return tuple((2**power, 2 ** (power + 1) - 1, int(count)) for power, count in enumerate(counts))


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
