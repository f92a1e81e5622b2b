"""What every block denoiser promises."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from dataclasses import fields, replace

import pytest
import torch
from torch import Tensor, nn

import sbgd.networks
from sbgd.networks import GIN, PPGN, BlockDenoiser, GraphAttention, NoisyBlocks

DENOISERS: list[Callable[[], BlockDenoiser]] = [
    lambda: PPGN(width=8, num_layers=2),
    lambda: PPGN(num_features=3, width=8, num_layers=2),
    lambda: GIN(width=8, pair_width=6, num_layers=2),
    lambda: GIN(num_features=3, width=8, pair_width=6, num_layers=2),
    lambda: GraphAttention(width=8, channels=3, heads=2, num_layers=2),
    lambda: GraphAttention(num_features=3, width=8, channels=3, heads=2, num_layers=2),
    lambda: PPGN(num_features=3, width=8, num_layers=2, num_edge_types=3),
    lambda: GIN(width=8, pair_width=6, num_layers=2, num_edge_types=3),
    lambda: GraphAttention(num_features=3, width=8, channels=3, heads=2, num_layers=2, num_edge_types=3),
]
NAMES = ["PPGN", "PPGN with features", "GIN", "GIN with features", "attention", "attention with features"]
TYPED = ["PPGN with types", "GIN with types", "attention with types"]

Maker = Callable[..., NoisyBlocks]


@pytest.fixture(params=DENOISERS, ids=[*NAMES, *TYPED])
def untrained(request: pytest.FixtureRequest) -> BlockDenoiser:
    torch.manual_seed(0)
    return request.param().double()


@pytest.fixture
def denoiser(untrained: BlockDenoiser, awaken: Callable[[nn.Module], BlockDenoiser]) -> BlockDenoiser:
    return awaken(untrained)


@pytest.fixture
def blocks(untrained: BlockDenoiser, noisy_blocks: Maker) -> NoisyBlocks:
    return noisy_blocks(untrained.num_features, num_edge_types=untrained.num_edge_types)


def added(blocks: NoisyBlocks) -> Tensor:
    """Returns what a network adds its residual to."""
    return blocks.prior_logit if blocks.type_logits is None else blocks.type_logits


def tensors(blocks: NoisyBlocks) -> dict[str, Tensor]:
    found = {field.name: getattr(blocks, field.name) for field in fields(blocks)}
    return {name: value for name, value in found.items() if value is not None}


def squares(blocks: NoisyBlocks) -> list[str]:
    return [name for name in ("edges", "prior_logit", "type_logits") if name in tensors(blocks)]


def permuted(blocks: NoisyBlocks, order: Tensor) -> NoisyBlocks:
    square = {name: getattr(blocks, name)[:, order][:, :, order] for name in squares(blocks)}
    rows = {name: getattr(blocks, name)[:, order] for name in ("mask", "degrees", "features")}
    return replace(blocks, **square, **rows)


def padded(blocks: NoisyBlocks, extra: int) -> NoisyBlocks:
    pad = torch.nn.functional.pad
    square = {name: pad(getattr(blocks, name), (0, extra, 0, extra)) for name in ("edges", "prior_logit")}
    if blocks.type_logits is not None:
        square["type_logits"] = pad(blocks.type_logits, (0, 0, 0, extra, 0, extra))
    rows = {name: pad(getattr(blocks, name), (0, 0, 0, extra)) for name in ("degrees", "features")}
    return replace(blocks, **square, **rows, mask=pad(blocks.mask, (0, extra)))


def rows(blocks: NoisyBlocks, index: slice) -> NoisyBlocks:
    return NoisyBlocks(**{name: value[index] for name, value in tensors(blocks).items()})


def single(blocks: NoisyBlocks) -> NoisyBlocks:
    return NoisyBlocks(**{name: value.float() for name, value in tensors(blocks).items()})


def test_every_block_denoiser_of_the_package_is_tested() -> None:
    modules = [importlib.import_module(f"sbgd.networks.{m.name}") for m in pkgutil.iter_modules(sbgd.networks.__path__)]
    classes = {kind for module in modules for _, kind in inspect.getmembers(module, inspect.isclass)}
    concrete = {kind for kind in classes if issubclass(kind, BlockDenoiser) and not inspect.isabstract(kind)}
    assert concrete == {type(make()) for make in DENOISERS}


def test_untrained_network_returns_the_prior_logit_exactly(untrained: BlockDenoiser, blocks: NoisyBlocks) -> None:
    assert torch.equal(untrained(blocks)[0], added(blocks))


def test_edge_logits_are_symmetric(denoiser: BlockDenoiser, blocks: NoisyBlocks) -> None:
    logit, _ = denoiser(blocks)
    torch.testing.assert_close(logit, logit.transpose(1, 2), rtol=0, atol=1e-12)


def test_outputs_follow_a_permutation_of_the_nodes(denoiser: BlockDenoiser, blocks: NoisyBlocks) -> None:
    order = torch.randperm(8, generator=torch.Generator().manual_seed(5))
    logit, features = denoiser(blocks)
    moved_logit, moved_features = denoiser(permuted(blocks, order))
    off_diagonal = blocks.pairs[:, order][:, :, order] > 0
    torch.testing.assert_close(moved_logit[off_diagonal], logit[:, order][:, :, order][off_diagonal])
    torch.testing.assert_close(moved_features, features[:, order])


@pytest.mark.parametrize("extra", [1, 4, 24])
def test_padding_has_no_influence(denoiser: BlockDenoiser, blocks: NoisyBlocks, extra: int) -> None:
    logit, features = denoiser(blocks)
    more_logit, more_features = denoiser(padded(blocks, extra))
    real = blocks.pairs > 0
    torch.testing.assert_close(more_logit[:, :8, :8][real], logit[real], rtol=0, atol=1e-12)
    torch.testing.assert_close(more_features[:, :8], features, rtol=0, atol=1e-12)
    assert not more_features[:, 8:].any()


def test_padding_has_no_influence_on_soft_edges(denoiser: BlockDenoiser, blocks: NoisyBlocks) -> None:
    soft = replace(blocks, edges=0.05 * blocks.edges)
    real = blocks.pairs > 0
    logit, more_logit = denoiser(soft)[0], denoiser(padded(soft, 24))[0]
    torch.testing.assert_close(more_logit[:, :8, :8][real], logit[real], rtol=0, atol=1e-12)


def test_values_at_padding_have_no_influence(denoiser: BlockDenoiser, blocks: NoisyBlocks) -> None:
    garbage = torch.where(blocks.pairs > 0, blocks.prior_logit, torch.full_like(blocks.prior_logit, 9.0))
    dirty = replace(blocks, prior_logit=garbage, degrees=blocks.degrees + 5 * (1 - blocks.mask).unsqueeze(-1))
    real = blocks.pairs > 0
    torch.testing.assert_close(denoiser(dirty)[0][real], denoiser(blocks)[0][real])


def test_every_parameter_gets_a_finite_gradient(denoiser: BlockDenoiser, blocks: NoisyBlocks) -> None:
    logit, features = denoiser(blocks)
    generator = torch.Generator().manual_seed(3)
    direction = torch.randn(logit.shape, generator=generator, dtype=torch.float64)
    direction = direction * (blocks.pairs if blocks.type_logits is None else blocks.pairs.unsqueeze(-1))
    ((logit * direction).sum() + (features**2).sum()).backward()
    for name, parameter in denoiser.named_parameters():
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name
        assert parameter.grad.any(), name


@pytest.mark.parametrize("field", ["edges", "prior_logit", "degrees", "signal", "numbers"])
def test_every_input_is_read(denoiser: BlockDenoiser, blocks: NoisyBlocks, field: str) -> None:
    changed = replace(blocks, **{field: 0.5 * getattr(blocks, field)})
    residual, other = (denoiser(x)[0] - added(x) for x in (blocks, changed))
    assert not torch.allclose(residual, other)


def test_features_are_denoised_only_where_they_are_modelled(denoiser: BlockDenoiser, blocks: NoisyBlocks) -> None:
    _, features = denoiser(blocks)
    assert torch.equal(features, blocks.features) == (denoiser.num_features == 0)


def test_a_block_does_not_depend_on_its_batch_in_double_precision(denoiser: BlockDenoiser, blocks: NoisyBlocks) -> None:
    logit, features = denoiser(blocks)
    for row in range(len(blocks.mask)):
        alone_logit, alone_features = denoiser(rows(blocks, slice(row, row + 1)))
        torch.testing.assert_close(alone_logit[0], logit[row], rtol=0, atol=1e-12)
        torch.testing.assert_close(alone_features[0], features[row], rtol=0, atol=1e-12)


@pytest.mark.parametrize("size", [1, 3])
def test_a_block_has_the_same_bits_in_batches_of_any_size(
    denoiser: BlockDenoiser, noisy_blocks: Maker, size: int
) -> None:
    blocks = single(
        noisy_blocks(
            denoiser.num_features, num_edge_types=denoiser.num_edge_types, sizes=(12, 9, 11, 10, 12, 5, 12), padded=12
        )
    )
    denoiser.float()
    with torch.inference_mode():
        logit, features = denoiser(blocks)
        part_logit, part_features = denoiser(rows(blocks, slice(0, size)))
    assert torch.equal(part_logit, logit[:size])
    assert torch.equal(part_features, features[:size])
