import math

import numpy as np
import pytest
import torch
from scipy import stats
from torch import Tensor

from sbgd.diffusion import CounterNoise, GeneratorNoise, NoiseSource, symmetric


def ids(*numbers: int) -> Tensor:
    return torch.tensor(numbers, dtype=torch.int64)


@pytest.fixture(params=["counter", "generator"])
def source(request: pytest.FixtureRequest) -> NoiseSource:
    if request.param == "counter":
        return CounterNoise(7, torch.arange(64))
    return GeneratorNoise(torch.Generator().manual_seed(7))


def test_uniform_draws_follow_the_uniform_law(source: NoiseSource) -> None:
    draws = source.uniform((64, 50, 40)).double().flatten()
    assert 0 < draws.min() < draws.max() < 1
    assert stats.kstest(draws.numpy(), "uniform").pvalue > 1e-6


def test_normal_draws_follow_the_normal_law_and_are_finite(source: NoiseSource) -> None:
    draws = source.normal((64, 50, 40)).double().flatten()
    assert torch.isfinite(draws).all()
    assert stats.kstest(draws.numpy(), "norm").pvalue > 1e-6


def test_draw_chooses_the_law() -> None:
    uniform = CounterNoise(1, ids(4)).draw("uniform", (1, 9))
    normal = CounterNoise(1, ids(4)).draw("normal", (1, 9))
    assert torch.equal(uniform, CounterNoise(1, ids(4)).uniform((1, 9)))
    torch.testing.assert_close(torch.special.ndtr(normal), uniform, rtol=1e-5, atol=1e-6)


def test_neighbouring_ids_draws_and_positions_are_uncorrelated() -> None:
    source = CounterNoise(3, torch.arange(200))
    first, second = (source.uniform((200, 200)).double() for _ in range(2))
    bound = 5 / math.sqrt(199 * 200)
    for x, y in ((first[1:], first[:-1]), (first[:, 1:], first[:, :-1]), (first[1:], second[1:])):
        assert abs(np.corrcoef(x.flatten(), y.flatten())[0, 1]) < bound


def test_first_draws_of_many_ids_are_uniform() -> None:
    draws = CounterNoise(0, torch.arange(50_000)).uniform((50_000,)).double()
    assert stats.kstest(draws.numpy(), "uniform").pvalue > 1e-6


def test_no_two_rows_or_columns_of_an_array_share_their_noise() -> None:
    draws = CounterNoise(0, ids(0)).uniform((1, 64, 64))[0]
    assert len(torch.unique(draws, dim=0)) == len(torch.unique(draws, dim=1)) == 64
    assert not torch.equal(draws, draws.T)


def test_the_same_seed_id_and_draw_give_the_same_noise() -> None:
    assert torch.equal(CounterNoise(5, ids(1, 2)).uniform((2, 6)), CounterNoise(5, ids(1, 2)).uniform((2, 6)))


def test_noise_of_an_id_does_not_depend_on_the_batch() -> None:
    together = CounterNoise(5, ids(30, 10, 20)).normal((3, 4, 4))
    for row, number in enumerate((30, 10, 20)):
        assert torch.equal(together[row], CounterNoise(5, ids(number)).normal((1, 4, 4))[0])


def test_noise_of_an_id_does_not_depend_on_the_order_of_the_batch() -> None:
    forwards, backwards = (CounterNoise(5, order).uniform((2, 8)) for order in (ids(1, 2), ids(2, 1)))
    assert torch.equal(forwards, backwards.flip(0))


def test_noise_of_an_entry_does_not_depend_on_padding() -> None:
    small, large = (CounterNoise(5, ids(3, 4)).uniform((2, n, n)) for n in (6, 9))
    assert torch.equal(small, large[:, :6, :6])


def test_later_draws_do_not_depend_on_the_padding_of_earlier_ones() -> None:
    small, large = CounterNoise(5, ids(3)), CounterNoise(5, ids(3))
    small.uniform((1, 4))
    large.uniform((1, 400))
    assert torch.equal(small.uniform((1, 4)), large.uniform((1, 4)))


@pytest.mark.parametrize(
    "other",
    [
        CounterNoise(6, ids(3)),
        CounterNoise(5, ids(4)),
        CounterNoise(5, ids(3), stage=1),
        CounterNoise(-5, ids(3)),
        CounterNoise(5 + (1 << 40), ids(3)),
        CounterNoise(5, ids(3 + (1 << 40))),
        CounterNoise(3, ids(5)),
    ],
    ids=["seed", "id", "stage", "negative seed", "large seed", "large id", "seed and id exchanged"],
)
def test_another_seed_id_or_stage_gives_unrelated_noise(other: CounterNoise) -> None:
    here, there = CounterNoise(5, ids(3)).uniform((1, 10_000)), other.uniform((1, 10_000))
    assert abs(np.corrcoef(here[0], there[0])[0, 1]) < 0.05


def test_stages_and_seeds_do_not_collide() -> None:
    """seed and stage are one key each: no (seed, stage) of a grid repeats the stream of another."""
    streams = {
        tuple(CounterNoise(seed, ids(0), stage).uniform((1, 3))[0].tolist())
        for seed in range(64)
        for stage in range(64)
    }
    assert len(streams) == 64 * 64


def test_symmetric_noise_has_unit_variance_off_the_diagonal_and_none_on_it() -> None:
    noise = symmetric(GeneratorNoise(torch.Generator().manual_seed(0)).normal((400, 20, 20)))
    assert torch.equal(noise, noise.transpose(1, 2))
    assert torch.equal(noise.diagonal(dim1=1, dim2=2), torch.zeros(400, 20))
    upper = noise[:, *torch.triu_indices(20, 20, 1)]
    count = upper.numel()
    assert upper.mean().item() == pytest.approx(0, abs=5 / math.sqrt(count))
    assert upper.var().item() == pytest.approx(1, abs=5 * math.sqrt(2 / count))


def test_symmetric_keeps_the_upper_triangle() -> None:
    noise = torch.arange(9.0).reshape(1, 3, 3)
    assert symmetric(noise).tolist() == [[[0, 1, 2], [1, 0, 5], [2, 5, 0]]]
