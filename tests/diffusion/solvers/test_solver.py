"""What holds for every solver: symmetry, given fields, independence of the batch, and a stop where a run diverges."""

import math

import pytest
import torch
from torch import Tensor

from sbgd.diffusion.coupled import CoupledSDE, DivergedError, Fields
from sbgd.diffusion.noise import CounterNoise, symmetric
from sbgd.diffusion.process import expand
from sbgd.diffusion.sde import SDE, VE, VP
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
from sbgd.errors import InputError

SOLVERS: dict[str, Solver] = {
    "euler_maruyama": EulerMaruyama(),
    "reverse_diffusion": ReverseDiffusion(),
    "ancestral": Ancestral(),
    "posterior": PosteriorSampling(),
    "predictor_corrector": PredictorCorrector(ReverseDiffusion()),
    "s4": S4(),
    "s4_corrected": S4(snr=0.1),
    "heun": Heun(),
    "adaptive_heun": AdaptiveHeun(1e-4),
}
SDES: dict[str, SDE] = {"features": VP(), "edges": VE(0.01, 10.0)}
SIZES = torch.tensor([5, 8, 3])


@pytest.fixture(params=SOLVERS)
def solver(request: pytest.FixtureRequest) -> Solver:
    return SOLVERS[request.param]


def graph_system(ids: list[int], num_nodes: int) -> tuple[CoupledSDE, Fields]:
    """Graphs of the given ids, padded to `num_nodes`, of single precision.

    The score is that of data whose spread depends on the graph, and features and edges depend on each other through it.
    """
    sizes = SIZES[ids].unsqueeze(1)
    mask = (torch.arange(num_nodes) < sizes).float()
    pairs = symmetric(mask.unsqueeze(1) * mask.unsqueeze(2))
    mask = mask.unsqueeze(-1)
    variance = (0.05 + 0.5 * torch.tensor(ids, dtype=torch.float32)).reshape(-1, 1, 1)

    def score(x: Fields, t: Tensor) -> Fields:
        scores = {}
        for name, sde in SDES.items():
            alpha, sigma = expand(sde.alpha(t), x[name]), expand(sde.sigma(t), x[name])
            mean = 0.3 * torch.tanh(x["features"][..., :1]) if name == "features" else 0.3 * torch.tanh(x["edges"])
            scores[name] = -(x[name] - alpha * mean) / (alpha**2 * variance + sigma**2)
        return {"features": scores["features"] * mask, "edges": scores["edges"] * pairs}

    system = CoupledSDE(
        SDES,
        score,
        {"features": lambda noise: noise * mask, "edges": lambda noise: symmetric(noise) * pairs},
        CounterNoise(3, torch.tensor(ids)),
    )
    return system, {"features": torch.zeros(len(ids), num_nodes, 2), "edges": torch.zeros_like(pairs)}


def sampled(solver: Solver, ids: list[int], num_nodes: int = 8) -> Fields:
    system, like = graph_system(ids, num_nodes)
    return solve(solver, system, system.prior(like), torch.linspace(1, 0.01, 8))


def test_symmetry_and_padding_are_exact(solver: Solver) -> None:
    x = sampled(solver, [0, 1, 2])
    inside = (torch.arange(8) < SIZES.unsqueeze(1)).float()
    assert torch.equal(x["edges"], x["edges"].transpose(1, 2))
    assert torch.equal(x["edges"] != 0, symmetric(inside.unsqueeze(1) * inside.unsqueeze(2)) != 0)
    assert torch.equal(x["features"] != 0, inside.unsqueeze(-1).expand(-1, -1, 2) != 0)


def test_a_graph_does_not_depend_on_its_batch(solver: Solver) -> None:
    together = sampled(solver, [2, 0, 1])
    for row, number in enumerate((2, 0, 1)):
        alone = sampled(solver, [number])
        for name in SDES:
            assert torch.equal(together[name][row], alone[name][0]), name


def test_a_graph_does_not_depend_on_its_padding(solver: Solver) -> None:
    narrow, wide = sampled(solver, [0, 1, 2]), sampled(solver, [0, 1, 2], num_nodes=40)
    torch.testing.assert_close(wide["edges"][:, :8, :8], narrow["edges"], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(wide["features"][:, :8], narrow["features"], rtol=1e-4, atol=1e-5)


def test_a_run_is_repeatable(solver: Solver) -> None:
    first, second = sampled(solver, [0, 1]), sampled(solver, [0, 1])
    assert all(torch.equal(first[name], second[name]) for name in SDES)


@pytest.mark.parametrize(
    "solver", [solver for name, solver in SOLVERS.items() if name != "adaptive_heun"], ids=lambda s: s.name
)
def test_a_step_costs_the_evaluations_it_says(solver: Solver) -> None:
    system, like = graph_system([0], 8)
    calls = 0

    def counted(x: Fields, t: Tensor) -> Fields:
        nonlocal calls
        calls += 1
        return system.score(x, t)

    counting = CoupledSDE(system.sdes, counted, system.project, system.noise)
    solver.step(counting, system.prior(like), torch.tensor([0.5]), torch.tensor([0.4]))
    assert calls == solver.evaluations


def test_given_fields_reach_the_score_unchanged_and_are_not_returned(solver: Solver) -> None:
    given = torch.tensor([[[0.0, 1.0], [1.0, 0.0]]])
    seen = []

    def score(x: Fields, t: Tensor) -> Fields:
        seen.append(x["edges"])
        return {"features": -x["features"]}

    system = CoupledSDE({"features": VP()}, score, {"features": lambda noise: noise}, CounterNoise(0, torch.arange(1)))
    fields = {"features": torch.ones(1, 2, 3), "edges": given}
    assert set(solver.step(system, fields, torch.tensor([0.5]), torch.tensor([0.4]))) == {"features"}
    assert set(solve(solver, system, fields, torch.linspace(1, 0.1, 4))) == {"features"}
    assert all(edges is given for edges in seen)
    assert torch.equal(given, torch.tensor([[[0.0, 1.0], [1.0, 0.0]]]))
    assert torch.equal(fields["features"], torch.ones(1, 2, 3))


def test_a_score_that_is_nan_stops_the_run_there(solver: Solver) -> None:
    """NaN from t = 0.5 on: every solver asks at 0.5, at the latest as the start of the step after it."""
    system, like = graph_system([0, 1, 2], 8)
    times: list[float] = []

    def score(x: Fields, t: Tensor) -> Fields:
        times.append(t.max().item())
        scores = system.score(x, t)
        scores["edges"] = torch.where(expand(t, x["edges"]) <= 0.5, math.nan, scores["edges"])
        return scores

    broken = CoupledSDE(SDES, score, system.project, system.noise)
    with pytest.raises(DivergedError, match=r"NaN or infinity in the score of edges at t = 0\.5000"):
        solve(solver, broken, system.prior(like), torch.linspace(1, 0, 5))
    assert min(times) == 0.5


class Exploding(Solver):
    """Overflows in one graph when it arrives at 0.5."""

    name = "exploding"

    def step(self, system: CoupledSDE, x: Fields, t: Tensor, s: Tensor) -> Fields:
        edges = x["edges"].clone()
        edges[1, 0, 0] = math.inf if s[0] == 0.5 else 0
        return {"features": x["features"], "edges": edges}


def test_a_state_that_is_not_finite_stops_the_run_where_it_arises() -> None:
    system, like = graph_system([0, 1, 2], 8)
    with pytest.raises(DivergedError, match=r"expected finite values, got NaN or infinity in edges at t = 0\.5000"):
        solve(Exploding(), system, system.prior(like), torch.linspace(1, 0, 5))


def test_denoising_replaces_the_last_state_by_its_expectation(solver: Solver) -> None:
    times = torch.linspace(1, 0.1, 6)
    (system, like), (again, _) = graph_system([0, 1], 8), graph_system([0, 1], 8)
    noisy = solve(solver, system, system.prior(like), times, denoise=False)
    clean = solve(solver, again, again.prior(like), times)
    expected = system.denoised(noisy, torch.full((2,), 0.1))
    for name in SDES:
        assert torch.equal(clean[name], expected[name])
        assert not torch.equal(clean[name], noisy[name])


@pytest.mark.parametrize("times", [[0.0, 1.0], [1.0, 0.5, 0.5], [1.0, math.nan]])
def test_times_that_do_not_decrease_are_refused(times: list[float]) -> None:
    system, like = graph_system([0], 8)
    with pytest.raises(InputError, match="expected decreasing times"):
        solve(Heun(), system, system.prior(like), torch.tensor(times))
