import json
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from sbgd.errors import InputError
from sbgd.networks import GIN, PPGN, EdgeScorer, NoisyBlocks, NoisyPairs, PairDenoiser, build, describe


@pytest.mark.parametrize(
    ("network", "description"),
    [
        (
            PPGN(width=8),
            {"name": "ppgn", "arguments": {"num_features": 0, "width": 8, "num_layers": 4, "num_edge_types": 1}},
        ),
        (
            GIN(2, 8, num_layers=1),
            {
                "name": "gin",
                "arguments": {"num_features": 2, "width": 8, "pair_width": 32, "num_layers": 1, "num_edge_types": 1},
            },
        ),
        (EdgeScorer(False), {"name": "edge_scorer", "arguments": {"degree_lists": False, "width": 32}}),
        (PairDenoiser(8), {"name": "pair_denoiser", "arguments": {"width": 8, "pair_width": 32, "num_layers": 3}}),
    ],
    ids=["ppgn", "gin", "edge_scorer", "pair_denoiser"],
)
def test_description_holds_the_name_and_all_arguments(network: nn.Module, description: dict[str, Any]) -> None:
    assert describe(network) == description
    assert json.loads(json.dumps(description)) == description


def rebuilt(network: nn.Module) -> nn.Module:
    twin = build(json.loads(json.dumps(describe(network)))).double()
    twin.load_state_dict(network.state_dict())
    return twin


@pytest.mark.parametrize("network", [PPGN(2, 8, 2), GIN(2, 8, 6, 2), PPGN(0, 4, 1), GIN(0, 4, 4, 1)], ids=repr)
def test_a_rebuilt_block_denoiser_gives_equal_outputs(
    network: nn.Module, noisy_blocks: Callable[..., NoisyBlocks], awaken: Callable[[nn.Module], nn.Module]
) -> None:
    blocks = noisy_blocks(network.num_features)
    for found, expected in zip(rebuilt(awaken(network))(blocks), network(blocks), strict=True):
        assert torch.equal(found, expected)


def test_rebuilt_pair_networks_give_equal_outputs(
    noisy_pairs: Callable[..., NoisyPairs], awaken: Callable[[nn.Module], nn.Module]
) -> None:
    noisy = noisy_pairs()
    denoiser, scorer = awaken(PairDenoiser(8, 6, 2)), awaken(EdgeScorer(width=8))
    assert torch.equal(rebuilt(denoiser)(noisy), denoiser(noisy))
    assert torch.equal(rebuilt(scorer)(noisy.pairs, noisy.edges), scorer(noisy.pairs, noisy.edges))


@pytest.mark.parametrize(
    ("description", "message"),
    [
        ({"name": "transformer", "arguments": {}}, "got 'transformer'"),
        ({"arguments": {}}, "got None"),
        ({"name": "ppgn"}, "arguments"),
        ({"name": "ppgn", "arguments": {"widht": 8}}, "widht"),
        ({"name": "ppgn", "arguments": {"width": "8"}}, "damaged"),
        ({"name": "ppgn", "arguments": None}, "damaged"),
    ],
)
def test_a_description_that_fits_no_network_is_refused(description: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        build(description)
