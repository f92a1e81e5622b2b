import numpy as np
import pytest

from sbgd.data.scaler import FeatureScaler
from sbgd.errors import InputError


def test_standardised_columns_of_all_graphs_together_have_mean_zero_and_deviation_one() -> None:
    rng = np.random.default_rng(0)
    arrays = [rng.normal([2, -30], [0.1, 7], (size, 2)) for size in (50, 3, 200)]
    scaler = FeatureScaler.fit(arrays)
    stacked = np.concatenate([scaler.standardise(array, len(array)) for array in arrays]).astype(np.float64)
    np.testing.assert_allclose(stacked.mean(0), 0, atol=1e-5)
    np.testing.assert_allclose(stacked.std(0), 1, rtol=1e-5)


def test_literal_values() -> None:
    scaler = FeatureScaler.fit([np.array([[1.0, 10.0], [3.0, 30.0]])])
    assert scaler.mean.tolist() == [2, 20]
    assert scaler.scale.tolist() == [1, 10]
    assert scaler.standardise(np.array([[4.0, 0.0]]), 1).tolist() == [[2, -2]]


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_restore_undoes_standardise(scale: float) -> None:
    features = scale * np.random.default_rng(1).normal(1, 2, (100, 3))
    scaler = FeatureScaler.fit([features])
    restored = scaler.restore(scaler.standardise(features, 100))
    np.testing.assert_allclose(restored, features, rtol=0, atol=5e-7 * scaler.scale.max())


def test_a_constant_column_becomes_zero_and_comes_back_exactly() -> None:
    features = np.full((5, 2), [7.0, 0.1])
    scaler = FeatureScaler.fit([features])
    assert scaler.scale.tolist() == [1, 1]
    standardised = scaler.standardise(features, 5)
    np.testing.assert_allclose(standardised, 0, atol=1e-15)
    np.testing.assert_allclose(scaler.restore(standardised), features, rtol=1e-15)


def test_columns_of_very_different_scales_are_standardised_alike() -> None:
    base = np.random.default_rng(2).normal(size=(80, 1))
    standardised = FeatureScaler.fit([base * [1, 1e6, 1e-6]]).standardise(base * [1, 1e6, 1e-6], 80)
    np.testing.assert_allclose(standardised, np.repeat(standardised[:, :1], 3, axis=1), rtol=1e-5, atol=1e-6)


def test_a_small_spread_around_a_large_mean_is_kept() -> None:
    features = 1e6 + np.array([[-1.0], [1.0]])
    assert FeatureScaler.fit([features]).standardise(features, 2).tolist() == [[-1], [1]]


def test_graphs_without_features_have_no_columns() -> None:
    scaler = FeatureScaler.fit([None, None])
    assert scaler.num_features == 0
    assert scaler.standardise(None, 4).tolist() == [[], [], [], []]
    assert scaler.restore(np.zeros((4, 0), np.float32)).tolist() == [[], [], [], []]


def test_graphs_without_nodes_leave_the_values_alone() -> None:
    scaler = FeatureScaler.fit([np.zeros((0, 2))])
    assert scaler.standardise(np.array([[3.0, 4.0]]), 1).tolist() == [[3, 4]]


@pytest.mark.parametrize("other", [None, np.zeros((3, 3))], ids=["no features", "another width"])
def test_graphs_with_different_columns_are_refused(other: np.ndarray | None) -> None:
    with pytest.raises(InputError, match="same feature columns in every graph"):
        FeatureScaler.fit([np.zeros((4, 2)), other])
