import numpy as np
import pytest

from sbgd.evaluation.distances import Euclidean
from sbgd.evaluation.kernels import Gaussian
from sbgd.evaluation.mmd import Grams, biased_mmd, paired_mmd, unbiased_mmd

KERNEL = Gaussian(Euclidean(), 1.0)


def gram(x, y):
    return KERNEL.gram(KERNEL.compare(x, y), KERNEL.sigma)


def grams(x, y):
    return Grams(xx=gram(x, x), yy=gram(y, y), xy=gram(x, y))


def normal_pair(generator, n, m, shift=0.0):
    return grams(generator.normal(size=(n, 2)), generator.normal(size=(m, 2)) + shift)


def test_estimates_on_two_points_a_side_by_hand():
    k = Grams(
        xx=np.array([[1, 0.5], [0.5, 1]]), yy=np.array([[1, 0.2], [0.2, 1]]), xy=np.array([[0.1, 0.3], [0.2, 0.4]])
    )
    assert biased_mmd(k) == pytest.approx(0.75 + 0.6 - 2 * 0.25)
    assert unbiased_mmd(k) == pytest.approx(0.5 + 0.2 - 2 * 0.25)
    assert paired_mmd(k) == pytest.approx(0.5 + 0.2 - 2 * 0.25)
    assert k.floor == 1.0


def test_the_floor_of_a_kernel_without_unit_diagonal_is_what_the_diagonals_add():
    k = Grams(xx=np.diag([4.0, 2.0]), yy=np.eye(4), xy=np.zeros((2, 4)))
    assert k.floor == pytest.approx(6 / 4 + 4 / 16) == pytest.approx(biased_mmd(k))


def test_biased_is_zero_on_identical_samples():
    x = np.random.default_rng(0).normal(size=(20, 2))
    assert abs(biased_mmd(grams(x, x))) < 1e-15


def test_all_are_symmetric():
    x, y = np.random.default_rng(0).normal(size=(2, 9, 2))
    for estimator in (biased_mmd, unbiased_mmd, paired_mmd):
        assert estimator(grams(x, y)) == pytest.approx(estimator(grams(y, x)), abs=1e-15)


@pytest.mark.parametrize(("estimator", "m"), [(unbiased_mmd, 12), (paired_mmd, 8)])
def test_unbiased_ones_have_mean_zero_for_equal_laws(estimator, m):
    generator = np.random.default_rng(0)
    values = np.array([estimator(normal_pair(generator, 8, m)) for _ in range(2000)])
    assert abs(values.mean()) < 5 * values.std() / np.sqrt(len(values))


def test_the_biased_one_has_not():
    generator = np.random.default_rng(0)
    # E k(x, x') = 1/3 for this kernel and x - x' ~ N(0, 2 I) in the plane
    biased = np.array([biased_mmd(normal_pair(generator, 8, 12)) for _ in range(2000)])
    expected = (1 / 8 + 1 / 12) * (1 - 1 / 3)
    assert abs(biased.mean() - expected) < 5 * biased.std() / np.sqrt(len(biased))


def test_unbiased_has_the_closed_form_mean_for_shifted_laws():
    generator = np.random.default_rng(1)
    values = np.array([unbiased_mmd(normal_pair(generator, 10, 10, shift=1.0)) for _ in range(1000)])
    expected = 2 / 3 * (1 - np.exp(-2 / 6))
    assert abs(values.mean() - expected) < 5 * values.std() / np.sqrt(len(values))


def test_too_few_graphs_have_no_unbiased_estimate():
    k = normal_pair(np.random.default_rng(5), 1, 3)
    assert (unbiased_mmd(k), paired_mmd(k)) == (None, None)
    assert paired_mmd(normal_pair(np.random.default_rng(5), 3, 4)) is None
    assert 0 <= biased_mmd(k) <= 2
