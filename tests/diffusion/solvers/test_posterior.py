"""Posterior sampling against the law of independent entries, which it keeps in any number of steps."""

import math

import pytest
import torch

from sbgd.diffusion import GeneratorNoise, symmetric
from sbgd.diffusion.coupled import CoupledSDE
from sbgd.diffusion.process import expand
from sbgd.diffusion.sde import VE, VP, SubVP
from sbgd.diffusion.solvers import Ancestral, PosteriorSampling, solve
from sbgd.models.fields import BinaryField, CategoricalField

SDES = [VP(), SubVP(), VE(0.01, 10.0)]
SIZE = 200_000


def independent(field, sde, project=lambda noise: noise):
    """A system of independent entries, whose score is known."""

    def score(x, t):
        alpha, sigma = expand(sde.alpha(t), x["x"]), expand(sde.sigma(t), x["x"])
        clean = field.expectation(x["x"], t, torch.zeros_like(x["x"]))
        return {"x": project((alpha * clean - x["x"]) / sigma**2)}

    noise = GeneratorNoise(torch.Generator().manual_seed(0))
    return CoupledSDE({"x": sde}, score, {"x": project}, noise, {"x": field.resample})


def sampled(solver, system, shape, num_steps):
    times = torch.linspace(1, 1e-3, num_steps + 1)
    return solve(solver, system, system.prior({"x": torch.zeros(shape)}), times)["x"]


@pytest.mark.parametrize("num_steps", [2, 5, 20])
@pytest.mark.parametrize("sde", SDES, ids=repr)
def test_rare_ones_are_as_frequent_as_in_the_data_in_any_number_of_steps(sde, num_steps):
    field = BinaryField(sde)
    field.share.fill_(0.02)
    found = sampled(PosteriorSampling(), independent(field, sde), (1, SIZE), num_steps)
    error = math.sqrt(0.02 * 0.98 / SIZE)
    assert float((found > 0).float().mean()) == pytest.approx(0.02, abs=4 * error)


def test_the_mean_in_place_of_a_draw_misses_rare_ones():
    field = BinaryField(VP())
    field.share.fill_(0.02)
    found = sampled(Ancestral(), independent(field, VP()), (1, SIZE), 5)
    assert float((found > 0).float().mean()) < 0.01


@pytest.mark.parametrize("axis", [1, -1])
def test_categories_are_as_frequent_as_in_the_data(axis):
    field = CategoricalField(VP(), 3, axis=axis)
    field.share.copy_(torch.tensor([0.9, 0.08, 0.02]))
    shape = (1, 3, SIZE) if axis == 1 else (1, SIZE, 3)
    found = sampled(PosteriorSampling(), independent(field, VP()), shape, 4).argmax(dim=axis).flatten()
    shares = torch.bincount(found, minlength=3) / SIZE
    errors = (field.share * (1 - field.share) / SIZE).sqrt()
    assert bool(((shares - field.share).abs() < 4 * errors).all())


def test_draws_of_edges_are_symmetric_and_stay_off_the_diagonal():
    field = BinaryField(VP())
    field.share.fill_(0.3)
    found = sampled(PosteriorSampling(), independent(field, VP(), symmetric), (2, 6, 6), 5)
    assert torch.equal(found, found.transpose(1, 2))
    assert bool((found.diagonal(dim1=1, dim2=2) == 0).all())
