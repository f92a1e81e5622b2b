"""Weisfeiler-Leman histogram: colours of nodes that say more of their surroundings with every round.

A round replaces the colour c(v) of every node by a hash of c(v) and of the multiset of its neighbours' colours. Two
nodes share a colour after t rounds if their unfolded neighbourhoods of depth t are equal. Colours are 64-bit hashes
that depend on nothing but the graph, so that vectors from different processes and machines can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sbgd.errors import InputError
from sbgd.evaluation.descriptors.descriptor import Vectors, probabilities
from sbgd.evaluation.graph_set import GraphSet

Colours = NDArray[np.uint64]
Start = Literal["degree", "constant", "label"]


@dataclass(frozen=True)
class WLHistogram:
    """Share of (round, node) pairs by colour, (G, 1 + (iterations + 1) x num_buckets); column 0 is for empty graphs.

    Under a linear kernel it is the normalised Weisfeiler-Leman subtree kernel, up to colours that share a bucket.

    Attributes:
        iterations: Rounds T; the starting colours count as well.
        num_buckets: Columns for each round, among which colours are spread by their hash. Two colours share one with
            probability 1 / num_buckets, which makes unlike graphs look alike by as much.
        start: Starting colours: the degree of a node, one colour for all, or the node's label.

    References:
        Shervashidze et al., 2011, "Weisfeiler-Lehman graph kernels", JMLR 12, section 3.2; Weinberger et al., 2009,
        arXiv:0902.2206, for the buckets.
    """

    iterations: int = 3
    num_buckets: int = 512
    start: Start = "degree"
    uses_eigenvectors: ClassVar[bool] = False

    def __call__(self, graphs: GraphSet) -> Vectors:
        """Returns the histograms, float64 (G, 1 + (iterations + 1) x num_buckets).

        Raises:
            InputError: Labels are asked for and a graph with nodes has none.
        """
        graphs = GraphSet.of(graphs)
        A = sparse.csr_array(graphs.union.to_scipy().astype(np.uint64))
        colours = _mixed(self._starting(graphs))
        counts = np.zeros((len(graphs), (self.iterations + 1) * self.num_buckets))
        for iteration in range(self.iterations + 1):
            bucket = (colours % np.uint64(self.num_buckets)).astype(np.int64)
            np.add.at(counts, (graphs.owner, iteration * self.num_buckets + bucket), 1.0)
            colours = _refined(A, colours)
        return probabilities(counts, graphs.sizes, 0.0)

    def _starting(self, graphs: GraphSet) -> Colours:
        if self.start == "label":
            return _labels(graphs)
        if self.start == "degree":
            return graphs.union.degrees.astype(np.uint64)
        return np.zeros(len(graphs.owner), dtype=np.uint64)


def _labels(graphs: GraphSet) -> Colours:
    labels = [graph.labels for graph in graphs if graph.num_nodes]
    given = [label for label in labels if label is not None]
    if len(given) < len(labels):
        raise InputError(
            f"expected node labels on every graph, got {len(labels) - len(given)} of {len(labels)} graphs without any; "
            "give them labels or start from degrees"
        )
    return np.concatenate([np.zeros(0, dtype=np.int64), *given]).astype(np.uint64)


def _refined(A: sparse.csr_array, colours: Colours) -> Colours:
    """Returns the colours after one more round; sums modulo 2^64 do not depend on the order of the neighbours."""
    total = np.asarray(A @ _mixed(colours), dtype=np.uint64)
    return _mixed(colours * np.uint64(3) + _mixed(total))


def _mixed(values: Colours) -> Colours:
    """Finaliser of SplitMix64 (Steele et al., 2014, doi 10.1145/2660193.2660195), a bijection of 64-bit words."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
