import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.theory.covariance import FilterCovariance, PolynomialCovariance
from sbgd.theory.feature_model import GaussianFeatureModel
from sbgd.theory.graphs import power_law_graph
from sbgd.theory.spectrum import Spectrum, exact_spectrum, graph_matrix

GRAPH = power_law_graph(15, 4, rng=np.random.default_rng(0))
COVARIANCE = FilterCovariance((1.0, 1.0), 0.1)


def test_variances_are_the_eigenvalues_of_the_kronecker_product() -> None:
    s = graph_matrix(GRAPH).toarray()
    sigma = (np.eye(15) + s) @ (np.eye(15) + s) + 0.1 * np.eye(15)
    columns = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 0.7]])
    law = GaussianFeatureModel(exact_spectrum(GRAPH), COVARIANCE, 3, np.linalg.eigvalsh(columns)).law()
    np.testing.assert_allclose(np.sort(law.variances), np.linalg.eigvalsh(np.kron(sigma, columns)), atol=1e-10)
    assert law.dimension == 45


def test_independent_columns_are_one_problem_with_weight() -> None:
    law = GaussianFeatureModel(exact_spectrum(GRAPH), COVARIANCE, 50).law()
    assert (len(law.variances), law.dimension) == (15, 750)


def test_means_along_eigenvectors_keep_their_place() -> None:
    means = np.arange(15.0)
    law = GaussianFeatureModel(exact_spectrum(GRAPH), COVARIANCE, 3, np.array([1.0, 1.0, 2.0]), means).law()
    np.testing.assert_array_equal(law.means, [*means, *means])
    np.testing.assert_array_equal(law.weights, [2.0] * 15 + [1.0] * 15)


def test_standardised_features_have_unit_variance_and_scaled_means() -> None:
    model = GaussianFeatureModel(exact_spectrum(GRAPH, "adjacency"), COVARIANCE, 3, means=np.ones(15))
    scaled = model.standardised().law()
    assert scaled.mean_variance == pytest.approx(1)
    assert scaled.means[0] == pytest.approx(1 / np.sqrt(model.law().mean_variance))
    assert scaled.condition_number == pytest.approx(model.law().condition_number)


def test_bad_columns_are_refused() -> None:
    with pytest.raises(InputError, match="num_features of at least 1"):
        GaussianFeatureModel(exact_spectrum(GRAPH), COVARIANCE, 0)
    with pytest.raises(InputError, match="expected 3 feature variances"):
        GaussianFeatureModel(exact_spectrum(GRAPH), COVARIANCE, 3, np.ones(2))
    with pytest.raises(InputError, match="nothing to scale"):
        GaussianFeatureModel(Spectrum.of([0.0]), PolynomialCovariance((0.0,))).standardised()
