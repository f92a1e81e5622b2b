"""Files exactly as published, where a copy lies beside the checkout: counts as the literature states them."""

from pathlib import Path

import numpy as np
import pytest

from sbgd.formats import ReadOptions, load

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="no copy of the published files")

DROP = ReadOptions(self_loops="drop")


@pytest.mark.parametrize(
    ("raw", "converted"),
    [
        ("ca-GrQc.txt", "snap_ca_grqc"),
        ("nk_power.graph", "nk_power"),
        ("MUTAG.zip", "tu_MUTAG"),
        ("ind.cora.graph", "planetoid_cora"),
        ("community_12_21_100.pt", "spectre_community20"),
    ],
)
def test_raw_and_converted_files_hold_the_same_graphs(raw: str, converted: str) -> None:
    left, right = load(SHARED / "raw" / raw, options=DROP), load(SHARED / f"{converted}.npz", options=DROP)
    assert left.graphs == right.graphs


@pytest.mark.parametrize(
    ("name", "nodes", "edges", "loops"),
    [("ca-GrQc.txt", 5242, 14484, 12), ("nk_power.graph", 4941, 6594, 0), ("ind.cora.graph", 2708, 5278, 0)],
)
def test_counts_of_single_graphs(name: str, nodes: int, edges: int, loops: int) -> None:
    loaded = load(SHARED / "raw" / name, options=DROP)
    assert (loaded.graphs[0].num_nodes, loaded.graphs[0].num_edges) == (nodes, edges)
    assert loaded.report.self_loops_dropped == loops


def test_planetoid_split_and_classes() -> None:
    cora = load(SHARED / "raw" / "ind.cora.graph")
    assert np.bincount(cora.splits["public"][cora.splits["public"] >= 0]).tolist() == [140, 500, 1000]
    labels = cora.graphs[0].labels
    assert labels is not None
    assert np.unique(labels).tolist() == list(range(7))


@pytest.mark.parametrize("file", sorted(SHARED.glob("*.npz")), ids=lambda file: file.stem)
def test_every_collection_loads_under_the_lenient_policies(file: Path) -> None:
    options = ReadOptions(self_loops="drop", directed="symmetrise")
    loaded = load(file, options=options)
    with np.load(file) as arrays:
        assert [graph.num_nodes for graph in loaded.graphs] == arrays["num_nodes"].tolist()
        total = int(arrays["num_edges"].astype(np.int64).sum())
    report = loaded.report
    assert report.edges_kept + report.self_loops_dropped + report.duplicates_merged == total
