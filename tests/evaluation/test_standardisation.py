import numpy as np
import pytest

from sbgd.evaluation.standardisation import Standardisation


def test_the_fitted_set_has_mean_zero_and_deviation_one():
    vectors = np.random.default_rng(0).normal([3.0, -200.0], [0.01, 5.0], size=(50, 2))
    standardised = Standardisation.fitted(vectors)(vectors)
    np.testing.assert_allclose(standardised.mean(axis=0), 0, atol=1e-10)
    np.testing.assert_allclose(standardised.std(axis=0), 1)


def test_columns_that_only_rounding_moves_are_centred_and_not_blown_up():
    vectors = np.array([[0.1 + 0.2, 0.0], [0.3, 0.0], [0.3, 0.0]])
    np.testing.assert_allclose(Standardisation.fitted(vectors)(vectors), 0, atol=1e-15)
    np.testing.assert_allclose(Standardisation.fitted(vectors)(np.array([[1.3, 2.0]])), [[1, 2]])


def test_missing_columns_are_zeros_on_either_side():
    fitted = Standardisation.fitted(np.array([[0.0, 2.0], [2.0, 4.0]]))
    assert fitted(np.array([[1.0]])).tolist() == [[0, -3]]
    assert fitted(np.array([[1.0, 3.0, 5.0]])).tolist() == [[0, 0, 5]]


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_a_shift_of_all_vectors_has_no_effect(shift):
    vectors = np.random.default_rng(1).normal(size=(20, 3))
    expected = Standardisation.fitted(vectors)(vectors)
    np.testing.assert_allclose(Standardisation.fitted(vectors + shift)(vectors + shift), expected, atol=1e-8)
