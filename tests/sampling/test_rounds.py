import numpy as np
import pytest
from numpy.typing import NDArray

from sbgd.sampling.rounds import colour_pairs


def _random_pairs(num_blocks: int, density: float, seed: int) -> NDArray[np.int64]:
    upper = np.triu(np.random.default_rng(seed).random((num_blocks, num_blocks)) < density, 1)
    return np.argwhere(upper).astype(np.int64)


def _keys(pairs: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    return np.random.default_rng(seed).permutation(len(pairs))


CASES = {
    "sparse": (60, _random_pairs(60, 0.05, 0)),
    "dense": (30, _random_pairs(30, 0.6, 1)),
    "complete": (9, _random_pairs(9, 2.0, 0)),
    "star": (12, np.stack([np.zeros(11, np.int64), np.arange(1, 12)], axis=1)),
    "path": (20, np.stack([np.arange(19), np.arange(1, 20)], axis=1)),
    "one pair": (5, np.array([[1, 4]])),
}


@pytest.fixture(params=list(CASES))
def case(request: pytest.FixtureRequest) -> tuple[int, NDArray[np.int64]]:
    return CASES[request.param]


def test_no_block_is_in_two_pairs_of_a_round(case: tuple[int, NDArray[np.int64]]) -> None:
    num_blocks, pairs = case
    rounds = colour_pairs(pairs, num_blocks, _keys(pairs, 0))
    for number in range(rounds.max() + 1):
        ends = pairs[rounds == number].ravel()
        assert len(ends) == len(set(ends.tolist())) > 0


def test_every_pair_has_a_round_and_they_are_fewer_than_twice_the_largest_degree(
    case: tuple[int, NDArray[np.int64]],
) -> None:
    num_blocks, pairs = case
    rounds = colour_pairs(pairs, num_blocks, _keys(pairs, 0))
    largest = np.bincount(pairs.ravel()).max()
    assert rounds.min() == 0
    assert largest <= rounds.max() + 1 <= 2 * largest - 1


def test_every_round_is_maximal(case: tuple[int, NDArray[np.int64]]) -> None:
    num_blocks, pairs = case
    rounds = colour_pairs(pairs, num_blocks, _keys(pairs, 0))
    for number in range(rounds.max()):
        busy = set(pairs[rounds == number].ravel().tolist())
        assert all(set(pair.tolist()) & busy for pair in pairs[rounds > number])


def test_the_keys_decide_the_rounds() -> None:
    num_blocks, pairs = CASES["dense"]
    first, again, other = (colour_pairs(pairs, num_blocks, _keys(pairs, seed)) for seed in (3, 3, 4))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_star_needs_one_round_a_ray() -> None:
    num_blocks, pairs = CASES["star"]
    assert sorted(colour_pairs(pairs, num_blocks, _keys(pairs, 0)).tolist()) == list(range(11))


def test_no_pairs_need_no_rounds() -> None:
    assert len(colour_pairs(np.zeros((0, 2), np.int64), 7, np.random.default_rng(0))) == 0
