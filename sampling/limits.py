"""What cannot be generated is refused before it is begun, instead of running out of memory or of noise streams.

Memory: a lower bound of what the plan and the result hold together. A node takes 32 bytes for two degree lists in the
plan, as much while quotients are joined, and 12 a feature; an edge takes 16 bytes in its block or pair and 16 in the
graph. Edges grow with nodes as in the training graphs. What exceeds the machine's memory by this bound cannot fit.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.partition import Quotient

Ints = NDArray[np.int64]
MAX_GRAPHS = MAX_BLOCKS = 1 << 21  # noise streams are numbered (graph, block, block) in 63 bits
NODE_BYTES, FEATURE_BYTES, EDGE_BYTES = 64, 12, 32


def check_limits(
    sizes: Ints, quotients: Sequence[Quotient], num_features: int, *, memory_bytes: int | None = None
) -> None:
    """Refuses requests that this machine or the numbering of noise cannot hold.

    Args:
        sizes: int64 (g,) nodes of each graph.
        quotients: Training quotients: their edges and blocks a node are those of the result.
        num_features: Node feature columns.
        memory_bytes: Memory to stay below; that of this machine by default.

    Raises:
        InputError: There are too many graphs, nodes or blocks; the message says how many are possible.
    """
    if len(sizes) > MAX_GRAPHS:
        raise InputError(f"expected at most {MAX_GRAPHS} graphs in one run, got {len(sizes)}; use several seeds")
    nodes = sum(quotient.total_nodes for quotient in quotients)
    node_bytes: float = NODE_BYTES + FEATURE_BYTES * num_features
    node_bytes += EDGE_BYTES * sum(quotient.total_edges for quotient in quotients) / nodes
    memory = physical_memory() if memory_bytes is None else memory_bytes
    total = float(sizes.astype(float).sum())
    if total * node_bytes > memory:
        raise InputError(
            f"expected at most {int(memory / node_bytes)} nodes in all for the {memory / 2**30:.1f} GiB of memory "
            f"here, got {total:.0f}; ask for smaller or fewer graphs"
        )
    most = int(MAX_BLOCKS * nodes / sum(quotient.num_blocks for quotient in quotients))
    if int(sizes.max()) > most:
        raise InputError(f"expected at most about {most} nodes in a graph, got {int(sizes.max())}; ask for fewer")


def physical_memory() -> int:
    """Returns the bytes of memory of this machine, unlimited where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 1 << 62
