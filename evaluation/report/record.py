"""What a page says of where its numbers come from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sbgd.graph import Graph


@dataclass(frozen=True)
class RunRecord:
    """Origin of an evaluation.

    Attributes:
        groups: Rows of name and value under headings such as versions, seeds and data.
        files: Texts to be shown in full, such as a configuration, by name.
    """

    groups: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


def graphs_digest(graphs: Sequence[Graph]) -> str:
    """Returns the SHA-256 of node numbers, edges and features, whatever file they came in.

    For each graph in order it takes N, M and F as 64-bit integers, little-endian as all that follows, then the edges
    row by row as such integers, then the features as 64-bit floats.
    """
    digest = hashlib.sha256()
    for graph in graphs:
        digest.update(np.array([graph.num_nodes, graph.num_edges, graph.num_features], "<i8").tobytes())
        digest.update(np.ascontiguousarray(graph.edges, "<i8").tobytes())
        if graph.features is not None:
            digest.update(np.ascontiguousarray(graph.features, "<f8").tobytes())
    return digest.hexdigest()
