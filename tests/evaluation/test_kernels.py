import numpy as np
import pytest

from sbgd.evaluation.distances import EarthMovers, Euclidean, TotalVariation
from sbgd.evaluation.kernels import RANGE, Gaussian, GaussianRange, Laplacian, Linear, MedianLaplacian

X = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
Y = np.array([[0.0, 0.0, 0.0, 1.0]])

KERNELS = [
    Gaussian(TotalVariation(), 0.5),
    Gaussian(EarthMovers(), 2.0),
    Gaussian(Euclidean(), 1.0),
    Laplacian(TotalVariation(), 0.5),
    Laplacian(EarthMovers(scaling=10), 0.1),
    MedianLaplacian(TotalVariation()),
    MedianLaplacian(EarthMovers()),
    GaussianRange(Euclidean()),
    Linear(),
]


def gram(kernel, x, y):
    compared = kernel.compare(x, y)
    return kernel.gram(compared, kernel.widths(compared, kernel.compare(y, y))[0])


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (Gaussian(TotalVariation(), 0.5), [np.exp(-2), np.exp(-2)]),
        (Gaussian(EarthMovers(), 2.0), [np.exp(-9 / 8), np.exp(-4 / 8)]),
        (Gaussian(EarthMovers(scaling=10), 1.0), [np.exp(-0.09 / 2), np.exp(-0.04 / 2)]),
        (Gaussian(Euclidean(), 1.0), [np.exp(-1), np.exp(-1)]),
        (Laplacian(TotalVariation(), 0.5), [np.exp(-2), np.exp(-2)]),
        (Laplacian(EarthMovers(), 4.0), [np.exp(-3 / 4), np.exp(-2 / 4)]),
        (Linear(), [0, 0]),
    ],
)
def test_values_on_point_masses(kernel, expected):
    assert gram(kernel, X, Y)[:, 0] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_kernels_are_symmetric(kernel):
    x = np.random.default_rng(0).dirichlet(np.ones(5), size=4)
    y = np.random.default_rng(1).dirichlet(np.ones(8), size=3)
    one_way, other_way = kernel.compare(x, y), kernel.compare(y, x)
    assert kernel.gram(one_way, 0.7) == pytest.approx(kernel.gram(other_way, 0.7).T, abs=1e-15)


@pytest.mark.parametrize("kernel", [kernel for kernel in KERNELS if kernel.is_definite], ids=repr)
def test_definite_kernels_have_no_negative_eigenvalue(kernel):
    x = np.random.default_rng(0).dirichlet(np.ones(6), size=30)
    compared = kernel.compare(x, x)
    for width in (0.05, 0.3, 2.0):
        assert np.linalg.eigvalsh(kernel.gram(compared, width)).min() > -1e-12


@pytest.mark.parametrize("kernel", [kernel for kernel in KERNELS if not kernel.is_definite], ids=repr)
def test_the_others_have_one_on_some_vectors(kernel):
    lowest = 0.0
    for seed in range(20):
        x = np.random.default_rng(seed).dirichlet(np.ones(4) / 2, size=60)
        compared = kernel.compare(x, x)
        lowest = min(lowest, *(np.linalg.eigvalsh(kernel.gram(compared, width)).min() for width in (0.3, 1.0)))
    assert lowest < -1e-6


def test_a_range_scales_with_the_distance_between_the_sets():
    between = np.array([[3.0, 4.0], [0.0, 5.0]])
    widths = GaussianRange(Euclidean()).widths(between, np.zeros((2, 2)))
    assert widths == pytest.approx(np.array(RANGE) * np.sqrt(50 / 4))
    assert GaussianRange(Euclidean()).widths(np.zeros((2, 2)), np.zeros((2, 2))) == pytest.approx(np.array(RANGE))


@pytest.mark.parametrize(
    ("reference", "between", "expected"),
    [
        ([[0, 1, 5], [1, 0, 2], [5, 2, 0]], [[9]], 2),
        ([[0, 0, 3], [0, 0, 0], [3, 0, 0]], [[9]], 1),
        ([[0, 0], [0, 0]], [[4, 8]], 6),
        ([[0]], [[0, 0]], 1),
    ],
)
def test_the_median_width_is_never_zero(reference, between, expected):
    kernel = MedianLaplacian(TotalVariation())
    assert kernel.widths(np.array(between, float), np.array(reference, float)).tolist() == [expected]
