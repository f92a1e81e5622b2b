import numpy as np
import pytest
from scipy.linalg import expm

from sbgd.errors import InputError
from sbgd.theory.covariance import (
    Covariance,
    ExponentialCovariance,
    FilterCovariance,
    LogSplineCovariance,
    PolynomialCovariance,
    ResolventCovariance,
)
from sbgd.theory.graphs import power_law_graph
from sbgd.theory.spectrum import graph_matrix

S = graph_matrix(power_law_graph(20, 4, rng=np.random.default_rng(0))).toarray()
I = np.eye(20)  # noqa: E741
CASES = [
    (PolynomialCovariance((1.2, 0.5, 0.1)), 1.2 * I + 0.5 * S + 0.1 * S @ S),
    (FilterCovariance((1.0, 0.7), 0.2), (I + 0.7 * S) @ (I + 0.7 * S) + 0.2 * I),
    (ResolventCovariance(0.8), np.linalg.inv(I - 0.8 * S)),
    (ExponentialCovariance(1.5), expm(1.5 * S)),
    (LogSplineCovariance((-1.0, 1.0), (0.7, -0.1)), expm(0.3 * I - 0.4 * S)),
]


@pytest.mark.parametrize(("covariance", "sigma"), CASES, ids=lambda case: type(case).__name__)
def test_variances_are_the_eigenvalues_of_the_matrix_function(covariance: Covariance, sigma: np.ndarray) -> None:
    eigenvalues, vectors = np.linalg.eigh(S)
    np.testing.assert_allclose((vectors * covariance(eigenvalues)) @ vectors.T, sigma, atol=1e-10)


def test_log_profiles_are_constant_beyond_their_knots() -> None:
    covariance = LogSplineCovariance((0.0, 2.0), (-1.0, 1.0))
    np.testing.assert_allclose(covariance(np.array([-5.0, 0.0, 1.0, 2.0, 9.0])), np.exp([-1, -1, 0, 1, 1]))


@pytest.mark.parametrize(
    "covariance", [ResolventCovariance(0.5), PolynomialCovariance((1.0, -1.0)), ExponentialCovariance(1e3)]
)
def test_functions_that_are_no_covariance_are_refused(covariance: Covariance) -> None:
    with pytest.raises(InputError, match="normalised adjacency"):
        covariance(np.array([0.0, 10.0]))
