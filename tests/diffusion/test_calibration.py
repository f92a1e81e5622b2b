import itertools

import pytest
import torch
from torch import Tensor

from sbgd.diffusion.calibration import SHIFT_BOUND, count_shift, degree_shift


def pair_weights(num_samples: int, num_nodes: int) -> Tensor:
    weight = torch.ones(num_nodes, num_nodes, dtype=torch.float64) - torch.eye(num_nodes, dtype=torch.float64)
    return weight.expand(num_samples, -1, -1)


def random_logits(num_samples: int, num_nodes: int, spread: float, seed: int = 0) -> Tensor:
    drawn = torch.randn(
        num_samples, num_nodes, num_nodes, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)
    )
    return spread * (drawn + drawn.transpose(1, 2)) / 2**0.5


def expected_degrees(logit: Tensor, weight: Tensor, shift: Tensor) -> Tensor:
    return (weight * torch.sigmoid(logit + shift.unsqueeze(-1) + shift.unsqueeze(-2))).sum(-1)


@pytest.mark.parametrize("spread", [0.0, 1.0, 4.0])
def test_count_shift_meets_the_wanted_count(spread: float) -> None:
    weight, logit = pair_weights(4, 10), random_logits(4, 10, spread)
    count = torch.tensor([1.0, 20.0, 45.0, 89.0], dtype=torch.float64)
    shift = count_shift(logit, weight, count)
    total = (weight * torch.sigmoid(logit + shift.reshape(-1, 1, 1))).sum((1, 2))
    torch.testing.assert_close(total, count, rtol=1e-4, atol=1e-4)


def test_count_shift_of_equal_logits_is_the_logit_of_the_density() -> None:
    shift = count_shift(torch.zeros(1, 6, 5, dtype=torch.float64), torch.ones(1, 6, 5), torch.tensor([3.0]).double())
    assert shift.item() == pytest.approx(torch.logit(torch.tensor(0.1)).item(), abs=1e-5)


def test_count_shift_of_probabilities_that_already_fit_is_zero() -> None:
    weight, logit = pair_weights(3, 8), random_logits(3, 8, 2.0)
    count = (weight * torch.sigmoid(logit)).sum((1, 2))
    torch.testing.assert_close(count_shift(logit, weight, count), torch.zeros_like(count), rtol=0, atol=1e-5)


def test_count_shift_undoes_a_common_offset() -> None:
    weight, logit, count = pair_weights(2, 8), random_logits(2, 8, 1.0), torch.tensor([6.0, 12.0]).double()
    offset = count_shift(logit + 2, weight, count) - count_shift(logit, weight, count)
    torch.testing.assert_close(offset, torch.full_like(count, -2), rtol=0, atol=1e-5)


def test_count_shift_ignores_entries_without_weight() -> None:
    logit, count = random_logits(1, 8, 1.0), torch.tensor([5.0]).double()
    weight = pair_weights(1, 8).clone()
    weight[:, 6:] = weight[:, :, 6:] = 0
    changed = torch.where(weight > 0, logit, torch.full_like(logit, 7.0))
    assert torch.equal(count_shift(changed, weight, count), count_shift(logit, weight, count))


@pytest.mark.parametrize(("count", "bound"), [(-1.0, -SHIFT_BOUND), (1000.0, SHIFT_BOUND)])
def test_count_shift_stops_at_its_bound_where_no_shift_suffices(count: float, bound: float) -> None:
    shift = count_shift(random_logits(1, 6, 1.0), pair_weights(1, 6), torch.tensor([count]).double())
    assert shift.item() == pytest.approx(bound, abs=1e-5)


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_degree_shift_comes_within_a_tenth_of_degrees_up_to_nearly_all_nodes(spread: float) -> None:
    """The wanted degrees are those of a known model of this form, with nodes joined to all but a few."""
    weight, logit = pair_weights(5, 20), random_logits(5, 20, spread) - 1.5
    truth = 1.2 * torch.randn(5, 20, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    degree = expected_degrees(logit, weight, truth)
    found = expected_degrees(logit, weight, degree_shift(logit, weight, degree))
    assert degree.max() > 15
    torch.testing.assert_close(found, degree, rtol=0.1, atol=0)


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_degree_shift_meets_the_degrees_of_sparse_blocks(spread: float) -> None:
    weight, logit = pair_weights(5, 20), random_logits(5, 20, spread) - 3
    truth = 0.7 * torch.randn(5, 20, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    degree = expected_degrees(logit, weight, truth)
    found = expected_degrees(logit, weight, degree_shift(logit, weight, degree))
    torch.testing.assert_close(found, degree, rtol=0.01, atol=0)


def test_every_step_of_degree_shift_shrinks_the_error() -> None:
    weight, logit = pair_weights(1, 20), random_logits(1, 20, 1.0) - 3
    truth = 0.7 * torch.randn(1, 20, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    degree = expected_degrees(logit, weight, truth)
    errors = []
    for iterations in range(12):
        found = expected_degrees(logit, weight, degree_shift(logit, weight, degree, iterations=iterations))
        errors.append(torch.log(found / degree).abs().max().item())
    assert all(later < 0.8 * earlier for earlier, later in itertools.pairwise(errors))


def test_degree_shift_converges_with_more_iterations() -> None:
    weight, logit = pair_weights(5, 20), random_logits(5, 20, 1.0) - 1.5
    truth = 1.2 * torch.randn(5, 20, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    degree = expected_degrees(logit, weight, truth)
    found = expected_degrees(logit, weight, degree_shift(logit, weight, degree, iterations=200))
    torch.testing.assert_close(found, degree, rtol=1e-6, atol=1e-6)


def test_degree_shift_of_equal_degrees_is_half_the_logit_of_their_density() -> None:
    """The beta model of a regular graph: every edge has probability d / (n - 1)."""
    weight = pair_weights(1, 11)
    shift = degree_shift(torch.zeros_like(weight), weight, torch.full((1, 11), 3.0).double(), iterations=60)
    torch.testing.assert_close(shift, torch.full_like(shift, 0.5 * torch.logit(torch.tensor(0.3)).item()))


def test_nodes_of_degree_zero_get_no_edges() -> None:
    weight, logit = pair_weights(1, 12), random_logits(1, 12, 0.5)
    degree = torch.full((1, 12), 3.0, dtype=torch.float64)
    degree[0, :3] = 0
    found = expected_degrees(logit, weight, degree_shift(logit, weight, degree))
    assert found[0, :3].max() < 0.01
    torch.testing.assert_close(found[0, 3:], degree[0, 3:], rtol=0.02, atol=0)


def test_a_node_joined_to_all_gets_nearly_all_edges() -> None:
    weight = pair_weights(1, 8)
    degree = torch.tensor([[7.0, 1, 1, 1, 1, 1, 1, 1]], dtype=torch.float64)
    logit = torch.full_like(weight, -1.1)
    found = expected_degrees(logit, weight, degree_shift(logit, weight, degree, iterations=100))
    torch.testing.assert_close(found, degree, rtol=0.05, atol=0)


def test_degree_shift_is_permutation_equivariant() -> None:
    weight, logit = pair_weights(2, 15), random_logits(2, 15, 1.0)
    degree = expected_degrees(logit, weight, torch.zeros(2, 15).double()).flip(1)
    order = torch.randperm(15, generator=torch.Generator().manual_seed(2))
    moved = degree_shift(logit[:, order][:, :, order], weight[:, order][:, :, order], degree[:, order])
    torch.testing.assert_close(moved, degree_shift(logit, weight, degree)[:, order])


def test_padding_does_not_influence_degree_shift() -> None:
    small, degree = random_logits(1, 6, 1.0), torch.tensor([[1.0, 2, 3, 2, 1, 1]]).double()
    logit, weight = torch.zeros(1, 9, 9).double(), torch.zeros(1, 9, 9).double()
    logit[:, :6, :6], weight[:, :6, :6] = small, pair_weights(1, 6)
    padded = degree_shift(logit, weight, torch.nn.functional.pad(degree, (0, 3)))
    torch.testing.assert_close(padded[:, :6], degree_shift(small, pair_weights(1, 6), degree))
