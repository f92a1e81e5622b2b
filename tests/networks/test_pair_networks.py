"""What both tiers of the pair model promise."""

import math
from collections.abc import Callable
from dataclasses import fields, replace

import pytest
import torch
from torch import Tensor, nn

from sbgd.data.batch import PairBatch
from sbgd.networks import EdgeScorer, NoisyPairs, PairDenoiser
from sbgd.networks.edge_scorer import BLOCKED

SQUARE = {"left": 0, "right": 1}
ROWS = {"left_mask": 0, "left_stubs": 0, "left_outer": 0, "right_mask": 1, "right_stubs": 1, "right_outer": 1}
RECTANGULAR = ("halo", "edges")

Network = Callable[[NoisyPairs], Tensor]


class Scored(nn.Module):
    """Scores the noisy edges as if they were placed, so that both tiers share the contract."""

    def __init__(self, scorer: EdgeScorer) -> None:
        super().__init__()
        self.scorer = scorer

    def forward(self, noisy: NoisyPairs) -> Tensor:
        """Returns the scores."""
        return self.scorer(noisy.pairs, noisy.edges)


NETWORKS: dict[str, Callable[[], nn.Module]] = {
    "scorer": lambda: Scored(EdgeScorer(degree_lists=False, width=8)),
    "scorer with degree lists": lambda: Scored(EdgeScorer(width=8)),
    "denoiser": lambda: PairDenoiser(width=8, pair_width=6, num_layers=2),
}


@pytest.fixture(params=NETWORKS)
def network(request: pytest.FixtureRequest, awaken: Callable[[nn.Module], nn.Module]) -> nn.Module:
    torch.manual_seed(0)
    return awaken(NETWORKS[request.param]())


@pytest.fixture
def noisy(noisy_pairs: Callable[..., NoisyPairs]) -> NoisyPairs:
    return noisy_pairs()


def transposed(noisy: NoisyPairs) -> NoisyPairs:
    return replace(
        noisy,
        pairs=noisy.pairs.transposed,
        edges=noisy.edges.transpose(1, 2),
        prior_logit=noisy.prior_logit.transpose(1, 2),
    )


def permuted(noisy: NoisyPairs, left: Tensor, right: Tensor) -> NoisyPairs:
    orders = (left, right)
    pairs = {name: getattr(noisy.pairs, name)[:, orders[s]][:, :, orders[s]] for name, s in SQUARE.items()}
    pairs |= {name: getattr(noisy.pairs, name)[:, orders[s]] for name, s in ROWS.items()}
    pairs |= {name: getattr(noisy.pairs, name)[:, left][:, :, right] for name in RECTANGULAR}
    return replace(
        noisy,
        pairs=noisy.pairs.replace(**pairs),
        edges=noisy.edges[:, left][:, :, right],
        prior_logit=noisy.prior_logit[:, left][:, :, right],
    )


def padded(noisy: NoisyPairs, left: int, right: int) -> NoisyPairs:
    pad, extra = torch.nn.functional.pad, (left, right)
    pairs = {name: pad(getattr(noisy.pairs, name), (0, extra[s], 0, extra[s])) for name, s in SQUARE.items()}
    pairs |= {name: pad(getattr(noisy.pairs, name), (0, extra[s])) for name, s in ROWS.items()}
    pairs |= {name: pad(getattr(noisy.pairs, name), (0, right, 0, left)) for name in RECTANGULAR}
    return replace(
        noisy,
        pairs=noisy.pairs.replace(**pairs),
        edges=pad(noisy.edges, (0, right, 0, left)),
        prior_logit=pad(noisy.prior_logit, (0, right, 0, left)),
    )


def rows(noisy: NoisyPairs, index: slice) -> NoisyPairs:
    pairs = PairBatch(**{field.name: getattr(noisy.pairs, field.name)[index] for field in fields(noisy.pairs)})
    return NoisyPairs(pairs, noisy.edges[index], noisy.prior_logit[index], noisy.signal[index])


def single(noisy: NoisyPairs) -> NoisyPairs:
    pairs = PairBatch(**{field.name: getattr(noisy.pairs, field.name).float() for field in fields(noisy.pairs)})
    return NoisyPairs(pairs, noisy.edges.float(), noisy.prior_logit.float(), noisy.signal.float())


def at_pairs(values: Tensor, noisy: NoisyPairs) -> Tensor:
    return values[noisy.pairs.pairs > 0]


def test_exchanging_the_blocks_transposes_the_output(network: Network, noisy: NoisyPairs) -> None:
    torch.testing.assert_close(network(transposed(noisy)), network(noisy).transpose(1, 2))


def test_output_follows_permutations_of_either_block(network: Network, noisy: NoisyPairs) -> None:
    generator = torch.Generator().manual_seed(4)
    left, right = torch.randperm(6, generator=generator), torch.randperm(8, generator=generator)
    moved = permuted(noisy, left, right)
    torch.testing.assert_close(at_pairs(network(moved), moved), at_pairs(network(noisy)[:, left][:, :, right], moved))


@pytest.mark.parametrize("extra", [(1, 0), (0, 3), (30, 12)])
def test_padding_has_no_influence(network: Network, noisy: NoisyPairs, extra: tuple[int, int]) -> None:
    more = padded(noisy, *extra)
    found, expected = at_pairs(network(more), more), at_pairs(network(noisy), noisy)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


def test_the_edges_to_be_generated_are_not_read(network: Network, noisy: NoisyPairs) -> None:
    hidden = replace(noisy, pairs=noisy.pairs.replace(edges=torch.full_like(noisy.edges, torch.nan)))
    assert torch.equal(network(hidden), network(noisy))


def test_every_parameter_gets_a_finite_gradient(network: nn.Module, noisy: NoisyPairs) -> None:
    output = network(noisy)
    direction = torch.randn(output.shape, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    (output * direction * noisy.pairs.pairs).sum().backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name
        assert parameter.grad.any(), name


@pytest.mark.parametrize("name", ["left", "right", "left_outer", "right_outer", "halo", "num_edges"])
def test_every_input_is_read(network: Network, noisy: NoisyPairs, name: str) -> None:
    changed = replace(noisy, pairs=noisy.pairs.replace(**{name: 0.5 * getattr(noisy.pairs, name)}))
    assert not torch.allclose(at_pairs(network(changed), noisy), at_pairs(network(noisy), noisy))


@pytest.mark.parametrize("size", [1, 3])
def test_a_pair_has_the_same_bits_in_batches_of_any_size(
    network: nn.Module, noisy_pairs: Callable[..., NoisyPairs], size: int
) -> None:
    noisy = single(noisy_pairs((12, 9, 11, 10, 12, 5, 12), (7, 12, 12, 4, 11, 9, 12), (12, 12)))
    network.float()
    with torch.inference_mode():
        assert torch.equal(network(rows(noisy, slice(0, size))), network(noisy)[:size])


def test_untrained_denoiser_returns_the_prior_logit_exactly(noisy: NoisyPairs) -> None:
    assert torch.equal(PairDenoiser(width=8).double()(noisy), noisy.prior_logit)


def test_untrained_scorer_without_degree_lists_is_blind(noisy: NoisyPairs) -> None:
    scores = EdgeScorer(degree_lists=False, width=8).double()(noisy.pairs, noisy.edges)
    assert not scores[(noisy.pairs.pairs > 0) & (noisy.edges == 0)].any()


def test_impossible_entries_are_blocked_and_possible_ones_are_not(
    noisy: NoisyPairs, awaken: Callable[[nn.Module], nn.Module]
) -> None:
    scores = awaken(EdgeScorer(width=8))(noisy.pairs, noisy.edges)
    impossible = (noisy.pairs.pairs == 0) | (noisy.edges == 1)
    assert (scores[impossible] == BLOCKED).all()
    assert (scores[~impossible] > BLOCKED / 10).all()


def test_cached_structure_changes_nothing(noisy: NoisyPairs, awaken: Callable[[nn.Module], nn.Module]) -> None:
    scorer = awaken(EdgeScorer(width=8))
    cached = scorer(noisy.pairs, noisy.edges, scorer.structure(noisy.pairs))
    assert torch.equal(cached, scorer(noisy.pairs, noisy.edges))


def two_by_two(left_stubs: list[float], right_stubs: list[float], edges: list[list[float]]) -> PairBatch:
    nothing, ones = torch.zeros(1, 2, dtype=torch.float64), torch.ones(1, 2, dtype=torch.float64)
    square = torch.zeros(1, 2, 2, dtype=torch.float64)
    wanted = torch.tensor([edges], dtype=torch.float64)
    return PairBatch(
        left=square,
        right=square,
        left_mask=ones,
        right_mask=ones,
        left_stubs=torch.tensor([left_stubs], dtype=torch.float64),
        right_stubs=torch.tensor([right_stubs], dtype=torch.float64),
        left_outer=nothing,
        right_outer=nothing,
        halo=square,
        edges=wanted,
        num_edges=wanted.sum((1, 2)),
        weight=torch.ones(1, dtype=torch.float64),
    )


def test_loss_of_the_untrained_scorer_is_that_of_the_configuration_model() -> None:
    """P(u, v) is stubs_u stubs_v / 12 at first; the edges (0, 1) and (1, 0) have probabilities 6/12 and 1/12."""
    pairs = two_by_two([2, 1], [1, 3], [[0, 1], [1, 0]])
    loss = EdgeScorer(width=8).double().loss(pairs, torch.zeros(1, 2, 2, dtype=torch.float64))
    assert loss.item() == pytest.approx(-(math.log(6 / 12) + math.log(1 / 12)) / 2)


def test_placed_edges_spend_their_stubs_and_leave_the_softmax() -> None:
    """After (0, 1) the stubs are [1, 1] and [1, 2]: (0, 0), (1, 0), (1, 1) have weights 1, 1, 2."""
    pairs = two_by_two([2, 1], [1, 3], [[0, 1], [1, 0]])
    placed = torch.tensor([[[0, 1], [0, 0]]], dtype=torch.float64)
    assert EdgeScorer(width=8).double().loss(pairs, placed).item() == pytest.approx(math.log(4))


def test_a_node_without_stubs_is_put_off_but_not_excluded() -> None:
    pairs = two_by_two([1, 0], [1, 1], [[1, 0], [0, 1]])
    scores = EdgeScorer(width=8).double()(pairs, torch.zeros(1, 2, 2, dtype=torch.float64))
    assert scores.tolist() == [[[0, 0], [-8, -8]]]


def test_loss_is_the_softmax_over_free_entries(noisy: NoisyPairs, awaken: Callable[[nn.Module], EdgeScorer]) -> None:
    scorer = awaken(EdgeScorer(width=8))
    pairs = noisy.pairs
    placed = pairs.edges * (torch.arange(8) % 2)
    scores = scorer(pairs, placed)
    for row, loss in enumerate(scorer.loss(pairs, placed)):
        free = (pairs.pairs[row] > 0) & (placed[row] == 0)
        remaining = (pairs.edges[row] - placed[row]) > 0
        weights = torch.exp(scores[row])
        expected = -torch.log(weights[remaining] / weights[free].sum()).sum() / max(int(remaining.sum()), 1)
        torch.testing.assert_close(loss, expected)
