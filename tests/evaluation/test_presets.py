import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.evaluation.defects import DEFECTS
from sbgd.evaluation.metric import MMDMetric
from sbgd.evaluation.node_features import uses_features
from sbgd.evaluation.presets import EMBEDDING_SCORES, PRESETS, find_preset
from sbgd.evaluation.ratio import RATIOS

METRICS = [
    pytest.param(definition, id=f"{preset.name}-{name}")
    for preset in PRESETS.values()
    for name, definition in {**preset.mmds, **preset.variants}.items()
    if not uses_features(definition.descriptor)
]


def test_all_presets_of_the_field_are_there_and_the_recommended_one_first():
    sources = "graphrnn gdss gran spectre digress esgg defog autograph ggm edge polygraph obray"
    assert list(PRESETS) == ["sbgd", *sources.split()]
    assert all(name == preset.name for name, preset in PRESETS.items())


def test_the_recommended_preset_has_definite_kernels_only():
    assert all(definition.kernel.is_definite for definition in PRESETS["sbgd"].mmds.values())


@pytest.mark.parametrize("preset", PRESETS.values(), ids=str)
def test_what_presets_refer_to_exists(preset):
    assert set(preset.defects) <= set(DEFECTS)
    assert preset.ratio is None or preset.ratio in RATIOS
    assert not set(preset.mmds) & set(preset.variants)
    for embedding in preset.embeddings.values():
        assert set(embedding.scores) <= set(EMBEDDING_SCORES)


@pytest.mark.parametrize("definition", METRICS)
def test_zero_on_identical_sets_symmetric_and_larger_on_a_changed_set(definition, fixture_sets):
    one, other = fixture_sets["planar:ref"][:8], fixture_sets["rgg_er:gen"][:8]
    metric = MMDMetric(one, definition)
    estimate = metric.estimate(one, generator=np.random.default_rng(0))
    assert abs(estimate.biased) < 1e-12
    forth, back = metric.value(other), MMDMetric(other, definition).value(one)
    if not definition.standardise:
        median = "Median" in type(definition.kernel).__name__
        assert median or forth == pytest.approx(back, rel=1e-9, abs=1e-12)
    assert forth > estimate.biased


@pytest.mark.parametrize("definition", METRICS)
def test_every_pair_of_degenerate_sets_gives_finite_numbers(definition, fixture_sets, shapes):
    sets = [graphs for key, graphs in fixture_sets.items() if key.startswith("degenerate:") and graphs]
    sets = [graphs for graphs in sets if any(graph.num_nodes for graph in graphs)]
    sets += [[shapes["point"], shapes["edge"], shapes["two_points"], shapes["nothing"]], [shapes["k4"]]]
    sets.append([shapes["k4"]] * 3)
    for reference in sets:
        metric = MMDMetric(reference, definition)
        for generated in sets:
            found = metric.estimate(generated, generator=np.random.default_rng(0))
            numbers = [found.value, found.biased, found.unbiased, found.floor, found.p_value, *(found.interval or ())]
            assert all(number is None or np.isfinite(number) for number in numbers)
            assert (found.unbiased is None) == (min(len(generated), len(reference)) < 2)


@pytest.mark.parametrize("name", sorted(DEFECTS))
def test_a_defect_is_off_unless_switched_on_and_then_changes_something(name):
    owners = [preset for preset in PRESETS.values() if name in preset.defects]
    assert owners
    for preset in owners:
        changed = preset.with_defects([name])
        before = [*preset.mmds.items(), *preset.variants.items(), *preset.embeddings.items()]
        after = [*changed.mmds.items(), *changed.variants.items(), *changed.embeddings.items()]
        assert [key for key, _ in before] == [key for key, _ in after]
        assert before != after


def test_truncation_looks_at_as_many_graphs_as_the_reference_has(fixture_sets):
    reference, generated = fixture_sets["planar:ref"][:12], fixture_sets["planar:gen"]
    definition = PRESETS["digress"].with_defects(["spectral_truncation"]).mmds["spectral"]
    honest = PRESETS["digress"].mmds["spectral"]
    assert MMDMetric(reference, definition).value(generated) == pytest.approx(0.0256606293112, abs=1e-10)
    assert MMDMetric(reference, honest).value(generated) == pytest.approx(0.0193452320171, abs=1e-10)
    assert MMDMetric(reference, definition).value(generated) == MMDMetric(reference, honest).value(generated[:12])


def test_unknown_names_are_refused_with_what_there_is():
    with pytest.raises(InputError, match=r"expected a preset among sbgd, graphrnn, .* got 'grn'"):
        find_preset("grn")
    with pytest.raises(InputError, match=r"expected metrics of the preset gran among degree, .* got 'wavelet'"):
        PRESETS["gran"].select(["degree", "wavelet"])
    with pytest.raises(InputError, match=r"expected defects of the preset sbgd \(none\), got 'lost_eigenvalues'"):
        PRESETS["sbgd"].with_defects(["lost_eigenvalues"])


def test_select_keeps_what_is_named_variants_too():
    chosen = PRESETS["polygraph"].select(["degree_tv", "pgd"])
    assert (list(chosen.mmds), list(chosen.embeddings), chosen.discrepancy) == (["degree_tv"], [], True)
