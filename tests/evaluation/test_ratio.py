import pytest

from sbgd.evaluation.ratio import RATIOS, autograph_ratios, average_ratio, defog_ratios, esgg_ratios

SOURCES = {
    "esgg": "ESGG.Ratio",
    "autograph": "AutoGraph_rule_on_5_metrics(finite only)",
}


@pytest.mark.parametrize("fixture", ["rgg_er", "sbm", "planar"])
@pytest.mark.parametrize("rule", SOURCES)
def test_average_ratio_equals_its_source(fixture, rule, reference_values):
    row = reference_values["ratio"][fixture]
    average = average_ratio(rule, row["gen_metrics"], row["train_metrics"])
    assert average == pytest.approx(row[SOURCES[rule]], rel=1e-10)


@pytest.mark.parametrize("fixture", ["rgg_er", "sbm", "planar"])
def test_ratios_equal_defog(fixture, reference_values):
    row = reference_values["ratio"][fixture]
    expected = dict(row["DeFoG.compute_ratios"])
    average = expected.pop("average_ratio")
    ratios = defog_ratios(row["gen_metrics"], row["train_metrics"])
    assert {f"{name}_ratio": ratio for name, ratio in ratios.items()} == pytest.approx(expected, rel=1e-10)
    assert average_ratio("defog", row["gen_metrics"], row["train_metrics"]) == pytest.approx(average, rel=1e-10)


def test_the_rules_differ_where_the_training_value_is_zero_or_a_value_is_negative():
    generated, train = {"a": 0.02, "b": -0.01}, {"a": 0.0, "b": 0.01}
    assert esgg_ratios(generated, train) == pytest.approx({"a": 2e6, "b": -1}, rel=1e-5)
    assert defog_ratios(generated, train) == {"b": 1}
    assert autograph_ratios(generated, train) == {"b": 0}


@pytest.mark.parametrize("rule", RATIOS)
def test_a_rule_without_any_ratio_has_no_average_or_a_finite_one(rule):
    average = average_ratio(rule, {"a": 0.0}, {"a": 0.0})
    assert average is None or average == 0
