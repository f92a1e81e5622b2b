"""What a noisy code says on its own, against Bayes' rule, and losses of a network that knows nothing."""

import math

import pytest
import torch

from sbgd.diffusion.sde import VE, VP, SubVP
from sbgd.models.fields import BinaryField, CategoricalField, RealField

SDES = [VP(), SubVP(), VE(0.01, 10.0)]
TIMES = torch.tensor([0.1, 0.5, 0.9])


def noised(sde, code, seed=0):
    z = torch.randn(code.shape, generator=torch.Generator().manual_seed(seed))
    shape = (-1, *(1,) * (code.dim() - 1))
    return sde.alpha(TIMES).reshape(shape) * code + sde.sigma(TIMES).reshape(shape) * z


def normal(x, mean, sigma):
    return torch.exp(-((x - mean) ** 2) / (2 * sigma**2)).double()


@pytest.mark.parametrize("sde", SDES, ids=repr)
def test_binary_belief_is_bayes_rule_column_by_column(sde):
    field = BinaryField(sde, 3)
    field.share.copy_(torch.tensor([0.1, 0.5, 0.8]))
    x = noised(sde, field.code((torch.rand(3, 40, 3, generator=torch.Generator().manual_seed(1)) < 0.5).float()))
    alpha, sigma = sde.alpha(TIMES).reshape(3, 1, 1), sde.sigma(TIMES).reshape(3, 1, 1)
    one = field.share * normal(x, alpha, sigma)
    zero = (1 - field.share) * normal(x, -alpha, sigma)
    certain = (one + zero) == 0
    expected = torch.where(certain, (x > 0).double(), one / (one + zero))
    assert torch.allclose(torch.sigmoid(field.belief(x, TIMES)).double(), expected, atol=1e-4)
    residual = torch.zeros_like(x)
    assert torch.allclose(field.expectation(x, TIMES, residual).double(), 2 * expected - 1, atol=2e-4)


@pytest.mark.parametrize("axis", [1, -1])
@pytest.mark.parametrize("sde", SDES, ids=repr)
def test_categorical_belief_is_bayes_rule(sde, axis):
    field = CategoricalField(sde, 3, axis=axis)
    field.share.copy_(torch.tensor([0.1, 0.3, 0.6]))
    drawn = torch.randint(0, 3, (3, 40), generator=torch.Generator().manual_seed(1))
    x = noised(sde, field.code(field.one_hot(drawn)))
    last = x.movedim(axis, -1)
    alpha, sigma = sde.alpha(TIMES).reshape(3, 1), sde.sigma(TIMES).reshape(3, 1)
    densities = []
    for category in range(3):
        signs = -torch.ones(3)
        signs[category] = 1
        distance = ((last - alpha.unsqueeze(-1) * signs) ** 2).sum(-1)
        densities.append(-distance.double() / (2 * sigma**2) + math.log(field.share[category]))
    expected = torch.stack(densities, -1).softmax(-1)
    assert torch.allclose(field.inputs(x, TIMES).movedim(axis, -1).double(), expected, atol=1e-4)


@pytest.mark.parametrize("sde", SDES, ids=repr)
def test_losses_of_a_network_that_knows_nothing_are_one_at_pure_noise(sde):
    """At t = 1 hardly anything is left of the values, so the best guess is their share."""
    t = torch.ones(200)
    generator = torch.Generator().manual_seed(3)
    fields = {
        "real": (RealField(sde), torch.randn(200, 50, generator=generator)),
        "binary": (BinaryField(sde), (torch.rand(200, 50, generator=generator) < 0.1).float()),
    }
    category = CategoricalField(sde, 4, axis=-1)
    fields["categories"] = (category, category.one_hot(torch.randint(0, 4, (200, 50), generator=generator)))
    for name, (field, values) in fields.items():
        code = field.code(values)
        x = sde.alpha(t[:1]) * code + sde.sigma(t[:1]) * torch.randn(code.shape, generator=generator)
        loss = field.loss(values, x, t, torch.zeros_like(x)).mean().item()
        assert loss == pytest.approx(1, abs=0.05), name


@pytest.mark.parametrize("make", [RealField, BinaryField, lambda sde: CategoricalField(sde, 3, axis=-1)])
def test_given_values_are_known_for_certain(make):
    field = make(None)
    values = torch.eye(3).repeat(2, 1, 1)
    read = field.inputs(field.code(values), torch.tensor([0.3, 0.9]))
    if isinstance(field, RealField):
        assert torch.equal(read, values)
    elif isinstance(field, BinaryField):
        assert torch.allclose(read * 0.3 + 0.1, values, atol=1e-3)
    else:
        assert torch.allclose(read, values, atol=1e-3)


@pytest.mark.parametrize("sde", SDES, ids=repr)
def test_the_residual_of_real_values_is_in_standard_deviations(sde):
    field, x = RealField(sde), torch.randn(3, 5, generator=torch.Generator().manual_seed(0))
    moved = field.expectation(x, TIMES, torch.ones_like(x)) - field.expectation(x, TIMES, torch.zeros_like(x))
    alpha, sigma = sde.alpha(TIMES), sde.sigma(TIMES)
    assert torch.allclose(moved, (sigma / (alpha**2 + sigma**2).sqrt()).unsqueeze(-1).expand_as(moved), atol=1e-5)
