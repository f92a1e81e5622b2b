"""Graphs of a stochastic block model, by exact and asymptotic tests of what such a model fixes.

The rule of SPECTRE and its descendants compares densities without the number of pairs behind them, depends on the seed
of a random search and refuses 5 to 10 % of the model's own graphs; it is kept in `legacy.py`. Here blocks are found by
the same steps for the same graph, every test knows its sample size, and together they refuse about `level` of the
model's own graphs, whatever their size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from sbgd.evaluation.graph_set import GraphSet
from sbgd.evaluation.validity.planted import PlantedPartition, planted_partition
from sbgd.evaluation.validity.rule import Verdict
from sbgd.graph import Graph

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class BlockModel:
    """Graphs with the blocks and densities of a stochastic block model.

    The tests, corrected by Holm for their number: edges inside all blocks and between all blocks are binomial; so are
    those of every block and of every pair of blocks (the smallest p-value times their number); degrees inside blocks
    scatter as in random graphs, sum (d - mean)^2 / ((n - 2) p (1 - p)) being about chi-squared with n - 1 degrees of
    freedom; and triangles inside blocks are as many as the edges give by chance.

    Attributes:
        inner: Density inside blocks.
        outer: Density between blocks.
        block_sizes: Smallest and largest block.
        num_blocks: Smallest and largest number of blocks.
        level: Share of the model's own graphs that may be refused.

    References:
        Data set: Martinkus et al., 2022, "SPECTRE", arXiv:2204.01613. Holm, 1979, "A simple sequentially rejective
        multiple test procedure". The choice of tests is ours.
    """

    inner: float = 0.3
    outer: float = 0.005
    block_sizes: tuple[int, int] = (20, 40)
    num_blocks: tuple[int, int] = (2, 5)
    level: float = 0.01
    name: str = "sbm"

    def __call__(self, graphs: Sequence[Graph]) -> list[Verdict]:
        """Returns one verdict a graph."""
        return [self._verdict(graph) for graph in graphs]

    def _verdict(self, graph: Graph) -> Verdict:
        low, high = self.num_blocks
        smallest, largest = self.block_sizes
        if not low * smallest <= graph.num_nodes <= high * largest:
            return Verdict(False, f"{graph.num_nodes} nodes do not make {low} to {high} blocks")
        # one more and one less, so that a graph with another number of blocks is not forced into these
        tried = range(max(low - 1, 1), min(high + 1, graph.num_nodes) + 1)
        blocks = planted_partition(graph, tried, inner=self.inner, outer=self.outer, smallest=smallest // 2)
        if not low <= blocks.num_blocks <= high:
            return Verdict(False, f"{blocks.num_blocks} blocks")
        sizes, unsure = blocks.sizes, blocks.num_unsure
        if (sizes + unsure < smallest).any() or (sizes - unsure > largest).any():
            return Verdict(False, f"blocks of {sizes.min()} to {sizes.max()} nodes")
        tests = self._tests(graph, blocks)
        p_value, worst = _holm(tests)
        return Verdict(p_value > self.level, None if p_value > self.level else f"unlikely {worst}", p_value)

    def _tests(self, graph: Graph, blocks: PlantedPartition) -> dict[str, float]:
        sizes, counts = blocks.sizes, blocks.edge_counts(graph)
        inside = sizes * (sizes - 1) // 2
        first, second = np.triu_indices(blocks.num_blocks, 1)
        between = (sizes[first] * sizes[second], counts[first, second])
        within = (inside, np.diag(counts))
        inner_graphs = _inner_graphs(graph, blocks)
        return {
            "number of edges inside blocks": _binomial(within[1].sum(), within[0].sum(), self.inner),
            "number of edges between blocks": _binomial(between[1].sum(), between[0].sum(), self.outer),
            "number of edges inside one block": _least(within[1], within[0], self.inner),
            "number of edges between two blocks": _least(between[1], between[0], self.outer),
            "scatter of degrees inside blocks": _scatter(inner_graphs),
            "number of triangles inside blocks": _triangles(inner_graphs),
        }


def _inner_graphs(graph: Graph, blocks: PlantedPartition) -> GraphSet:
    """Returns the blocks as graphs."""
    position = np.zeros(graph.num_nodes, dtype=np.int64)
    ends = blocks.assignment[graph.edges]
    inside = graph.edges[ends[:, 0] == ends[:, 1]]
    graphs = []
    for block in range(blocks.num_blocks):
        nodes = np.flatnonzero(blocks.assignment == block)
        position[nodes] = np.arange(len(nodes))
        own = inside[blocks.assignment[inside[:, 0]] == block]
        graphs.append(Graph.from_edges(position[own], len(nodes)))
    return GraphSet(graphs)


def _binomial(count: int, trials: int, share: float) -> float:
    return float(stats.binomtest(int(count), int(trials), share).pvalue) if trials else 1.0


def _least(counts: Ints, trials: Ints, share: float) -> float:
    p_values = [_binomial(count, total, share) for count, total in zip(counts, trials, strict=True)]
    return min([1.0, *(len(p_values) * p for p in p_values)])


def _scatter(blocks: GraphSet) -> float:
    total = freedom = 0.0
    for block in blocks:
        n = block.num_nodes
        p = block.num_edges / max(n * (n - 1) / 2, 1)
        if n > 2 and 0 < p < 1:
            total += float(((block.degrees - block.degrees.mean()) ** 2).sum()) / ((n - 2) * p * (1 - p))
            freedom += n - 1
    if not freedom:
        return 1.0
    return float(min(1.0, 2 * min(stats.chi2.cdf(total, freedom), stats.chi2.sf(total, freedom))))


def _triangles(blocks: GraphSet) -> float:
    """Compares triangles with their mean given the edges, in units of what is left of their variance."""
    observed = np.bincount(blocks.owner, weights=blocks.triangles, minlength=len(blocks)) / 3
    n = blocks.sizes.astype(float)
    pairs = n * (n - 1) / 2
    p = np.array([block.num_edges for block in blocks]) / np.maximum(pairs, 1)
    triples = special.comb(n, 3)
    variance = triples * (p**3 - p**6) + 2 * pairs * special.comb(n - 2, 2) * (p**5 - p**6)
    with_edges = 3 * triples * p**3 * (1 - p)
    explained = with_edges**2 / np.maximum(pairs * p * (1 - p), np.finfo(float).tiny)
    left = float(np.maximum(variance - explained, 0).sum())
    if left <= 0:
        return 1.0
    z = float((observed - triples * p**3).sum()) / np.sqrt(left)
    return float(2 * stats.norm.sf(abs(z)))


def _holm(tests: dict[str, float]) -> tuple[float, str]:
    """Returns the smallest p-value corrected for the number of tests, and what it is of."""
    worst = min(tests, key=lambda name: tests[name])
    return min(1.0, len(tests) * tests[worst]), worst
