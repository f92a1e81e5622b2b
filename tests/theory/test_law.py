import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.theory.divergence import divergence
from sbgd.theory.law import GaussianLaw


def test_traces_and_dimensions_count_weights() -> None:
    law = GaussianLaw.of([1.0, 4.0], weights=[3.0, 2.0])
    assert (law.dimension, law.total_variance, law.mean_variance, law.condition_number) == (5, 11, 2.2, 4)


def test_a_singular_law_has_an_infinite_condition_number() -> None:
    assert GaussianLaw.of([0.0, 1.0]).condition_number == np.inf


def test_scaling_multiplies_means_once_and_variances_twice() -> None:
    law = GaussianLaw.of([1.0, 4.0], means=[1.0, -2.0]).scaled(3.0)
    np.testing.assert_array_equal([law.means, law.variances], [[3, -6], [9, 36]])


def test_compression_keeps_dimension_and_trace_and_almost_the_divergence() -> None:
    rng = np.random.default_rng(0)
    law = GaussianLaw.of(rng.lognormal(size=5000), weights=rng.random(5000) + 0.1)
    small = law.compressed(128)
    assert len(small.variances) <= 128
    assert small.dimension == pytest.approx(law.dimension)
    assert small.total_variance == pytest.approx(law.total_variance)
    # against white noise, a smooth function of the variance
    white, small_white = (GaussianLaw.of(np.ones_like(one.variances), weights=one.weights) for one in (law, small))
    assert divergence(small_white, small).w2 == pytest.approx(divergence(white, law).w2, rel=1e-3)


def test_compression_leaves_short_laws_and_differing_means_alone() -> None:
    for law in (GaussianLaw.of([1.0, 2.0]), GaussianLaw.of(np.arange(1.0, 300), means=np.arange(299.0))):
        assert law.compressed(10 if len(law.variances) > 2 else 128) is law


@pytest.mark.parametrize(
    "arguments",
    [
        {"variances": [-1.0]},
        {"variances": [np.nan]},
        {"variances": []},
        {"variances": [1.0], "weights": [0.0]},
        {"variances": [1.0], "weights": [1.0, 1.0]},
        {"variances": [1.0], "means": [np.inf]},
    ],
)
def test_laws_that_are_none_are_refused(arguments: dict[str, list[float]]) -> None:
    with pytest.raises(InputError, match="expected"):
        GaussianLaw.of(**arguments)
