"""No cut at all: the whole graph is one block."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sbgd.graph import Graph
from sbgd.partition.partition import Partition, Partitioner


@dataclass(frozen=True)
class WholeGraph(Partitioner):
    """Puts all nodes into one block, connected or not, for models of whole graphs."""

    connected: ClassVar[bool] = False

    @property
    def size_limit(self) -> int:
        """No limit."""
        return sys.maxsize

    def __call__(self, graph: Graph, *, seed: int = 0) -> Partition:
        """Returns the partition into one block."""
        return Partition(np.zeros(graph.num_nodes, dtype=np.int64))
