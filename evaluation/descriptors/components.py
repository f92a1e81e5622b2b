"""Connected components: how many there are and how large the largest is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.sparse import csgraph

from sbgd.evaluation.descriptors.descriptor import Vectors
from sbgd.evaluation.graph_set import GraphSet


@dataclass(frozen=True)
class ComponentStatistics:
    """Connectedness of a graph, (G, 4); standardise before comparing, since the columns have different units.

    Column 0 is 1 for graphs without nodes; 1 is the number of components, 2 the share of nodes in the largest one and
    3 the share of isolated nodes.
    """

    uses_eigenvectors: ClassVar[bool] = False

    def __call__(self, graphs: GraphSet) -> Vectors:
        """Returns the statistics, float64 (G, 4)."""
        graphs = GraphSet.of(graphs)
        _, component = csgraph.connected_components(graphs.union.to_scipy(), directed=False)
        _, first, sizes = np.unique(component, return_index=True, return_counts=True)
        owner = graphs.owner[first]
        largest = np.zeros(len(graphs))
        np.maximum.at(largest, owner, sizes)
        isolated = np.bincount(owner[sizes == 1], minlength=len(graphs))
        num_nodes = np.maximum(graphs.sizes, 1)
        return np.stack(
            [
                (graphs.sizes == 0).astype(float),
                np.bincount(owner, minlength=len(graphs)).astype(float),
                largest / num_nodes,
                isolated / num_nodes,
            ],
            axis=1,
        )
