import numpy as np
import pytest

from sbgd.evaluation.kernels import GaussianEMD, GaussianL2, GaussianTV, LaplacianTV

X = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
Y = np.array([[0.0, 0.0, 0.0, 1.0]])

KERNELS = [GaussianTV(0.5), GaussianEMD(2.0), GaussianL2(1.0), LaplacianTV(0.5)]


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (GaussianTV(0.5), [np.exp(-2), np.exp(-2)]),
        (GaussianEMD(2.0), [np.exp(-9 / 8), np.exp(-4 / 8)]),
        (GaussianEMD(1.0, distance_scaling=10), [np.exp(-0.09 / 2), np.exp(-0.04 / 2)]),
        (GaussianL2(1.0), [np.exp(-1), np.exp(-1)]),
        (LaplacianTV(0.5), [np.exp(-2), np.exp(-2)]),
    ],
)
def test_values_on_point_masses(kernel, expected):
    assert kernel(X, Y)[:, 0] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_kernels_are_symmetric_with_unit_diagonal(kernel):
    x = np.random.default_rng(0).dirichlet(np.ones(5), size=4)
    y = np.random.default_rng(1).dirichlet(np.ones(8), size=3)
    assert np.allclose(kernel(x, y), kernel(y, x).T, rtol=0, atol=1e-15)
    assert np.diag(kernel(x, x)) == pytest.approx(np.ones(4))


@pytest.mark.parametrize("kernel", [GaussianL2(0.3), LaplacianTV(0.1)], ids=repr)
def test_definite_kernels_have_no_negative_eigenvalue(kernel):
    x = np.random.default_rng(0).dirichlet(np.ones(6), size=30)
    assert np.linalg.eigvalsh(kernel(x, x)).min() > -1e-12
