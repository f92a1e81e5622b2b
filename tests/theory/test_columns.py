import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.theory.columns import Columns

RNG = np.random.default_rng(0)


def test_columns_come_out_standardised_with_their_deviations() -> None:
    raw = RNG.standard_normal((500, 3)) * [1.0, 10.0, 1e-6] + [0.0, 100.0, 5.0]
    columns = Columns.of(raw)
    np.testing.assert_allclose(columns.values.mean(axis=0), 0, atol=1e-8)
    np.testing.assert_allclose(columns.values.std(axis=0), 1)
    np.testing.assert_allclose(columns.deviations, raw.std(axis=0))


def test_constant_columns_are_dropped_and_counted() -> None:
    columns = Columns.of(np.column_stack([np.full(7, 0.1), np.arange(7), np.zeros(7), np.full(7, 1e9)]))
    assert (columns.num_columns, columns.num_constant) == (1, 3)


def test_missing_entries_take_the_mean_of_their_column_and_are_counted() -> None:
    raw = np.array([[1.0, np.nan], [3.0, np.nan], [np.nan, np.inf], [2.0, np.nan]])
    columns = Columns.of(raw)
    assert (columns.num_missing, columns.num_constant) == (5, 1)
    np.testing.assert_allclose(columns.values[:, 0], np.array([-1, 1, 0, 0]) / np.sqrt(0.5))


def test_independent_columns_have_their_variances_as_eigenvalues() -> None:
    columns = Columns.of(RNG.standard_normal((50, 4)) * [1, 2, 3, 4])
    np.testing.assert_allclose(columns.eigenvalues(standardised=False, correlated=False), columns.deviations**2)
    np.testing.assert_array_equal(columns.eigenvalues(standardised=True, correlated=False), np.ones(4))


def test_correlation_is_found_and_keeps_the_trace() -> None:
    shared = RNG.standard_normal((4000, 1))
    columns = Columns.of(shared + RNG.standard_normal((4000, 5)))
    # correlation 1/2 of five columns: one eigenvalue of 1 + 4/2, four of 1/2; sampling error about 3 / sqrt(4000)
    np.testing.assert_allclose(
        columns.eigenvalues(standardised=True, correlated=True), [0.5, 0.5, 0.5, 0.5, 3.0], atol=0.25
    )
    assert columns.eigenvalues(standardised=False, correlated=True).sum() == pytest.approx(
        (columns.deviations**2).sum()
    )


def test_copies_count_once_and_orthogonal_columns_count_all() -> None:
    column = RNG.standard_normal((30, 1))
    assert Columns.of(np.tile(column, 7)).effective_number == pytest.approx(1)
    orthogonal = np.linalg.qr(np.column_stack([np.ones(30), RNG.standard_normal((30, 5))]))[0][:, 1:]
    assert Columns.of(orthogonal).effective_number == pytest.approx(5)


def test_correlation_of_independent_columns_is_shrunk_to_the_identity() -> None:
    columns = Columns.of(RNG.standard_normal((60, 40)))
    raw = np.linalg.eigvalsh(columns.values.T @ columns.values / 60)
    shrunk = columns.eigenvalues(standardised=True, correlated=True)
    assert np.abs(shrunk - 1).max() < 0.3 * np.abs(raw - 1).max()


@pytest.mark.parametrize("raw", [np.zeros((3, 2)), np.zeros((0, 2)), np.zeros(3), np.full((3, 1), np.nan)])
def test_features_without_a_law_are_refused(raw: np.ndarray) -> None:
    with pytest.raises(InputError, match="expected"):
        Columns.of(raw)
