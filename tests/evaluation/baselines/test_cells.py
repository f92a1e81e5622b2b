import numpy as np
import pytest

from sbgd.evaluation.baselines.cells import distinct_cells, stochastic_round, triangle_pairs


def test_triangle_numbering_is_inverted_exactly_even_for_large_numbers():
    cells = np.concatenate([np.arange(1000), 10**17 + np.arange(1000)])
    u, v = triangle_pairs(cells)
    assert np.all((u >= 0) & (u < v))
    assert np.array_equal(v * (v - 1) // 2 + u, cells)


def test_cells_are_distinct_within_their_group_and_exact_in_number():
    capacities, counts = np.array([10, 0, 5, 1000]), np.array([3, 0, 5, 499])
    groups, cells = distinct_cells(capacities, counts, np.random.default_rng(0))
    assert np.bincount(groups, minlength=4).tolist() == counts.tolist()
    assert len(set(zip(groups.tolist(), cells.tolist(), strict=True))) == counts.sum()
    assert np.all(cells < capacities[groups])


@pytest.mark.parametrize("count", [2, 3, 4])
def test_all_cells_are_drawn_alike(count):
    generator = np.random.default_rng(1)
    drawn = np.zeros(6)
    for _ in range(2000):
        drawn[distinct_cells(np.array([6]), np.array([count]), generator)[1]] += 1
    share = count / 6
    assert np.all(abs(drawn / 2000 - share) < 5 * np.sqrt(share * (1 - share) / 2000))


def test_stochastic_rounding_keeps_whole_numbers_and_the_mean():
    generator = np.random.default_rng(2)
    assert stochastic_round(np.array([0.0, 3.0]), generator).tolist() == [0, 3]
    rounded = stochastic_round(np.full(10_000, 1.3), generator)
    assert abs(rounded.mean() - 1.3) < 5 * np.sqrt(0.21 / 10_000)
