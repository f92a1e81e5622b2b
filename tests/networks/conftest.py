"""Random noisy blocks and pairs in double precision, and networks whose last layers are not zero."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from sbgd.data.batch import PairBatch
from sbgd.networks import NoisyBlocks, NoisyPairs

SIZES = (3, 5, 7, 1)


def _random_edges(generator: torch.Generator, mask: Tensor, density: float) -> Tensor:
    n = mask.shape[-1]
    upper = torch.triu(torch.rand(len(mask), n, n, generator=generator) < density, 1).to(mask.dtype)
    return (upper + upper.transpose(1, 2)) * mask.unsqueeze(-1) * mask.unsqueeze(-2)


def _mask(sizes: tuple[int, ...], padded: int) -> Tensor:
    return (torch.arange(padded) < torch.tensor(sizes).unsqueeze(-1)).double()


def _noisy_blocks(
    num_features: int = 0, sizes: tuple[int, ...] = SIZES, padded: int = 8, num_edge_types: int = 1
) -> NoisyBlocks:
    generator = torch.Generator().manual_seed(0)
    mask = _mask(sizes, padded)
    logit = torch.randn(len(sizes), padded, padded, generator=generator, dtype=torch.float64)
    degrees = torch.randint(0, 4, (len(sizes), padded, 2), generator=generator).double()
    types = torch.randn(len(sizes), padded, padded, num_edge_types + 1, generator=generator, dtype=torch.float64)
    features = torch.randn(len(sizes), padded, num_features, generator=generator, dtype=torch.float64)
    return NoisyBlocks(
        edges=_random_edges(generator, mask, 0.5),
        prior_logit=logit + logit.transpose(1, 2),
        mask=mask,
        degrees=degrees * mask.unsqueeze(-1),
        features=features * mask.unsqueeze(-1),
        signal=torch.linspace(0.05, 0.9, len(sizes), dtype=torch.float64),
        numbers=torch.randn(len(sizes), 4, generator=generator, dtype=torch.float64),
        type_logits=types + types.transpose(1, 2) if num_edge_types > 1 else None,
    )


def _noisy_pairs(
    left_sizes: tuple[int, ...] = (3, 5, 6, 1),
    right_sizes: tuple[int, ...] = (4, 2, 6, 5),
    padded: tuple[int, int] = (6, 8),
) -> NoisyPairs:
    generator = torch.Generator().manual_seed(1)
    left_mask, right_mask = _mask(left_sizes, padded[0]), _mask(right_sizes, padded[1])
    shape = (len(left_sizes), *padded)
    valid = left_mask.unsqueeze(-1) * right_mask.unsqueeze(-2)

    def counts(mask: Tensor) -> Tensor:
        return torch.randint(0, 4, tuple(mask.shape), generator=generator).double() * mask

    edges = (torch.rand(shape, generator=generator) < 0.4).double() * valid
    pairs = PairBatch(
        left=_random_edges(generator, left_mask, 0.5),
        right=_random_edges(generator, right_mask, 0.5),
        left_mask=left_mask,
        right_mask=right_mask,
        left_stubs=counts(left_mask),
        right_stubs=counts(right_mask),
        left_outer=counts(left_mask),
        right_outer=counts(right_mask),
        halo=torch.randint(0, 3, shape, generator=generator).double() * valid,
        edges=edges,
        num_edges=edges.sum((1, 2)),
        weight=torch.ones(len(left_sizes), dtype=torch.float64),
    )
    noisy = (torch.rand(shape, generator=generator) < 0.3).double() * valid
    logit = torch.randn(shape, generator=generator, dtype=torch.float64)
    return NoisyPairs(pairs, noisy, logit, torch.linspace(0.05, 0.9, len(left_sizes), dtype=torch.float64))


def _awaken(network: nn.Module) -> nn.Module:
    generator = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for parameter in network.parameters():
            if not parameter.any():
                parameter.copy_(0.3 * torch.randn(parameter.shape, generator=generator))
    return network.double()


@pytest.fixture(scope="session")
def noisy_blocks() -> Callable[..., NoisyBlocks]:
    """Makes noisy blocks of several sizes, one of them a single node."""
    return _noisy_blocks


@pytest.fixture(scope="session")
def noisy_pairs() -> Callable[..., NoisyPairs]:
    """Makes noisy pairs of blocks of different sizes, padded to different sizes on the two sides."""
    return _noisy_pairs


@pytest.fixture(scope="session")
def awaken() -> Callable[[nn.Module], nn.Module]:
    """Fills parameters that start at zero, so that no path through a network is dead, and turns it to float64."""
    return _awaken
