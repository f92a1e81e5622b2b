from pathlib import Path

import numpy as np
import pytest
from scipy import linalg

from sbgd.evaluation.frechet import frechet_distance

DATA = Path(__file__).parents[1] / "data_files" / "evaluation"


def textbook(x, y):
    c, d = np.cov(x, rowvar=False), np.cov(y, rowvar=False)
    shift = x.mean(axis=0) - y.mean(axis=0)
    return shift @ shift + np.trace(c + d - 2 * linalg.sqrtm(c @ d).real)


def test_of_shared_covariance_is_the_squared_shift():
    x = np.random.default_rng(0).normal(size=(40, 3))
    assert frechet_distance(x, x + np.array([3.0, 0.0, -4.0])) == pytest.approx(25)


def test_of_points_on_lines_is_the_squared_difference_of_deviations():
    x = np.array([[-1.0], [1.0]])
    assert frechet_distance(x, 3 * x) == pytest.approx((3 - 1) ** 2 * 2)


def test_equals_the_matrix_root_for_covariances_of_full_rank():
    generator = np.random.default_rng(1)
    x = generator.normal(size=(60, 4)) @ generator.normal(size=(4, 4))
    y = generator.normal(size=(50, 4)) + 1
    assert frechet_distance(x, y) == pytest.approx(textbook(x, y), rel=1e-10)


def test_of_singular_covariances_equals_the_stored_value_of_the_exact_form(reference_values):
    expected = reference_values["per_graph_descriptors"]["fd_svd_planar_seed0"]
    with np.load(DATA / "gin_planar_seed0.npz") as stored:
        x, y = stored["G"].astype(float), stored["R"].astype(float)
    assert frechet_distance(x, y) == pytest.approx(expected, rel=1e-9)
    published = reference_values["gin_ggm"]["planar:ref|gen|torch_seed0"]["fid"]
    assert frechet_distance(x, y) == pytest.approx(published, rel=1e-7)


@pytest.mark.parametrize("num_vectors", [5, 200])
def test_of_a_set_to_itself_is_zero(num_vectors):
    x = np.random.default_rng(2).normal(size=(num_vectors, 20)) * 100
    assert frechet_distance(x, x[::-1]) == pytest.approx(0, abs=1e-8)


def test_is_symmetric_and_pads_missing_columns():
    generator = np.random.default_rng(3)
    x, y = generator.normal(size=(10, 5)), generator.normal(size=(12, 3))
    assert frechet_distance(x, y) == pytest.approx(frechet_distance(y, x))
    assert frechet_distance(x, y) == frechet_distance(x, np.pad(y, ((0, 0), (0, 2))))


def test_needs_two_vectors_on_each_side():
    x = np.ones((2, 3))
    assert frechet_distance(x[:1], x) is None
    assert frechet_distance(x, x[:1]) is None
    assert frechet_distance(x, x) == 0
