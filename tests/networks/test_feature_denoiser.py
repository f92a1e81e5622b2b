"""Message passing along given edges: equivariance, padding, and that it reads what it should."""

import pytest
import torch

from sbgd.networks import MessagePassing, build, describe


@pytest.fixture
def network():
    torch.manual_seed(0)
    built = MessagePassing(3, width=8, num_layers=2).double()
    for parameter in built.parameters():
        if not parameter.any():
            parameter.data.copy_(0.3 * torch.randn(parameter.shape))
    return built.eval()


MASK = torch.tensor([[1, 1, 1, 1, 0], [1, 1, 1, 0, 0]], dtype=torch.float64)
EDGES = torch.tensor([[0, 1, 1, 2, 5, 6], [1, 0, 2, 1, 6, 5]])
SIGNAL = torch.tensor([0.3, 0.8], dtype=torch.float64)


def features():
    drawn = torch.randn(2, 5, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    return drawn * MASK.unsqueeze(-1)


def test_an_untrained_network_adds_nothing():
    assert not MessagePassing(3, width=8).double()(features(), EDGES, MASK, SIGNAL).any()


def test_outputs_follow_a_permutation_of_the_nodes(network):
    order = torch.tensor([2, 0, 3, 1, 4])
    place = torch.cat([order.argsort(), 5 + torch.arange(5)])
    here = network(features(), EDGES, MASK, SIGNAL)
    moved = features()
    moved[0] = moved[0, order]
    there = network(moved, place[EDGES], MASK, SIGNAL)
    torch.testing.assert_close(there[0], here[0, order])
    torch.testing.assert_close(there[1], here[1])


def test_graphs_of_a_batch_and_padding_do_not_mix(network):
    both = network(features(), EDGES, MASK, SIGNAL)
    alone = network(features()[1:, :3], EDGES[:, 4:] - 5, MASK[1:, :3], SIGNAL[1:])
    torch.testing.assert_close(both[1:, :3], alone, rtol=0, atol=1e-12)
    assert not both[0, 4].any()
    assert not both[1, 3:].any()


def test_neighbours_and_the_share_of_signal_are_read(network):
    here = network(features(), EDGES, MASK, SIGNAL)
    assert not torch.allclose(network(features(), EDGES[:, 2:], MASK, SIGNAL), here)
    assert not torch.allclose(network(features(), EDGES, MASK, SIGNAL.flip(0)), here)


def test_description_builds_the_same_network(network):
    again = build(describe(network)).double()
    again.load_state_dict(network.state_dict())
    torch.testing.assert_close(again.eval()(features(), EDGES, MASK, SIGNAL), network(features(), EDGES, MASK, SIGNAL))


def test_every_parameter_gets_a_finite_gradient(network):
    (network(features(), EDGES, MASK, SIGNAL) ** 2).sum().backward()
    for name, parameter in network.named_parameters():
        assert torch.isfinite(parameter.grad).all(), name
        assert parameter.grad.any(), name
