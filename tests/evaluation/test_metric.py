import numpy as np
import pytest
from scipy import stats

from sbgd.errors import InputError
from sbgd.evaluation.metric import MMDMetric
from sbgd.evaluation.presets import PRESETS
from sbgd.graph import Graph

GRAN = PRESETS["gran"].mmds


def random_graphs(generator, count, density):
    upper = np.triu(generator.random((count, 10, 10)) < density, 1)
    return [Graph.from_edges(np.argwhere(graph), 10) for graph in upper]


def test_isolated_and_complete_sets_are_far_from_ordinary_ones(fixture_sets):
    ordinary = fixture_sets["planar:ref"]
    isolated = [Graph.from_edges([], 64)] * 20
    complete = [Graph.from_edges(np.stack(np.triu_indices(64, 1), axis=1), 64)] * 20
    for generated in (isolated, complete):
        for name in ("degree", "clustering", "spectral"):
            metric = MMDMetric(ordinary, GRAN[name])
            assert metric.value(generated) > 5 * metric.value(fixture_sets["planar:train"])


def test_empty_sets_are_refused(shapes):
    with pytest.raises(InputError, match="reference graph, got an empty set"):
        MMDMetric([], GRAN["degree"])
    with pytest.raises(InputError, match="reference graph with nodes, got 1 without any"):
        MMDMetric([shapes["nothing"]], GRAN["degree"])
    with pytest.raises(InputError, match="generated graph, got an empty set"):
        MMDMetric([shapes["k4"]], GRAN["degree"]).value([])


@pytest.mark.parametrize("name", ["degree", "clustering"])
def test_p_values_of_two_halves_of_one_law_are_uniform(name):
    generator = np.random.default_rng(5)
    p_values = []
    for _ in range(120):
        graphs = random_graphs(generator, 24, 0.4)
        metric = MMDMetric(graphs[:12], PRESETS["sbgd"].mmds[name])
        p_values.append(metric.estimate(graphs[12:], generator=generator).p_value)
    assert stats.kstest(p_values, "uniform").pvalue > 0.001


def test_p_values_of_two_laws_are_small():
    generator = np.random.default_rng(6)
    metric = MMDMetric(random_graphs(generator, 20, 0.4), PRESETS["sbgd"].mmds["degree"])
    assert metric.estimate(random_graphs(generator, 20, 0.6), generator=generator).p_value == 0.001


def test_the_reference_sets_the_scale_of_standardised_vectors(fixture_sets):
    reference, generated = fixture_sets["planar:ref"], fixture_sets["planar:gen"]
    definition = PRESETS["sbgd"].mmds["orbit"]
    assert definition.standardise
    forth = MMDMetric(reference, definition).value(generated)
    back = MMDMetric(generated, definition).value(reference)
    assert forth != pytest.approx(back, rel=1e-3)
