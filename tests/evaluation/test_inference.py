"""Calibration under one law, coverage and power under two, on Gaussian samples whose MMD^2 is known."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from sbgd.evaluation.distances import Euclidean
from sbgd.evaluation.inference import PermutationTest, bootstrap_interval, permutation_test
from sbgd.evaluation.kernels import Gaussian, GaussianRange, Linear
from sbgd.evaluation.mmd import Grams, unbiased_mmd

KERNEL = Gaussian(Euclidean(), 1.0)


def pooled_gram(x, y, kernel=KERNEL):
    both = np.concatenate([x, y])
    compared = kernel.compare(both, both)
    return [kernel.gram(compared, width) for width in kernel.widths(compared, compared)]


def split(gram, n):
    return Grams(xx=gram[:n, :n], yy=gram[n:, n:], xy=gram[:n, n:])


def samples(generator, n, m, shift):
    return generator.normal(size=(n, 2)), generator.normal(size=(m, 2)) + shift


def true_mmd(shift):
    return 2 / 3 * (1 - np.exp(-2 * shift**2 / 6))


def test_the_test_lists_the_unbiased_estimate_of_every_split():
    x, y = samples(np.random.default_rng(0), 3, 2, 0.5)
    (gram,) = pooled_gram(x, y)
    test = permutation_test([gram], 3, num_permutations=400, generator=np.random.default_rng(1))
    every = set()
    for first in combinations(range(5), 3):
        order = [*first, *(set(range(5)) - set(first))]
        every.add(round(unbiased_mmd(split(gram[np.ix_(order, order)], 3)), 12))
    assert test.observed == pytest.approx(unbiased_mmd(split(gram, 3)), abs=1e-14)
    assert {round(value, 12) for value in test.permuted.tolist()} == every


def test_the_p_value_counts_the_observed_split_and_ties():
    assert PermutationTest(1.0, np.array([0.5, 1.0, 1.0 - 1e-13, 2.0])).p_value == pytest.approx(4 / 5)
    assert PermutationTest(3.0, np.array([0.5, 1.0, 2.0])).p_value == pytest.approx(1 / 4)


@pytest.mark.parametrize("kernel", [KERNEL, GaussianRange(Euclidean()), Linear()], ids=repr)
@pytest.mark.parametrize(("n", "m"), [(20, 20), (15, 30)])
def test_p_values_are_uniform_under_one_law(kernel, n, m):
    generator = np.random.default_rng(7)
    p_values = [
        permutation_test(
            pooled_gram(*samples(generator, n, m, 0.0), kernel), n, num_permutations=199, generator=generator
        ).p_value
        for _ in range(300)
    ]
    # p-values are multiples of 1/200: spread over the step below them they are continuous
    smooth = np.array(p_values) - generator.random(len(p_values)) / 200
    assert stats.kstest(smooth, "uniform").pvalue > 0.001


def coverage(generator, n, m, shift, num_samples):
    covered = rejected = 0
    for _ in range(num_samples):
        (gram,) = pooled_gram(*samples(generator, n, m, shift))
        test = permutation_test([gram], n, num_permutations=199, generator=generator)
        low, high = bootstrap_interval(split(gram, n), test, num_resamples=200, generator=generator)
        covered += low <= true_mmd(shift) <= high
        rejected += test.p_value <= 0.05
        assert (low > 0) == (test.p_value <= 0.05)
    return covered / num_samples, rejected / num_samples


@pytest.mark.parametrize(("n", "m"), [(20, 20), (40, 25)])
def test_intervals_cover_zero_at_the_stated_rate_under_one_law(n, m):
    covered, rejected = coverage(np.random.default_rng(3), n, m, 0.0, 600)
    # five standard errors of a binomial with p = 0.95 are 0.044
    assert covered == pytest.approx(0.95, abs=0.044)
    assert covered + rejected == 1


@pytest.mark.parametrize(("shift", "power"), [(0.3, 0.1), (1.0, 0.85), (2.0, 1.0)])
def test_intervals_cover_the_truth_and_the_test_has_power_under_two_laws(shift, power):
    covered, rejected = coverage(np.random.default_rng(4), 25, 25, shift, 300)
    # a percentile interval is a little short; with few graphs and a weak difference it covers about 0.9
    assert covered > 0.85
    assert rejected >= power


def test_an_interval_narrows_with_more_graphs():
    generator = np.random.default_rng(3)
    widths = []
    for n in (5, 80):
        (gram,) = pooled_gram(*samples(generator, n, n, 1.0))
        test = permutation_test([gram], n, generator=generator)
        low, high = bootstrap_interval(split(gram, n), test, generator=generator)
        widths.append(high - low)
    assert widths[0] > 2 * widths[1]


def test_the_same_seed_gives_the_same_interval_and_p_value():
    (gram,) = pooled_gram(*samples(np.random.default_rng(0), 10, 10, 0.3))

    def measured():
        generator = np.random.default_rng(7)
        test = permutation_test([gram], 10, generator=generator)
        return test.p_value, bootstrap_interval(split(gram, 10), test, generator=generator)

    assert measured() == measured()


def test_one_graph_on_a_side_cannot_be_tested():
    (gram,) = pooled_gram(*samples(np.random.default_rng(0), 1, 10, 0.0))
    assert permutation_test([gram], 1, generator=np.random.default_rng(0)) is None


def test_samples_without_any_difference_have_p_value_1_and_the_interval_0():
    gram = np.ones((8, 8))
    test = permutation_test([gram], 4, generator=np.random.default_rng(0))
    assert test.p_value == 1
    assert bootstrap_interval(split(gram, 4), test, generator=np.random.default_rng(0)) == pytest.approx((0, 0))
