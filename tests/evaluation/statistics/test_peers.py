"""Every single-graph number that other people's code returned on the fixtures.

An entry is a number that ours must equal, or the source's own NaN or exception, where ours must be a finite number or
None with a reason.
"""

import json
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sbgd.evaluation.statistics import graph_statistics, set_distances
from sbgd.evaluation.statistics.variants import orbit_law

REFERENCE = json.loads((Path(__file__).parents[2] / "data_files" / "evaluation" / "reference.json").read_text())
GRAPHS = ("ref", "gen", "small_disconnected")

CELL = {
    "max_degree": "max_degree",
    "min_degree": "min_degree",
    "average_degree": "mean_degree",
    "LCC": "largest_component_size",
    "wedge_count": "wedges",
    "claw_count": "claws",
    "triangle_count": "triangles",
    "square_count": "squares",
    "power_law_alpha": "power_law_alpha",
    "gini": "gini",
    "edge_distribution_entropy": "degree_entropy",
    "edge_distribution_entropy(int csr)": "degree_entropy",
    "assortativity": "assortativity",
    "clustering_coefficient": "transitivity",
    "cpl": "characteristic_path_length",
}
NETGAN = {
    "statistics_wedge_count": "wedges",
    "statistics_claw_count": "claws",
    "statistics_triangle_count": "triangles",
    "statistics_square_count": "netgan_square_count",
    "statistics_power_law_alpha": "power_law_alpha",
    "statistics_gini": "netgan_gini",
    "statistics_edge_distribution_entropy": "netgan_entropy",
    "LCC_size": "largest_component_size",
}
EDGE_PATH = {
    "d_max": "max_degree",
    "d_min": "min_degree",
    "d": "mean_degree",
    "LCC": "largest_component_size",
    "wedge_count": "wedges",
    "claw_count": "claws",
    "triangle_count": "triangles",
    "square_count": "squares",
    "power_law_exp": "power_law_alpha",
    "gini": "gini",
    "rel_edge_distr_entropy": "degree_entropy",
    "assortativity": "assortativity",
    "clustering_coefficient": "transitivity",
    "cpl": "characteristic_path_length",
}
NAME_OF = {
    **{f"{source}.{theirs}": ours for source in ("CELL", "EDGE") for theirs, ours in CELL.items()},
    **{f"NetGAN.{theirs}": ours for theirs, ours in NETGAN.items()},
    **{
        f"{networkx}.{theirs}": ours
        for networkx in ("networkx2.8.8", "networkx3.6.1")
        for theirs, ours in EDGE_PATH.items()
    },
}
PAIR_NAME_OF = {
    "CELL.edge_overlap(count)": "cell_edge_overlap",
    "CELL.edge_overlap/m": "edge_overlap",
    "NetGAN.edge_overlap(dense, counts both directions)": "netgan_edge_overlap",
    "NetGAN.edge_overlap/A.sum": "edge_overlap",
}
TRIPLES = "NetGAN.degrees(max,min,mean)"


def entries():
    for key in GRAPHS:
        yield from ((key, name, value) for name, value in REFERENCE["single_graph"][key].items() if name != TRIPLES)
        for networkx, graphs in REFERENCE["single_graph_edge_real_path"].items():
            yield from ((key, f"{networkx}.{name}", value) for name, value in graphs[key].items())


@pytest.fixture(scope="module")
def measured(fixture_sets):
    names = tuple(dict.fromkeys(NAME_OF.values()))
    return cache(lambda key: graph_statistics(*fixture_sets[f"single:{key}"], names=names))


@pytest.mark.parametrize(("key", "name", "value"), list(entries()), ids=lambda part: str(part)[:40])
def test_a_number_of_another_source_is_ours(key, name, value, measured):
    ours = measured(key)[NAME_OF[name]]
    if isinstance(value, float):
        assert ours.value == pytest.approx(value, rel=1e-11, abs=1e-12)
    else:
        assert ours.reason if ours.value is None else math.isfinite(ours.value)


@pytest.mark.parametrize("key", GRAPHS)
def test_degrees_of_netgan_are_ours(key, measured):
    ours = [measured(key)[name].value for name in ("max_degree", "min_degree", "mean_degree")]
    assert ours == pytest.approx(REFERENCE["single_graph"][key][TRIPLES], rel=1e-11)


@pytest.mark.parametrize(("name", "value"), list(REFERENCE["single_graph"]["ref|gen"].items()))
def test_edge_overlap_of_another_source_is_ours(name, value, fixture_sets):
    ours = PAIR_NAME_OF[name]
    found = set_distances(fixture_sets["single:gen"], fixture_sets["single:ref"], names=[ours])
    assert found[ours].value == pytest.approx(value, rel=1e-11)


def test_graphmaker_numbers_are_ours(fixture_sets):
    expected = REFERENCE["graphmaker_single_ref_vs_gen"]
    names = {
        "deg_emd": "graphmaker_degree_emd",
        "cluster_emd": "graphmaker_clustering_emd",
        "cluster_emd_undirected_cc": "graphmaker_clustering_emd",
        "orbit_emd": "graphmaker_orbit_emd",
    }
    generated, reference = fixture_sets["single:gen"], fixture_sets["single:ref"]
    found = set_distances(generated, reference, names=names.values())
    for theirs, ours in names.items():
        # the source adds up in float32, in an order of its own
        assert found[ours].value == pytest.approx(expected[theirs], rel=1e-7), theirs
    for split in ("ref", "gen"):
        triangles = graph_statistics(*fixture_sets[f"single:{split}"], names=["triangles"])["triangles"]
        assert triangles.value == expected[f"triangle_count_{split}"]
    np.testing.assert_allclose(orbit_law(reference)[0], expected["orbit_dist_ref"], rtol=1e-7)
