import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sbgd.graph import Graph

DATA = Path(__file__).parents[1] / "data_files" / "evaluation"


def complete(num_nodes: int) -> Graph:
    return Graph.from_edges(np.stack(np.triu_indices(num_nodes, 1), axis=1), num_nodes)


@pytest.fixture(scope="session")
def shapes() -> dict[str, Graph]:
    """Hand-made graphs whose metrics are known on paper."""
    return {
        "triangle": complete(3),
        "square": Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)], 4),
        "star": Graph.from_edges([(0, 1), (0, 2), (0, 3)], 4),
        "k4": complete(4),
        "path": Graph.from_edges([(0, 1), (1, 2), (2, 3)], 4),
        "edge": Graph.from_edges([(0, 1)], 2),
        "point": Graph.from_edges([], 1),
        "two_points": Graph.from_edges([], 2),
        "nothing": Graph.from_edges([], 0),
    }


@pytest.fixture(scope="session")
def random_graphs() -> list[Graph]:
    generator = np.random.default_rng(0)
    graphs = []
    for num_nodes, density in [(6, 0.5), (9, 0.3), (9, 0.7), (12, 0.4), (12, 0.15), (10, 1.0)]:
        upper = np.triu(generator.random((num_nodes, num_nodes)) < density, 1)
        graphs.append(Graph.from_edges(np.argwhere(upper), num_nodes))
    return graphs


@pytest.fixture(scope="session")
def fixture_sets() -> dict[str, list[Graph]]:
    """Sets of graphs on which other people's evaluation code was run, keyed like `planar:ref`."""
    sets = {}
    with np.load(DATA / "graphs.npz") as file:
        for key in [key.removesuffix("_edges") for key in file.files if key.endswith("_edges") and "num" not in key]:
            ends = np.cumsum(file[f"{key}_num_edges"].astype(int))
            parts = np.split(file[f"{key}_edges"].astype(np.int64), ends[:-1])
            sizes = file[f"{key}_num_nodes"].tolist()
            name, _, split = key.rpartition("_") if not key.startswith("single") else key.partition("_")
            sets[f"{name}:{split}"] = [Graph.from_edges(*pair) for pair in zip(parts, sizes, strict=True)]
    for split, graphs in json.loads((DATA / "degenerate.json").read_text()).items():
        sets[f"degenerate:{split}"] = [Graph.from_edges(graph["edges"], graph["n"]) for graph in graphs]
    return sets


@pytest.fixture(scope="session")
def reference_values() -> dict[str, Any]:
    """What that code returned, to 12 digits; sources and commits are named in `_meta`."""
    values: dict[str, Any] = json.loads((DATA / "reference.json").read_text())
    return values


@pytest.fixture(scope="session")
def hub_graph() -> Graph:
    """400 nodes with hubs, triangles and isolated nodes."""
    generator = np.random.default_rng(1)
    weights = 1 / np.arange(1, 401)
    ends = generator.choice(400, size=(1200, 2), p=weights / weights.sum())
    return Graph.from_edges(ends[ends[:, 0] != ends[:, 1]], 400)
