import numpy as np
import pytest

from sbgd.evaluation.kernels import GaussianL2
from sbgd.evaluation.mmd import Grams, biased_mmd, bootstrap_interval, estimate_mmd, unbiased_mmd

KERNEL = GaussianL2(1.0)


def grams(x, y):
    return Grams(xx=KERNEL(x, x), yy=KERNEL(y, y), xy=KERNEL(x, y))


def normal_pair(generator, n, m, shift=0.0):
    return grams(generator.normal(size=(n, 2)), generator.normal(size=(m, 2)) + shift)


def test_estimates_on_two_points_a_side_by_hand():
    k = Grams(xx=np.array([[1, 0.5], [0.5, 1]]), yy=np.array([[1, 0.2], [0.2, 1]]), xy=np.full((2, 2), 0.1))
    assert biased_mmd(k) == pytest.approx(0.75 + 0.6 - 0.2)
    assert unbiased_mmd(k) == pytest.approx(0.5 + 0.2 - 0.2)
    assert k.floor == 1.0


def test_biased_is_zero_on_identical_samples():
    x = np.random.default_rng(0).normal(size=(20, 2))
    assert abs(biased_mmd(grams(x, x))) < 1e-15


def test_both_are_symmetric():
    x, y = np.random.default_rng(0).normal(size=(2, 9, 2))
    for estimator in (biased_mmd, unbiased_mmd):
        assert estimator(grams(x, y)) == pytest.approx(estimator(grams(y, x)), abs=1e-15)


def test_unbiased_has_mean_zero_for_equal_laws_and_biased_does_not():
    generator = np.random.default_rng(0)
    samples = [normal_pair(generator, 8, 12) for _ in range(2000)]
    unbiased = np.array([unbiased_mmd(k) for k in samples])
    assert abs(unbiased.mean()) < 5 * unbiased.std() / np.sqrt(len(unbiased))
    # E k(x, x') = 1/3 for this kernel and x - x' ~ N(0, 2 I) in the plane
    biased = np.array([biased_mmd(k) for k in samples])
    expected = (1 / 8 + 1 / 12) * (1 - 1 / 3)
    assert abs(biased.mean() - expected) < 5 * biased.std() / np.sqrt(len(biased))


def test_unbiased_has_the_closed_form_mean_for_shifted_laws():
    generator = np.random.default_rng(1)
    values = np.array([unbiased_mmd(normal_pair(generator, 10, 10, shift=1.0)) for _ in range(1000)])
    expected = 2 / 3 * (1 - np.exp(-2 / 6))
    assert abs(values.mean() - expected) < 5 * values.std() / np.sqrt(len(values))


def test_intervals_of_well_separated_samples_cover_the_true_value():
    generator = np.random.default_rng(2)
    expected = 2 / 3 * (1 - np.exp(-8 / 6))
    covered = 0
    for _ in range(200):
        low, high = bootstrap_interval(
            normal_pair(generator, 30, 30, shift=2.0), num_resamples=200, generator=generator
        )
        covered += low <= expected <= high
    # nominal 190; five standard errors of a binomial are 15, and a percentile interval undercovers a little
    assert covered >= 165


def test_interval_narrows_with_more_graphs():
    generator = np.random.default_rng(3)
    widths = []
    for n in (5, 80):
        low, high = bootstrap_interval(normal_pair(generator, n, n, shift=1.0), generator=generator)
        widths.append(high - low)
    assert widths[0] > 2 * widths[1]


def test_the_same_seed_gives_the_same_interval():
    k = normal_pair(np.random.default_rng(4), 10, 10)
    first, second = (bootstrap_interval(k, generator=np.random.default_rng(7)) for _ in range(2))
    assert first == second


def test_one_graph_has_no_unbiased_estimate_and_no_interval():
    estimate = estimate_mmd(normal_pair(np.random.default_rng(5), 1, 1), generator=np.random.default_rng(0))
    assert (estimate.unbiased, estimate.interval, estimate.floor) == (None, None, 2.0)
    assert 0 <= estimate.biased <= 2
