"""The binary process against brute force over its two states."""

import itertools

import pytest
import torch
from torch import Tensor

from sbgd.diffusion import CategoricalProcess, CosineSchedule, GeneratorNoise, VPSchedule

TIMES = (0.05, 0.3, 0.5, 0.8, 0.97)
PRIORS = (0.001, 0.05, 0.5, 0.9)


def double(*values: float) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


@pytest.fixture(params=[CosineSchedule(), VPSchedule()], ids=repr)
def process(request: pytest.FixtureRequest) -> CategoricalProcess:
    return CategoricalProcess(request.param)


def transition(process: CategoricalProcess, start: float, end: float, p: float) -> Tensor:
    """Row-stochastic matrix Q[a, b] = q(x_end = b | x_start = a)."""
    keep = process.schedule(double(end)) / process.schedule(double(start))
    return keep * torch.eye(2, dtype=torch.float64) + (1 - keep) * double(1 - p, p).expand(2, 2)


def test_encoding_edges_changes_nothing(process: CategoricalProcess) -> None:
    edges = double(0, 1, 1)
    assert torch.equal(process.encode(edges), edges)
    assert torch.equal(process.soft_edges(edges, double(0.1, 0.5, 0.9), edges), edges)


def test_expectation_is_the_edge_probability(process: CategoricalProcess) -> None:
    p = double(0.01, 0.5, 0.8)
    torch.testing.assert_close(process.expectation(torch.logit(p)), p)


@pytest.mark.parametrize("clean", [0.0, 1.0])
@pytest.mark.parametrize("time", TIMES)
def test_perturbed_share_of_edges_matches_the_transition_matrix(
    process: CategoricalProcess, clean: float, time: float
) -> None:
    noise = GeneratorNoise(torch.Generator().manual_seed(1)).uniform((1, 100_000))
    x_t = process.perturb(torch.full((1, 100_000), clean), torch.tensor([time]), torch.tensor([[0.1]]), noise)
    expected = transition(process, 0, time, 0.1)[int(clean), 1].item()
    standard_error = (expected * (1 - expected) / 100_000) ** 0.5
    assert x_t.mean().item() == pytest.approx(expected, abs=5 * standard_error)


def test_perturbing_to_time_zero_changes_nothing(process: CategoricalProcess) -> None:
    edges = torch.tensor([[0.0, 1.0, 1.0, 0.0]])
    noise = torch.tensor([[1e-7, 1e-7, 1 - 6e-8, 1 - 6e-8]])
    assert torch.equal(process.perturb(edges, torch.zeros(1), torch.tensor(0.3), noise), edges)


def test_initial_state_thresholds_the_noise_at_the_prior(process: CategoricalProcess) -> None:
    drawn = process.initial(torch.tensor([[0.2, 0.0, 1.0, 0.5]]), torch.tensor([[0.1, 1e-7, 0.999, 0.6]]))
    assert drawn.tolist() == [[1, 0, 1, 0]]


@pytest.mark.parametrize(("time", "p", "seen"), list(itertools.product(TIMES, PRIORS, (0.0, 1.0))))
def test_prior_logit_is_bayes_rule(process: CategoricalProcess, time: float, p: float, seen: float) -> None:
    q = transition(process, 0, time, p)
    bayes = torch.log(p * q[1, int(seen)]) - torch.log((1 - p) * q[0, int(seen)])
    logit = process.prior_logit(double(seen), double(time), double(p))
    torch.testing.assert_close(logit.squeeze(), bayes.clamp(-12, 12))


@pytest.mark.parametrize("seen", [0.0, 1.0])
def test_prior_logit_tends_to_the_prior_without_signal(seen: float) -> None:
    logit = CategoricalProcess(CosineSchedule()).prior_logit(double(seen), double(1), double(0.05))
    torch.testing.assert_close(logit, torch.logit(double(0.05)))


def test_prior_logit_is_certain_with_all_signal(process: CategoricalProcess) -> None:
    assert process.prior_logit(double(0, 1), double(0, 0), double(0.3, 0.3)).tolist() == [-12, 12]


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_prior_logit_is_finite_where_the_prior_is_degenerate(process: CategoricalProcess, p: float) -> None:
    logit = process.prior_logit(torch.tensor([0.0, 1.0]), torch.tensor([0.4, 0.4]), torch.tensor([p, p]))
    assert torch.isfinite(logit).all()


@pytest.mark.parametrize(("s", "t"), [(0.0, 0.2), (0.1, 0.15), (0.3, 0.9), (0.8, 0.99)])
@pytest.mark.parametrize("p", PRIORS)
def test_posterior_is_the_forward_backward_formula(process: CategoricalProcess, s: float, t: float, p: float) -> None:
    to_s, onwards = transition(process, 0, s, p), transition(process, s, t, p)
    for seen, clean in itertools.product((0, 1), (0, 1)):
        joint = to_s[clean] * onwards[:, seen]
        posterior = process.posterior(double(seen), double(clean), double(t), double(s), double(p))
        torch.testing.assert_close(posterior.squeeze(), joint[1] / joint.sum(), rtol=1e-9, atol=1e-12)


def test_posterior_of_an_uncertain_clean_state_is_the_mixture(process: CategoricalProcess) -> None:
    one, zero, mixed = (
        process.posterior(double(1), double(clean), double(0.7), double(0.4), double(0.1)) for clean in (1, 0, 0.3)
    )
    torch.testing.assert_close(mixed, 0.3 * one + 0.7 * zero)


@pytest.mark.parametrize("seen", [0.0, 1.0])
def test_last_step_draws_from_the_expected_clean_state(process: CategoricalProcess, seen: float) -> None:
    clean = double(0.0, 0.2, 0.7, 1.0).unsqueeze(0)
    arguments = (torch.full_like(clean, seen), clean, double(0.1), double(0), double(0.05))
    torch.testing.assert_close(process.posterior(*arguments), clean)
    assert process.step(*arguments, double(0.1, 0.1, 0.9, 0.9).unsqueeze(0)).tolist() == [[0, 1, 0, 1]]


@pytest.mark.parametrize("num_steps", [1, 4, 50])
@pytest.mark.parametrize(("marginal", "prior"), [(0.3, 0.05), (0.02, 0.02), (0.6, 0.5)])
def test_exact_denoiser_returns_the_data_marginal(
    process: CategoricalProcess, num_steps: int, marginal: float, prior: float
) -> None:
    """The law of one edge is carried through the chain in closed form, with data that differ from the noise."""
    times = torch.linspace(1, 0, num_steps + 1, dtype=torch.float64)
    forward = transition(process, 0, 1, prior)
    law = marginal * forward[1, 1] + (1 - marginal) * forward[0, 1]
    for t, s in itertools.pairwise(times):
        q = transition(process, 0, t.item(), prior)
        likelihood = torch.stack([(1 - marginal) * q[0], marginal * q[1]])
        clean = likelihood[1] / likelihood.sum(0)
        reverse = process.posterior(double(0, 1), clean, t.expand(2), s.expand(2), double(prior, prior))
        law = (1 - law) * reverse[0] + law * reverse[1]
    assert law.item() == pytest.approx(marginal, abs=1e-9)


def test_sampled_reverse_chain_returns_the_data_marginals(process: CategoricalProcess) -> None:
    """Independent edges of three different probabilities, the noise prior equal to none of them."""
    marginal, prior = torch.tensor([[0.02], [0.2], [0.7]]), torch.tensor([[0.1]])
    noise = GeneratorNoise(torch.Generator().manual_seed(2))
    shape = (3, 40_000)
    x = process.initial(prior.expand(shape), noise.uniform(shape))
    for t, s in itertools.pairwise(torch.linspace(1, 0, 21)):
        q = transition(process, 0, t.item(), 0.1).float()
        seen = x.long()
        present, absent = marginal * q[1, seen], (1 - marginal) * q[0, seen]
        x = process.step(x, present / (present + absent), t.expand(3), s.expand(3), prior, noise.uniform(shape))
    standard_error = (marginal * (1 - marginal) / shape[1]).sqrt().squeeze()
    # The VP schedule leaves e^-10 of the signal at t = 1, where the chain starts from the prior alone.
    bias = 1e-4
    assert ((x.mean(1) - marginal.squeeze()).abs() < 5 * standard_error + bias).all()


def test_prior_logit_is_the_exact_denoiser_of_edges_that_follow_the_prior(process: CategoricalProcess) -> None:
    """Then every step keeps the law of the chain: the prior itself."""
    prior = double(0.15, 0.15)
    law = double(0.15)
    for t, s in itertools.pairwise(torch.linspace(1, 0, 11, dtype=torch.float64)):
        states = double(0, 1)
        clean = process.expectation(process.prior_logit(states, t.expand(2), prior))
        reverse = process.posterior(states, clean, t.expand(2), s.expand(2), prior)
        law = (1 - law) * reverse[0] + law * reverse[1]
        assert law.item() == pytest.approx(0.15, abs=1e-5)
