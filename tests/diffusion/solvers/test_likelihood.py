"""Log densities of Gaussian features given a structure against their closed form."""

import math

import pytest
import torch
from torch import Tensor

from sbgd.diffusion.coupled import CoupledSDE, Fields
from sbgd.diffusion.noise import GeneratorNoise, symmetric
from sbgd.diffusion.process import expand
from sbgd.diffusion.sde import SDE, VE, VP, SubVP
from sbgd.diffusion.solvers import log_likelihood
from sbgd.errors import InputError

# One path of three nodes and one edge beside a node of padding, two features a node.
EDGES = torch.tensor([[[0, 1, 0], [1, 0, 1], [0, 1, 0]], [[0, 1, 0], [1, 0, 0], [0, 0, 0]]], dtype=torch.float64)
MASK = torch.tensor([[1, 1, 1], [1, 1, 0]], dtype=torch.float64).unsqueeze(-1)
FREEDOM = torch.tensor([6.0, 4.0], dtype=torch.float64)
# Little of the data is left at t = 1, so the density is close to that of the data.
SDES = [VP(0.1, 40.0), SubVP(0.1, 40.0), VE(0.01, 300.0)]


def noise() -> GeneratorNoise:
    return GeneratorNoise(torch.Generator().manual_seed(0))


def clean(padding: float = 0.0) -> Fields:
    """Returns features and edges; `padding` stands where there is no node."""
    drawn = torch.randn(2, 3, 2, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    return {"features": drawn * MASK + padding * (1 - MASK), "edges": EDGES}


def covariance(edges: Tensor) -> Tensor:
    """Neighbours have like features: (I + L)^-1 of the Laplacian L, over the nodes."""
    laplacian = torch.diag_embed(edges.sum(dim=-1)) - edges
    return torch.linalg.inv(torch.eye(3, dtype=torch.float64) + laplacian)


def system(sde: SDE, masked: bool = True) -> CoupledSDE:
    """Features N(0.5, covariance of the structure), the two columns independent; reads the structure from x."""

    def score(x: Fields, t: Tensor) -> Fields:
        alpha, sigma = expand(sde.alpha(t), x["features"]), expand(sde.sigma(t), x["features"])
        noisy = alpha**2 * covariance(x["edges"]) + sigma**2 * torch.eye(3, dtype=torch.float64)
        scores = -torch.linalg.solve(noisy, x["features"] - 0.5 * alpha)
        return {"features": scores * MASK if masked else scores}

    return CoupledSDE({"features": sde}, score, {"features": lambda drawn: drawn * MASK}, noise())


def exact_density(x: Fields) -> Tensor:
    """Returns log N(x; 0.5, covariance), entries of real nodes only."""
    densities = []
    for row, size in enumerate((3, 2)):
        law = torch.distributions.MultivariateNormal(
            torch.full((size,), 0.5, dtype=torch.float64), covariance(x["edges"])[row, :size, :size]
        )
        densities.append(law.log_prob(x["features"][row, :size].T).sum())
    return torch.stack(densities)


@pytest.mark.parametrize("sde", SDES, ids=repr)
def test_exact_divergence_gives_the_density_of_the_data(sde: SDE) -> None:
    x = clean()
    found = log_likelihood(system(sde), x, FREEDOM, num_steps=800, earliest=1e-6, exact=True)
    # The prior ignores what is left of the mean, 0.5 alpha_1, in each of at most 6 entries of some deviations.
    left = float(sde.alpha(torch.tensor(1.0)))
    torch.testing.assert_close(found, exact_density(x), rtol=0, atol=1e-3 + 6 * 0.5 * left / sde.prior_scale)


@pytest.mark.parametrize("sde", SDES, ids=repr)
def test_error_quarters_when_steps_double(sde: SDE) -> None:
    x = clean()
    steps = [100, 200, 400]
    finest, *found = (
        log_likelihood(system(sde), x, FREEDOM, num_steps=n, earliest=1e-6, exact=True)[0].item()
        for n in [1600, *steps]
    )
    errors = [abs(value - finest) for value in found]
    for coarse, fine in zip(errors[:-1], errors[1:], strict=True):
        assert math.log2(coarse / fine) == pytest.approx(2, abs=0.3)


def test_estimated_divergence_agrees_with_the_exact_one_within_its_spread() -> None:
    """Probes are drawn once a run; runs of one probe each tell their spread, and probes average within a run."""
    x = clean()
    at = system(VP())
    exact = log_likelihood(at, x, FREEDOM, num_steps=60, exact=True)
    single = torch.stack([log_likelihood(at, x, FREEDOM, num_steps=60) for _ in range(40)])
    assert (single.std(dim=0) > 0.01).all()
    assert ((single.mean(dim=0) - exact).abs() < 5 * single.std(dim=0) / math.sqrt(40)).all()
    many = log_likelihood(at, x, FREEDOM, num_steps=60, num_probes=40)
    assert ((many - exact).abs() < 5 * single.std(dim=0) / math.sqrt(40)).all()


def test_one_probe_is_exact_for_independent_entries() -> None:
    """A diagonal Jacobian: z_i^2 = 1, so every Rademacher vector gives its trace."""
    sde = VP()
    at = CoupledSDE(
        {"features": sde},
        lambda x, t: {"features": -x["features"] / expand(0.3 * sde.alpha(t) ** 2 + sde.sigma(t) ** 2, MASK) * MASK},
        {"features": lambda drawn: drawn * MASK},
        noise(),
    )
    found = [log_likelihood(at, clean(), FREEDOM, num_steps=20, exact=exact) for exact in (True, False)]
    torch.testing.assert_close(found[1], found[0], rtol=0, atol=1e-10)


@pytest.mark.parametrize("exact", [True, False])
def test_masked_entries_do_not_count(exact: bool) -> None:
    """Neither what stands at padding nor what the score says there."""
    found = [
        log_likelihood(system(VP(), masked), clean(padding), FREEDOM, num_steps=20, exact=exact)
        for masked, padding in ((True, 0.0), (False, 0.0), (False, 7.0))
    ]
    torch.testing.assert_close(found[1], found[0])
    torch.testing.assert_close(found[2], found[0])


def test_the_structure_is_given_and_matters() -> None:
    x = clean()
    other = {"features": x["features"], "edges": torch.zeros_like(EDGES)}
    found = [log_likelihood(system(VP()), fields, FREEDOM, num_steps=100, exact=True)[0] for fields in (x, other)]
    expected = exact_density(x)[0] - exact_density(other)[0]
    assert (found[0] - found[1]).item() == pytest.approx(expected.item(), abs=0.05)


def test_gradients_are_neither_needed_nor_left_behind() -> None:
    x = clean()
    with torch.no_grad():
        found = log_likelihood(system(VP()), x, FREEDOM, num_steps=3)
    assert not found.requires_grad
    assert not x["features"].requires_grad


def test_two_diffused_fields_are_refused() -> None:
    at = CoupledSDE({"features": VP(), "edges": VP()}, system(VP()).score, {}, noise())
    with pytest.raises(InputError, match="expected one diffused field, got 2"):
        log_likelihood(at, clean(), FREEDOM)


def test_edges_are_refused_since_they_mirror_each_other() -> None:
    at = CoupledSDE({"edges": VP()}, lambda x, _: {"edges": -x["edges"]}, {"edges": symmetric}, noise())
    with pytest.raises(InputError, match="expected a field of independent entries, got edges"):
        log_likelihood(at, clean(), FREEDOM)


def test_too_many_entries_are_refused_for_the_exact_divergence_only() -> None:
    at = CoupledSDE(
        {"features": VP()}, lambda x, _: {"features": -x["features"]}, {"features": lambda drawn: drawn}, noise()
    )
    x, freedom = {"features": torch.zeros(1, 9, 57)}, torch.tensor([513.0])
    with pytest.raises(InputError, match="expected at most 512 entries for an exact divergence, got 513"):
        log_likelihood(at, x, freedom, exact=True)
    standard = -0.5 * 513 * math.log(2 * math.pi)
    assert log_likelihood(at, x, freedom, num_steps=2).item() == pytest.approx(standard, rel=1e-6)


@pytest.mark.parametrize(
    ("num_steps", "num_probes", "earliest"), [(0, 1, 1e-4), (10, 0, 1e-4), (10, 1, -0.1), (10, 1, 1.0)]
)
def test_nothing_to_integrate_is_refused(num_steps: int, num_probes: int, earliest: float) -> None:
    with pytest.raises(InputError, match="expected num_steps and num_probes of at least 1"):
        log_likelihood(system(VP()), clean(), FREEDOM, num_steps=num_steps, num_probes=num_probes, earliest=earliest)
