"""Gaussian data with their exact score: every solver with every SDE must return their mean and spread.

With an affine score a step is affine, x_s = slope x_t + offset + N(0, variance), so the law of what a solver returns is
known exactly for any number of steps; its limit is that of the reverse process started from the prior.
"""

import itertools
import math
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from sbgd.diffusion.coupled import CoupledSDE, Fields
from sbgd.diffusion.noise import GeneratorNoise, NoiseSource, symmetric
from sbgd.diffusion.process import expand
from sbgd.diffusion.sde import SDE, VE, VP, SubVP
from sbgd.diffusion.solvers import (
    S4,
    AdaptiveHeun,
    Ancestral,
    EulerMaruyama,
    Heun,
    PosteriorSampling,
    PredictorCorrector,
    ReverseDiffusion,
    Solver,
    solve,
)

SDES: dict[str, SDE] = {"vp": VP(), "subvp": SubVP(), "ve": VE(0.01, 10.0)}
PLAIN: dict[str, Solver] = {
    "euler_maruyama": EulerMaruyama(),
    "reverse_diffusion": ReverseDiffusion(),
    "ancestral": Ancestral(),
    "posterior": PosteriorSampling(),
    "s4": S4(),
    "heun": Heun(),
}
SOLVERS: dict[str, Solver] = {
    **PLAIN,
    **{f"corrected_{name}": PredictorCorrector(predictor, snr=0.2) for name, predictor in PLAIN.items()},
    "twice_corrected": PredictorCorrector(Ancestral(), snr=0.15, num_corrections=2),
    "half_noise": PredictorCorrector(ReverseDiffusion(), snr=0.2, noise_scale=0.5),
    "s4_corrected": S4(snr=0.2),
    "s4_half_noise": S4(snr=0.2, noise_scale=0.5),
}


HALF_NOISE = {"half_noise", "s4_half_noise"}


@dataclass(frozen=True)
class Law:
    mean: float
    variance: float

    @property
    def spread(self) -> float:
        return math.sqrt(self.variance)


DATA = {"features": Law(1.5, 0.36), "edges": Law(-0.5, 1.69)}


def noised(sde: SDE, data: Law, t: Tensor) -> tuple[Tensor, Tensor]:
    """Returns mean and variance of x_t."""
    return sde.alpha(t) * data.mean, sde.alpha(t) ** 2 * data.variance + sde.sigma(t) ** 2


def exact_score(sde: SDE, data: Law, x: Tensor, t: Tensor) -> Tensor:
    mean, variance = noised(sde, data, t)
    return -(x - expand(mean, x)) / expand(variance, x)


class UnitNoise(NoiseSource):
    """The i-th draw is 1 in the rows of the i-th probe and 0 elsewhere: the response of a step to each of its draws."""

    def __init__(self, probes: Tensor) -> None:
        self.probes = probes
        self.draws = 0

    def uniform(self, shape: tuple[int, ...]) -> Tensor:
        raise NotImplementedError

    def normal(self, shape: tuple[int, ...]) -> Tensor:
        self.draws += 1
        return (self.probes == self.draws).double().reshape(shape)


def affine_steps(solver: Solver, sde: SDE, data: Law, times: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Returns slope, offset and variance of all steps along `times` from one call: every row has its own time."""
    num_steps, max_draws = len(times) - 1, 4
    probes = torch.arange(-1, max_draws + 1).repeat_interleave(num_steps)
    noise = UnitNoise(probes)
    system = CoupledSDE(
        {"x": sde}, lambda x, t: {"x": exact_score(sde, data, x["x"], t)}, {"x": lambda drawn: drawn}, noise
    )
    start = (probes == -1).double().unsqueeze(1)
    t, s = times[:-1].repeat(max_draws + 2), times[1:].repeat(max_draws + 2)
    moved = solver.step(system, {"x": start}, t, s)["x"].reshape(max_draws + 2, num_steps)
    assert noise.draws <= max_draws
    from_one, from_zero, answers = moved[0], moved[1], moved[2:]
    return from_one - from_zero, from_zero, ((answers - from_zero) ** 2).sum(dim=0)


def returned(solver: Solver, sde: SDE, data: Law, times: Tensor) -> Law:
    """Returns the law of what a solver returns from the prior, without sampling."""
    law = Law(0.0, sde.prior_scale**2)
    for slope, offset, variance in torch.stack(affine_steps(solver, sde, data, times), dim=1).tolist():
        law = Law(offset + slope * law.mean, slope**2 * law.variance + variance)
    return law


def limit(sde: SDE, data: Law, *, follows_ode: bool) -> Law:
    """Returns the law at t = 0 of the exact reverse process from the prior, which is nearly the law of x_1.

    The reverse SDE takes a deviation from the mean to alpha_1 v / V_1 of itself, V_1 = Var x_1, and the ODE to
    sqrt(v / V_1).
    """
    one = torch.ones(1, dtype=torch.float64)
    mean, variance = (part.item() for part in noised(sde, data, one))
    kept = math.sqrt(data.variance / variance) if follows_ode else sde.alpha(one).item() * data.variance / variance
    return Law(data.mean - kept * mean, data.variance + kept**2 * (sde.prior_scale**2 - variance))


def grid(num_steps: int) -> Tensor:
    """Returns times from 1 to 0, finer towards 0: on equal steps the errors of Euler-Maruyama for `VE` cancel."""
    return torch.linspace(1, 0, num_steps + 1, dtype=torch.float64) ** 1.5


@pytest.fixture(params=SDES)
def sde(request: pytest.FixtureRequest) -> SDE:
    return SDES[request.param]


@pytest.mark.parametrize("field", DATA)
def test_limit_is_the_law_of_the_data_up_to_the_prior(field: str, sde: SDE) -> None:
    for follows_ode in (True, False):
        law = limit(sde, DATA[field], follows_ode=follows_ode)
        assert law.mean == pytest.approx(DATA[field].mean, abs=0.1)
        assert law.spread == pytest.approx(DATA[field].spread, rel=0.01)


@pytest.mark.parametrize("field", DATA)
@pytest.mark.parametrize("name", PLAIN)
def test_error_falls_with_the_order_of_the_solver(name: str, field: str, sde: SDE) -> None:
    follows_ode = name == "heun"
    exact = limit(sde, DATA[field], follows_ode=follows_ode)
    laws = [returned(PLAIN[name], sde, DATA[field], grid(num_steps)) for num_steps in (400, 800, 1600)]
    order = 2 if follows_ode else 1
    for coarse, fine in itertools.pairwise(abs(law.variance - exact.variance) for law in laws):
        assert order - 0.1 < math.log2(coarse / fine) < order + 0.3
    assert laws[-1].mean == pytest.approx(exact.mean, abs=0.005)


@pytest.mark.parametrize("field", DATA)
@pytest.mark.parametrize("name", sorted(SOLVERS.keys() - HALF_NOISE))
def test_many_steps_return_the_law_of_the_data(name: str, field: str, sde: SDE) -> None:
    law = returned(SOLVERS[name], sde, DATA[field], grid(1000))
    assert law.mean == pytest.approx(DATA[field].mean, abs=0.1)
    assert law.spread == pytest.approx(DATA[field].spread, rel=0.01)


def padded_graphs(num_graphs: int, num_nodes: int, width: int) -> tuple[Tensor, Tensor, Fields]:
    """Returns masks of features and edges, and empty fields; a fifth of the nodes is padding where g is odd."""
    sizes = num_nodes - torch.arange(num_graphs) % 2 * (num_nodes // 5)
    mask = (torch.arange(num_nodes) < sizes.unsqueeze(1)).double()
    pairs = symmetric(mask.unsqueeze(1) * mask.unsqueeze(2))
    like = {"features": torch.zeros(num_graphs, num_nodes, width).double(), "edges": torch.zeros_like(pairs)}
    return mask.unsqueeze(-1).expand_as(like["features"]), pairs, like


@pytest.mark.parametrize("pair", [("vp", "vp"), ("subvp", "subvp"), ("ve", "ve"), ("vp", "ve"), ("ve", "subvp")])
@pytest.mark.parametrize("name", [*SOLVERS, "adaptive_heun"])
def test_sampled_graphs_have_the_law_of_the_solver(name: str, pair: tuple[str, str]) -> None:
    """Features and edges of one system, each with its own SDE, its own law, padding and symmetry."""
    sdes = dict(zip(("features", "edges"), (SDES[sde] for sde in pair), strict=True))
    mask, pairs, like = padded_graphs(40, 25, 10)

    def score(x: Fields, t: Tensor) -> Fields:
        scores = {field: exact_score(sdes[field], DATA[field], x[field], t) for field in sdes}
        return {"features": scores["features"] * mask, "edges": scores["edges"] * pairs}

    system = CoupledSDE(
        sdes,
        score,
        {"features": lambda noise: noise * mask, "edges": lambda noise: symmetric(noise) * pairs},
        GeneratorNoise(torch.Generator().manual_seed(1)),
    )
    solver = SOLVERS.get(name, AdaptiveHeun(tolerance=1e-3))
    times = grid(12)
    x = solve(solver, system, system.prior(like), times, denoise=False)
    assert torch.equal(x["edges"], x["edges"].transpose(1, 2))
    assert torch.equal(x["edges"] != 0, pairs != 0)
    assert torch.equal(x["features"] != 0, mask != 0)
    for field, values in {"features": x["features"][mask != 0], "edges": x["edges"][pairs.triu() != 0]}.items():
        if name in SOLVERS:
            law, bias = returned(solver, sdes[field], DATA[field], times), 0.0
        else:
            law, bias = limit(sdes[field], DATA[field], follows_ode=True), 0.002
        assert values.mean().item() == pytest.approx(law.mean, abs=5 * law.spread / math.sqrt(len(values)) + bias)
        assert values.std().item() == pytest.approx(law.spread, abs=5 * law.spread / math.sqrt(2 * len(values)) + bias)


@pytest.mark.parametrize("name", ["ancestral", "heun", "corrected_reverse_diffusion"])
def test_covariance_of_features_with_edges_comes_out(name: str) -> None:
    """Graphs of two nodes with one feature each: (x_1, x_2, a_12) is one Gaussian vector, two SDEs diffuse it."""
    count = 10_000
    mean = torch.tensor([1.0, -0.5, 0.3], dtype=torch.float64)
    covariance = torch.tensor([[1.0, 0.3, 0.6], [0.3, 0.8, -0.4], [0.6, -0.4, 1.2]], dtype=torch.float64)
    sdes = {"features": VP(), "edges": VE(0.01, 10.0)}

    def vectors(x: Fields) -> Tensor:
        return torch.cat([x["features"].flatten(1), x["edges"][:, 0, 1:]], dim=1)

    def score(x: Fields, t: Tensor) -> Fields:
        parts = [sdes["features"], sdes["features"], sdes["edges"]]
        alpha, sigma = (
            torch.stack(part) for part in zip(*((sde.alpha(t[0]), sde.sigma(t[0])) for sde in parts), strict=True)
        )
        noisy = alpha.unsqueeze(1) * covariance * alpha + torch.diag(sigma**2)
        scores = -(vectors(x) - alpha * mean) @ torch.linalg.inv(noisy)
        return {"features": scores[:, :2, None], "edges": symmetric(scores[:, 2, None, None].expand(-1, 2, 2))}

    system = CoupledSDE(
        sdes,
        score,
        {"features": lambda noise: noise, "edges": symmetric},
        GeneratorNoise(torch.Generator().manual_seed(2)),
    )
    like = {"features": torch.zeros(count, 2, 1).double(), "edges": torch.zeros(count, 2, 2).double()}
    found = vectors(solve(SOLVERS[name], system, system.prior(like), grid(100), denoise=False))
    variances = covariance.diagonal()
    error = ((covariance**2 + variances.unsqueeze(1) * variances) / count).sqrt()
    assert ((torch.cov(found.T) - covariance).abs() < 5 * error + 0.03).all()
    assert ((found.mean(dim=0) - mean).abs() < 5 * (variances / count).sqrt() + 0.05).all()
