import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.theory.bounds import path_bound
from sbgd.theory.divergence import kl
from sbgd.theory.law import GaussianLaw
from sbgd.theory.sampler import Sampler
from sbgd.theory.score import ScoreError
from sbgd.theory.sde import SDE, SDES
from sbgd.theory.solvers import SOLVERS
from sbgd.theory.time_grid import GRIDS, TimeGrid

LAW = GaussianLaw.of([0.3, 1.0, 4.0], means=[0.0, 1.0, -1.0], weights=[5, 2, 1])
SOLVER = SOLVERS["exponential_sde"]


@pytest.mark.parametrize(
    "error", [ScoreError(), ScoreError(0.05), ScoreError(offset=0.1), ScoreError(noise=0.3)], ids=repr
)
@pytest.mark.parametrize("grid", GRIDS.values(), ids=GRIDS)
@pytest.mark.parametrize("sde", SDES.values(), ids=SDES)
def test_the_bound_holds(sde: SDE, grid: TimeGrid, error: ScoreError) -> None:
    for steps, horizon in ((5, 1.0), (50, 0.5), (500, 1.0)):
        sampler = Sampler(sde, SOLVER, grid, steps, horizon)
        exact = kl(sampler.diffused(LAW, sampler.stop), sampler.output(LAW, error))
        assert exact <= path_bound(LAW, sampler, error).total


def test_the_bound_of_the_path_falls_like_one_over_steps() -> None:
    coarse, fine = (path_bound(LAW, Sampler(SDES["vp"], SOLVER, num_steps=steps)).path for steps in (1000, 2000))
    assert np.log2(coarse / fine) == pytest.approx(1, abs=0.05)


def test_the_bound_becomes_that_of_the_prior_for_many_steps() -> None:
    sampler = Sampler(SDES["vp"], SOLVER, num_steps=20_000, horizon=0.4)
    bound = path_bound(LAW, sampler)
    assert bound.total == pytest.approx(bound.initialisation, rel=0.05)


def test_other_solvers_are_refused() -> None:
    with pytest.raises(InputError, match="holds for no other"):
        path_bound(LAW, Sampler())
