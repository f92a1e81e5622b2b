"""A system of SDEs: its prior and noise keep to symmetry and padding, and Tweedie's formula is the posterior mean."""

import math

import pytest
import torch
from torch import Tensor

from sbgd.diffusion.coupled import CoupledSDE, DivergedError, Fields, check_finite
from sbgd.diffusion.noise import CounterNoise, symmetric
from sbgd.diffusion.sde import SDE, VE, VP, SubVP

NODES, WIDTH = 6, 3
MASK = (torch.arange(NODES) < torch.tensor([[6], [4], [1]])).double()
PAIRS = MASK.unsqueeze(1) * MASK.unsqueeze(2) * (1 - torch.eye(NODES, dtype=torch.float64))
LIKE = {
    "features": torch.zeros(3, NODES, WIDTH, dtype=torch.float64),
    "edges": torch.zeros(3, NODES, NODES, dtype=torch.float64),
}


def no_score(x: Fields, t: Tensor) -> Fields:
    return {name: torch.zeros_like(value) for name, value in x.items()}


def system(feature_sde: SDE, edge_sde: SDE, copies: int = 1) -> CoupledSDE:
    pairs, mask = PAIRS.repeat(copies, 1, 1), MASK.repeat(copies, 1).unsqueeze(-1)
    return CoupledSDE(
        sdes={"features": feature_sde, "edges": edge_sde},
        score=no_score,
        project={"features": lambda noise: noise * mask, "edges": lambda noise: symmetric(noise) * pairs},
        noise=CounterNoise(0, torch.arange(3 * copies)),
    )


def test_prior_and_noise_are_symmetric_and_zero_at_padding_exactly() -> None:
    at = system(VP(), VE(0.01, 10.0))
    for fields in (at.prior(LIKE), {name: at.draw(name, LIKE[name]) for name in LIKE}):
        edges = fields["edges"]
        assert torch.equal(edges, edges.transpose(1, 2))
        assert torch.equal(edges != 0, PAIRS != 0)
        assert torch.equal(fields["features"] != 0, MASK.unsqueeze(-1).expand(-1, -1, WIDTH) != 0)


def test_prior_has_the_scale_of_each_sde() -> None:
    copies = 400
    like = {name: value.repeat(copies, 1, 1) for name, value in LIKE.items()}
    prior = system(VP(), VE(0.01, 10.0), copies).prior(like)
    edges = prior["edges"][:, *torch.triu_indices(NODES, NODES, 1)]
    for values, scale in ((prior["features"], 1.0), (edges, 10.0)):
        drawn = values[values != 0]
        assert drawn.mean().item() == pytest.approx(0, abs=5 * scale / math.sqrt(len(drawn)))
        assert drawn.std().item() == pytest.approx(scale, abs=5 * scale / math.sqrt(2 * len(drawn)))


def test_prior_holds_the_diffused_fields_only() -> None:
    at = system(VP(), VP())
    alone = CoupledSDE({"edges": VP()}, no_score, at.project, CounterNoise(0, torch.arange(3)))
    assert set(alone.prior(LIKE)) == {"edges"}


def test_noise_takes_the_type_of_the_field() -> None:
    at = CoupledSDE({"edges": VP()}, no_score, {"edges": symmetric}, CounterNoise(0, torch.arange(3)))
    for dtype in (torch.float64, torch.float32):
        assert at.draw("edges", LIKE["edges"].to(dtype)).dtype == dtype


def test_entries_are_those_that_diffuse() -> None:
    at = system(VP(), VE())
    assert torch.equal(at.entries("edges", LIKE["edges"]), PAIRS)
    assert torch.equal(at.entries("features", LIKE["features"]), MASK.unsqueeze(-1).expand(-1, -1, WIDTH))


@pytest.mark.parametrize("sde", [VP(), SubVP(), VE(0.01, 10.0)], ids=repr)
def test_tweedie_is_the_posterior_mean_of_gaussian_data(sde: SDE) -> None:
    """Precisions add: N(2, 0.25) beforehand, and x_t / alpha_t observes x_0 with variance sigma_t^2 / alpha_t^2."""
    t = torch.tensor([0.1, 0.4, 0.8], dtype=torch.float64)
    alpha, sigma = sde.alpha(t).unsqueeze(1), sde.sigma(t).unsqueeze(1)
    at = CoupledSDE(
        {"features": sde},
        lambda x, _: {"features": -(x["features"] - 2 * alpha) / (0.25 * alpha**2 + sigma**2)},
        {"features": lambda noise: noise},
        CounterNoise(0, torch.arange(3)),
    )
    x_t = torch.tensor([[0.3, -1.0], [2.0, 5.0], [-0.7, 1.1]], dtype=torch.float64)
    prior, observed = 1 / 0.25, (alpha / sigma) ** 2
    expected = (prior * 2 + observed * x_t / alpha) / (prior + observed)
    torch.testing.assert_close(at.denoised({"features": x_t}, t)["features"], expected)


def test_given_fields_reach_the_score_unchanged_and_are_not_denoised() -> None:
    given = torch.arange(4.0).reshape(1, 2, 2)
    seen: list[Tensor] = []

    def score(x: Fields, t: Tensor) -> Fields:
        seen.append(x["edges"])
        return {"features": -x["features"]}

    at = CoupledSDE({"features": VP()}, score, {"features": lambda noise: noise}, CounterNoise(0, torch.arange(1)))
    clean = at.denoised({"features": torch.ones(1, 2, 1), "edges": given}, torch.tensor([0.5]))
    assert set(clean) == {"features"}
    assert seen == [given]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_not_finite_stops_the_run(bad: float) -> None:
    at = CoupledSDE(
        {"edges": VP()},
        lambda x, _: {"edges": torch.full_like(x["edges"], bad)},
        {"edges": symmetric},
        CounterNoise(0, torch.arange(1)),
    )
    with pytest.raises(DivergedError, match=r"in the score of edges at t = 0\.2500; take more steps"):
        at.scores({"edges": torch.zeros(1, 2, 2)}, torch.tensor([0.25]))


def test_the_time_of_the_graph_that_diverged_is_named() -> None:
    values = torch.tensor([[1.0, 2.0], [math.nan, 0.0], [3.0, 4.0]])
    with pytest.raises(DivergedError, match=r"in edges at t = 0\.3000"):
        check_finite("edges", values, torch.tensor([0.9, 0.3, 0.1]))


def test_finite_and_empty_fields_pass() -> None:
    check_finite("edges", torch.tensor([[-1e30, 1e30]]), torch.tensor([0.5]))
    check_finite("features", torch.zeros(2, 4, 0), torch.tensor([0.5, 0.5]))
