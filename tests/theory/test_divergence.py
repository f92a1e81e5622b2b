import numpy as np
import pytest
from scipy.linalg import sqrtm

from sbgd.errors import InputError
from sbgd.theory.divergence import divergence
from sbgd.theory.law import GaussianLaw

P = GaussianLaw.of([1.0, 4.0, 0.25], means=[0.0, 1.0, -1.0])
Q = GaussianLaw.of([2.0, 3.0, 0.5], means=[0.5, 1.0, 0.0])


def test_values_equal_the_matrix_formulas() -> None:
    rng = np.random.default_rng(0)
    basis = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    sigma, gamma = (basis @ np.diag(law.variances) @ basis.T for law in (P, Q))
    shift = basis @ (P.means - Q.means)
    inverse = np.linalg.inv(gamma)
    kl = 0.5 * (np.trace(inverse @ sigma) - 3 + shift @ inverse @ shift - np.log(np.linalg.det(sigma @ inverse)))
    root = sqrtm(gamma)
    bures = np.trace(sigma + gamma - 2 * np.real(sqrtm(root @ sigma @ root)))
    found = divergence(P, Q)
    assert found.kl == pytest.approx(kl)
    assert found.w2 == pytest.approx(np.sqrt(shift @ shift + bures))
    assert found.reverse_kl == pytest.approx(divergence(Q, P).kl)


def test_a_law_is_at_distance_zero_from_itself() -> None:
    found = divergence(P, P)
    assert (found.kl, found.reverse_kl, found.w2) == (0, 0, 0)


def test_tiny_differences_are_not_lost_to_rounding() -> None:
    near = GaussianLaw.of([1.0 + 1e-9])
    assert divergence(near, GaussianLaw.of([1.0])).kl == pytest.approx(0.25e-18, rel=1e-5)


def test_weights_repeat_coordinates() -> None:
    once, thrice = (divergence(GaussianLaw.of([2.0], weights=[w]), GaussianLaw.of([1.0], weights=[w])) for w in (1, 3))
    assert thrice.kl == pytest.approx(3 * once.kl)
    assert thrice.w2 == pytest.approx(np.sqrt(3) * once.w2)
    assert thrice.kl_per_dimension == pytest.approx(once.kl_per_dimension)
    assert thrice.relative_w2 == pytest.approx(once.relative_w2)
    assert thrice.w2_per_dimension == pytest.approx(once.w2_per_dimension)


def test_scale_free_figures_do_not_change_with_units() -> None:
    metres, inches = divergence(P, Q), divergence(P.scaled(39.37), Q.scaled(39.37))
    assert inches.relative_w2 == pytest.approx(metres.relative_w2)
    assert inches.kl == pytest.approx(metres.kl)


def test_singular_and_diverged_laws_are_infinitely_far_in_kl() -> None:
    point, unit, diverged = (
        GaussianLaw.of([0.0]),
        GaussianLaw.of([1.0]),
        GaussianLaw(np.zeros(1), np.array([np.inf]), np.ones(1)),
    )
    assert divergence(unit, point).kl == np.inf
    assert divergence(point, unit).kl == np.inf
    assert divergence(point, unit).w2 == 1
    assert divergence(diverged, unit).w2 == np.inf
    assert divergence(diverged, unit).kl == np.inf


def test_an_unknown_metric_is_refused() -> None:
    with pytest.raises(InputError, match="relative_w2"):
        divergence(P, Q).value("mmd")  # type: ignore[arg-type]
