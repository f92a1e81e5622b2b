import numpy as np
import pytest
from scipy.stats import norm

from sbgd.errors import InputError
from sbgd.theory.law import GaussianLaw
from sbgd.theory.score import LinearScore, ScoreError
from sbgd.theory.sde import VP

LAW = GaussianLaw.of([0.5, 3.0], means=[1.0, -2.0])
T = np.array([0.3])


def test_the_exact_score_is_the_gradient_of_the_log_density() -> None:
    score, x, h = LinearScore(LAW, VP()), np.array([0.7, -0.4]), 1e-5
    mean, deviation = VP().alpha(T) * LAW.means, np.sqrt(score.variance(T)[0])
    slope = (norm.logpdf(x + h, mean, deviation) - norm.logpdf(x - h, mean, deviation)) / (2 * h)
    np.testing.assert_allclose(score.slope(T)[0] * x + score.intercept(T)[0], slope, rtol=1e-7)


def test_errors_enter_as_stated() -> None:
    exact, wrong = LinearScore(LAW, VP()), LinearScore(LAW, VP(), ScoreError(0.1, 0.2, 0.3))
    sigma = np.sqrt(VP().noise_variance(T))
    np.testing.assert_allclose(wrong.slope(T), 1.1 * exact.slope(T))
    np.testing.assert_allclose(wrong.intercept(T), 1.1 * exact.intercept(T) + 0.2 / sigma)
    np.testing.assert_allclose(wrong.noise_variance(T), [[0.09 / sigma[0] ** 2]])


def test_only_no_error_is_zero() -> None:
    assert ScoreError().is_zero
    assert not ScoreError(noise=0.1).is_zero


@pytest.mark.parametrize("arguments", [{"noise": -1.0}, {"relative": np.nan}, {"offset": np.inf}])
def test_errors_that_make_no_sense_are_refused(arguments: dict[str, float]) -> None:
    with pytest.raises(InputError, match="expected finite score errors"):
        ScoreError(**arguments)
