from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from sbgd.data.batch import BlockBatch, PairBatch
from sbgd.diffusion import CategoricalProcess, CosineSchedule, GaussianProcess, GeneratorNoise, NoiseSource, symmetric
from sbgd.errors import InputError
from sbgd.models import BlockDiffusion
from sbgd.networks import PPGN, EdgeScorer, PairDenoiser

MakeDiffusion = Callable[..., BlockDiffusion]


def _noise(seed: int = 0) -> GeneratorNoise:
    return GeneratorNoise(torch.Generator().manual_seed(seed))


def _blocks(num_blocks: int, density: float, seed: int = 0, num_features: int = 0, size: int = 10) -> BlockBatch:
    """Blocks of independent edges with standard normal features, padded to 12."""
    noise = _noise(seed)
    mask = (torch.arange(12) < size).float().expand(num_blocks, 12)
    pairs = mask.unsqueeze(-1) * mask.unsqueeze(-2) - torch.diag_embed(mask)
    edges = (symmetric(noise.uniform((num_blocks, 12, 12))) < density).float() * pairs
    degrees = torch.stack([edges.sum(-1), torch.zeros_like(mask)], dim=-1)
    features = noise.normal((num_blocks, 12, num_features)) * mask.unsqueeze(-1)
    expected = torch.full((num_blocks,), density * size * (size - 1) / 2)
    return BlockBatch(edges, mask, degrees, features, num_edges=expected, num_outer=torch.ones(num_blocks))


def _pairs(num_pairs: int, edges: torch.Tensor, num_edges: torch.Tensor) -> PairBatch:
    mask = (torch.arange(12) < 10).float().expand(num_pairs, 12)
    blocks = _blocks(num_pairs, 0.3)
    zeros = torch.zeros(num_pairs, 12)
    return PairBatch(
        left=blocks.edges,
        right=blocks.edges.flip(0),
        left_mask=mask,
        right_mask=mask,
        left_stubs=zeros + 1,
        right_stubs=zeros + 2,
        left_outer=zeros,
        right_outer=zeros,
        halo=torch.zeros(num_pairs, 12, 12),
        edges=edges,
        num_edges=num_edges,
        weight=torch.ones(num_pairs),
    )


def _conditional_entropy_share(p: float) -> float:
    """Returns E H(x_0 | x_t) / H(x_0) of one edge, abar uniform on the training range, by the midpoint rule."""
    abar = (np.arange(20_000) + 0.5) / 20_000 * 0.995
    joint = np.stack(
        [
            [(1 - p) * (abar + (1 - abar) * (1 - p)), (1 - p) * (1 - abar) * p],
            [p * (1 - abar) * (1 - p), p * (abar + (1 - abar) * p)],
        ]
    )
    posterior = joint / joint.sum(axis=0)
    entropy = -(joint * np.log(posterior)).sum(axis=(0, 1)).mean()
    return float(entropy / -(p * np.log(p) + (1 - p) * np.log(1 - p)))


@pytest.mark.parametrize("density", [0.1, 0.3, 0.6])
def test_untrained_block_loss_is_the_conditional_entropy_of_independent_edges(
    make_diffusion: MakeDiffusion, density: float
) -> None:
    loss, _ = make_diffusion(trained=False).block_loss(_blocks(4000, density), _noise(1))
    assert abs(loss.mean() - _conditional_entropy_share(density)) < 5 * loss.std() / 4000**0.5


def test_untrained_pair_loss_is_the_conditional_entropy_of_independent_edges(make_diffusion: MakeDiffusion) -> None:
    mask = (torch.arange(12) < 10).float()
    edges = (_noise(2).uniform((2000, 12, 12)) < 0.2).float() * mask.unsqueeze(-1) * mask
    loss = make_diffusion(trained=False).pair_loss(_pairs(2000, edges, torch.full((2000,), 20.0)), _noise(3))
    assert abs(loss.mean() - _conditional_entropy_share(0.2)) < 5 * loss.std() / 2000**0.5


def test_untrained_feature_loss_of_standard_normal_features_is_one(make_diffusion: MakeDiffusion) -> None:
    diffusion = make_diffusion(trained=False, num_features=3)
    _, loss = diffusion.block_loss(_blocks(2000, 0.3, num_features=3), _noise(1))
    assert abs(loss.mean() - 1) < 5 * loss.std() / 2000**0.5


def test_untrained_scorer_loss_of_a_single_edge_is_one(make_diffusion: MakeDiffusion) -> None:
    edges = torch.zeros(5, 12, 12)
    edges[:, 3, 4] = 1
    loss = make_diffusion(trained=False).scorer_loss(_pairs(5, edges, torch.ones(5)), _noise())
    assert torch.allclose(loss, torch.ones(5), atol=1e-6)


def test_blocks_that_leave_nothing_open_cost_nothing(make_diffusion: MakeDiffusion) -> None:
    for density in (0.0, 1.0):
        loss, _ = make_diffusion().block_loss(_blocks(6, density), _noise())
        assert torch.equal(loss, torch.zeros(6))


@pytest.mark.parametrize("options", [{}, {"degree_lists": True}, {"factorisation": "independent"}], ids=str)
@pytest.mark.parametrize("process", ["categorical", "gaussian"])
def test_losses_are_finite_and_reach_every_parameter(
    make_diffusion: MakeDiffusion, process: str, options: dict[str, Any]
) -> None:
    diffusion = make_diffusion(process=process, num_features=2, **options)
    edges = torch.zeros(4, 12, 12)
    edges[:, 0, 1] = edges[:, 2, 2] = 1
    pairs = _pairs(4, edges, torch.full((4,), 2.0))
    edge_loss, feature_loss = diffusion.block_loss(_blocks(4, 0.3, num_features=2), _noise())
    losses = [edge_loss, feature_loss, diffusion.scorer_loss(pairs, _noise()), diffusion.pair_loss(pairs, _noise())]
    torch.stack([loss.mean() for loss in losses]).sum().backward()
    assert all(torch.isfinite(loss).all() for loss in losses)
    for name, parameter in diffusion.named_parameters():
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name


class _Permuted(NoiseSource):
    """Deals the noise of another source to permuted nodes."""

    def __init__(self, source: NoiseSource, order: torch.Tensor) -> None:
        self.source = source
        self.order = order

    def uniform(self, shape: tuple[int, ...]) -> torch.Tensor:
        drawn = self.source.uniform(shape)
        if len(shape) == 3 and shape[2] == shape[1]:
            # The upper triangle is what gets mirrored: permute the mirrored noise.
            return symmetric(drawn)[:, self.order][:, :, self.order]
        return drawn[:, self.order] if len(shape) == 3 else drawn


@pytest.mark.parametrize("process", ["categorical", "gaussian"])
@pytest.mark.parametrize("degree_lists", [False, True])
def test_block_losses_do_not_depend_on_the_order_of_nodes(
    make_diffusion: MakeDiffusion, process: str, degree_lists: bool
) -> None:
    diffusion = make_diffusion(process=process, degree_lists=degree_lists, num_features=2).double()
    blocks = _blocks(6, 0.3, num_features=2)
    blocks = BlockBatch(**{name: value.double() for name, value in vars(blocks).items()})
    order = torch.from_numpy(np.random.default_rng(0).permutation(12))
    moved = blocks.replace(
        edges=blocks.edges[:, order][:, :, order],
        mask=blocks.mask[:, order],
        degrees=blocks.degrees[:, order],
        features=blocks.features[:, order],
    )
    for first, second in zip(
        diffusion.block_loss(blocks, _noise(4)),
        diffusion.block_loss(moved, _Permuted(_noise(4), order)),
        strict=True,
    ):
        assert torch.allclose(first, second, rtol=1e-6)


def test_the_prior_of_a_block_sums_to_its_edges_and_leaves_out_loops_and_padding(
    make_diffusion: MakeDiffusion,
) -> None:
    blocks = _blocks(3, 0.3)
    prior = make_diffusion().block_prior(blocks)
    assert torch.allclose(prior.sum((1, 2)), 2 * blocks.num_edges)
    assert not (prior * (1 - blocks.pairs)).any()


def test_the_prior_with_degree_lists_meets_them(make_diffusion: MakeDiffusion) -> None:
    blocks = _blocks(50, 0.3)
    blocks = blocks.replace(num_edges=blocks.edges.sum((1, 2)) / 2)
    prior = make_diffusion(degree_lists=True).block_prior(blocks)
    error = (prior.sum(-1) - blocks.degrees[..., 0]).abs()
    assert error.mean() < 0.05
    # Fixed-point steps approach nodes joined to most others slowly: a bound for each node holds for small degrees.
    assert (error * (blocks.degrees[..., 0] <= 3)).max() < 0.2
    assert torch.allclose(prior, prior.transpose(1, 2))


def test_the_prior_of_a_pair_is_its_density(make_diffusion: MakeDiffusion) -> None:
    pairs = _pairs(3, torch.zeros(3, 12, 12), torch.tensor([0.0, 5.0, 100.0]))
    prior = make_diffusion().pair_prior(pairs)
    assert torch.allclose(prior[:, :10, :10], torch.tensor([0.0, 0.05, 1.0]).reshape(3, 1, 1).expand(3, 10, 10))
    assert not (prior * (1 - pairs.pairs)).any()


def test_without_degree_lists_degrees_and_stubs_are_hidden(make_diffusion: MakeDiffusion) -> None:
    diffusion = make_diffusion()
    pairs = diffusion.known_pairs(_pairs(2, torch.zeros(2, 12, 12), torch.ones(2)))
    assert not diffusion.known_blocks(_blocks(2, 0.3)).degrees.any()
    assert not pairs.left_stubs.any()
    assert not pairs.right_stubs.any()


def test_the_independent_factorisation_knows_sizes_alone(make_diffusion: MakeDiffusion) -> None:
    diffusion = make_diffusion(factorisation="independent")
    sparse, dense = (diffusion.known_blocks(_blocks(2, density)) for density in (0.1, 0.9))
    assert torch.equal(sparse.numbers, dense.numbers)
    assert torch.allclose(sparse.num_edges, torch.full((2,), 0.3 * 45))
    few, many = (diffusion.known_pairs(_pairs(2, torch.zeros(2, 12, 12), torch.full((2,), e))) for e in (1.0, 50.0))
    assert torch.equal(few.num_edges, many.num_edges)
    assert torch.allclose(few.num_edges, torch.full((2,), 0.05 * 100))


def _build(**changes: Any) -> BlockDiffusion:
    arguments: dict[str, Any] = {
        "block_denoiser": PPGN(0, 4, 1),
        "edge_scorer": EdgeScorer(False, 4),
        "pair_denoiser": None,
        "process": CategoricalProcess(CosineSchedule()),
        "feature_process": GaussianProcess(CosineSchedule()),
        **changes,
    }
    return BlockDiffusion(**arguments)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"factorisation": "joint"}, "quotient or independent, got 'joint'"),
        ({"edge_scorer": None}, "an edge_scorer, a pair_denoiser or both, got neither"),
        ({"factorisation": "independent"}, "a pair_denoiser and no degree_lists"),
        (
            {"factorisation": "independent", "pair_denoiser": PairDenoiser(4, 4, 1), "degree_lists": True},
            "a pair_denoiser and no degree_lists",
        ),
        ({"edge_scorer": EdgeScorer(True, 4)}, "the same degree_lists in model and edge_scorer, got False and True"),
    ],
)
def test_parts_that_do_not_go_together_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        _build(**changes)
