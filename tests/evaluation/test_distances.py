import numpy as np
import pytest
from scipy.optimize import linprog

from sbgd.evaluation.distances import EarthMovers, Euclidean, PartialEarthMovers, TotalVariation

X = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
Y = np.array([[0.0, 0.0, 0.0, 1.0]])


@pytest.mark.parametrize(
    ("distance", "expected"),
    [
        (TotalVariation(), [1, 1]),
        (EarthMovers(), [3, 2]),
        (EarthMovers(scaling=10), [0.3, 0.2]),
        (Euclidean(), [2**0.5, 2**0.5]),
        (PartialEarthMovers(), [3, 2]),
    ],
)
def test_values_on_point_masses(distance, expected):
    assert distance(X, Y)[:, 0] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("distance", [TotalVariation(), EarthMovers(5), Euclidean(), PartialEarthMovers()], ids=repr)
def test_distances_are_symmetric_and_zero_on_equal_vectors_of_any_width(distance):
    x = np.random.default_rng(0).dirichlet(np.ones(5), size=4)
    y = np.random.default_rng(1).dirichlet(np.ones(8), size=3)
    assert distance(x, y) == pytest.approx(distance(y, x).T, abs=1e-14)
    assert np.diag(distance(x, np.pad(x, ((0, 0), (0, 2))))) == pytest.approx(np.zeros(4), abs=1e-14)


def transport(heavy, light):
    """The least cost of serving `light` from a part of `heavy`, as a linear program."""
    k = len(heavy)
    cost = np.abs(np.subtract.outer(np.arange(k), np.arange(k))).ravel()
    rows = np.kron(np.eye(k), np.ones(k))
    columns = np.kron(np.ones(k), np.eye(k))
    return linprog(cost, A_ub=rows, b_ub=heavy, A_eq=columns, b_eq=light).fun


def test_partial_earth_movers_equals_a_linear_program():
    generator = np.random.default_rng(0)
    for k in (1, 2, 5, 9):
        for _ in range(15):
            a, b = generator.integers(0, 6, size=(2, k)).astype(float)
            heavy, light = (a, b) if a.sum() >= b.sum() else (b, a)
            expected = transport(heavy, light) + (k - 1) * (heavy.sum() - light.sum())
            assert PartialEarthMovers()(a[None], b[None])[0, 0] == pytest.approx(expected, abs=1e-9)


def test_partial_earth_movers_equals_earth_movers_for_equal_masses():
    x, y = (np.random.default_rng(seed).dirichlet(np.ones(15), size=6) for seed in (0, 1))
    assert PartialEarthMovers()(x, y) == pytest.approx(EarthMovers()(x, y), abs=1e-12)
