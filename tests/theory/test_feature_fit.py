import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.graph import Graph
from sbgd.theory import feature_fit
from sbgd.theory.covariance import Covariance, ExponentialCovariance, FilterCovariance, ResolventCovariance
from sbgd.theory.feature_fit import fit_features
from sbgd.theory.graphs import power_law_graph
from sbgd.theory.spectrum import GraphMatrix, exact_spectrum, graph_matrix

GRAPH = power_law_graph(400, 8, rng=np.random.default_rng(0))


def features(covariance: Covariance, matrix: GraphMatrix = "normalised", count: int = 200) -> np.ndarray:
    eigenvalues, vectors = np.linalg.eigh(graph_matrix(GRAPH, matrix).toarray())
    noise = np.random.default_rng(1).standard_normal((400, count))
    return vectors @ (np.sqrt(covariance(eigenvalues))[:, None] * noise)


@pytest.mark.parametrize(
    "covariance", [ExponentialCovariance(1.5), ResolventCovariance(0.8), FilterCovariance((1.0, 0.8), 0.3)], ids=repr
)
def test_the_profile_of_simulated_features_is_recovered(covariance: Covariance) -> None:
    fit = fit_features(GRAPH, features(covariance))
    inner = np.linspace(*np.quantile(fit.spectrum.eigenvalues, [0.02, 0.98]), 50)
    # columns are standardised, which divides by the mean variance of a node
    expected = covariance(inner) / covariance(fit.spectrum.eigenvalues).mean()
    # 80,000 energies and at most 17 knots: a relative error of sqrt(2 * 17 / 80000) = 2 %
    np.testing.assert_allclose(fit.covariance(inner), expected, rtol=0.06)
    assert fit.gain > 0.02


def test_large_eigenvalues_of_hubs_keep_their_variance() -> None:
    # h vanishes inside the spectrum and is far above the average at its end, where there is a single eigenvalue
    covariance = FilterCovariance((1.0, 0.3))
    fit = fit_features(GRAPH, features(covariance, "adjacency"), "adjacency")
    eigenvalues = fit.spectrum.eigenvalues
    expected = covariance(eigenvalues[-1:]) / covariance(eigenvalues).mean()
    assert expected.item() > 15
    # 200 energies: a standard error of a tenth
    np.testing.assert_allclose(fit.covariance(eigenvalues[-1:]), expected, rtol=0.5)


def test_white_features_get_a_constant_profile() -> None:
    fit = fit_features(GRAPH, np.random.default_rng(2).standard_normal((400, 50)))
    assert len(fit.covariance.logs) == 1
    assert fit.covariance(np.zeros(1)).item() == pytest.approx(400 / 399)
    assert fit.gain == 0


def test_white_features_on_a_large_graph_get_a_constant_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feature_fit, "MAX_EXACT_NODES", 10)
    fit = fit_features(GRAPH, np.random.default_rng(2).standard_normal((400, 50)))
    assert fit.covariance(np.linspace(-0.6, 1.0, 9)) == pytest.approx(np.ones(9), rel=0.15)


def test_lanczos_quadrature_gives_the_profile_of_the_decomposition(monkeypatch: pytest.MonkeyPatch) -> None:
    values = features(ExponentialCovariance(1.5), count=100)
    exact = fit_features(GRAPH, values)
    monkeypatch.setattr(feature_fit, "MAX_EXACT_NODES", 10)
    estimated = fit_features(GRAPH, values)
    inner = np.linspace(-0.5, 0.5, 21)
    # 32 mixtures of columns: 12,800 energies
    np.testing.assert_allclose(estimated.covariance(inner), exact.covariance(inner), rtol=0.12)


def test_the_matrix_that_made_the_features_explains_them_best() -> None:
    for made in ("normalised", "adjacency"):
        strength = 1.5 if made == "normalised" else 0.12
        values = features(ExponentialCovariance(strength), made)
        gains = {matrix: fit_features(GRAPH, values, matrix).gain for matrix in ("normalised", "adjacency")}
        assert max(gains, key=gains.__getitem__) == made


def test_scaling_of_columns_changes_the_unscaled_law_only() -> None:
    values = features(ExponentialCovariance(1.0), count=5)
    first, second = fit_features(GRAPH, values), fit_features(GRAPH, values * [1, 2, 3, 4, 1000])
    for correlated in (True, False):
        one, other = (fit.model(standardised=True, correlated=correlated).law() for fit in (first, second))
        np.testing.assert_allclose(one.variances, other.variances, rtol=1e-9)
        raw = second.model(standardised=False, correlated=correlated).law()
        assert raw.total_variance > 1e5 * one.total_variance / 5


def test_damaged_features_are_fitted_and_the_damage_is_reported() -> None:
    values = np.column_stack([features(ExponentialCovariance(1.5), count=30), np.ones(400)])
    values[::50, 0] = np.nan
    summary = fit_features(GRAPH, values).summary()
    assert (summary["num_missing_entries"], summary["num_constant_columns"], summary["num_columns"]) == (8, 1, 30)
    assert np.isfinite([summary["smallest_variance"], summary["largest_variance"]]).all()


@pytest.mark.parametrize("exact", [True, False], ids=["exact", "lanczos"])
def test_eigenvalues_with_many_copies_have_one_variance(exact: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not exact:
        monkeypatch.setattr(feature_fit, "MAX_EXACT_NODES", 10)
    isolated = Graph.from_edges(GRAPH.edges, 700)
    fit = fit_features(isolated, np.random.default_rng(2).standard_normal((700, 40)), "laplacian")
    assert fit.covariance(np.array([-1e-15, 0.0, 1e-15, 5.0])) == pytest.approx(np.ones(4), rel=0.15)


def test_one_eigenvector_alone_gives_a_finite_profile() -> None:
    _, vectors = np.linalg.eigh(graph_matrix(GRAPH).toarray())
    variances = fit_features(GRAPH, vectors[:, [200]]).covariance(exact_spectrum(GRAPH).eigenvalues)
    assert np.isfinite(variances).all()
    assert (variances > 0).all()


def test_a_graph_without_edges_gives_white_features() -> None:
    fit = fit_features(Graph.from_edges([], 40), np.random.default_rng(0).standard_normal((40, 3)))
    assert fit.covariance(np.zeros(1)).item() == pytest.approx(40 / 39)


def test_missing_or_misfitting_features_are_refused() -> None:
    with pytest.raises(InputError, match="got none; pass features"):
        fit_features(GRAPH)
    with pytest.raises(InputError, match="expected 400 feature rows"):
        fit_features(GRAPH, np.random.default_rng(0).standard_normal((399, 2)))
