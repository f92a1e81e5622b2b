"""Node features of whole sets: which metrics read them, and one scale for all sets, that of the reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sbgd.errors import InputError
from sbgd.evaluation.descriptors import Descriptor, FeatureMoments, RandomGIN, UndescribedError
from sbgd.evaluation.descriptors.features import node_features
from sbgd.evaluation.graph_set import GraphSet
from sbgd.evaluation.standardisation import Standardisation
from sbgd.graph import Graph


def uses_features(descriptor: Descriptor) -> bool:
    """Says whether a descriptor reads node features, and cannot describe graphs without."""
    return isinstance(descriptor, FeatureMoments) or (isinstance(descriptor, RandomGIN) and descriptor.features)


@dataclass(frozen=True)
class FeatureScale:
    """Centres and scales node features by their moments over all nodes of the reference.

    Attributes:
        standardisation: The moments, of F features.
    """

    standardisation: Standardisation

    @classmethod
    def fitted(cls, reference: Sequence[Graph]) -> FeatureScale | None:
        """Takes the moments of the reference; None where not every graph has the same features."""
        try:
            features = node_features(GraphSet(reference))
        except InputError:
            return None
        return cls(Standardisation.fitted(features)) if features.size else None

    def __call__(self, graphs: Sequence[Graph]) -> list[Graph]:
        """Returns the graphs with standardised features.

        Raises:
            UndescribedError: A graph with nodes has no features, or not as many as the reference has.
        """
        expected = len(self.standardisation.mean)
        for position, graph in enumerate(graphs):
            if graph.num_nodes and (graph.features is None or graph.num_features != expected):
                got = 0 if graph.features is None else graph.num_features
                raise UndescribedError(f"the reference has {expected} node features, graph {position} has {got}")
        return [
            graph if graph.features is None else graph.replace(features=self.standardisation(graph.features))
            for graph in graphs
        ]
