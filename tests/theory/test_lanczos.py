import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.theory.covariance import FilterCovariance
from sbgd.theory.error_split import exact_error
from sbgd.theory.feature_model import GaussianFeatureModel
from sbgd.theory.graphs import power_law_graph
from sbgd.theory.lanczos import energy_measure, lanczos_spectrum
from sbgd.theory.sampler import Sampler
from sbgd.theory.spectrum import exact_spectrum, graph_matrix

GRAPH = power_law_graph(300, 6, rng=np.random.default_rng(0))
MATRIX = graph_matrix(GRAPH)


def test_gauss_rules_are_exact_for_polynomials_up_to_twice_their_size() -> None:
    x = np.random.default_rng(1).standard_normal(300)
    nodes, weights = energy_measure(MATRIX, x[None], num_steps=4)
    assert len(nodes) == 4
    image = x
    for degree in range(8):
        assert weights @ nodes**degree == pytest.approx(x @ image, abs=1e-9)
        image = MATRIX @ image


def test_an_eigenvector_has_one_node_and_a_zero_vector_none() -> None:
    eigenvalues, vectors = np.linalg.eigh(MATRIX.toarray())
    nodes, weights = energy_measure(MATRIX, np.stack([3 * vectors[:, 5], np.zeros(300)]))
    assert nodes == pytest.approx(eigenvalues[5:6])
    assert weights == pytest.approx([9])


def test_all_steps_give_the_spectrum_of_a_small_graph() -> None:
    nodes, weights = energy_measure(MATRIX, np.random.default_rng(2).standard_normal((1, 300)), num_steps=300)
    assert nodes.min() == pytest.approx(exact_spectrum(GRAPH).eigenvalues.min())
    assert np.linalg.norm(weights) > 0


def test_the_estimated_density_predicts_the_exact_error() -> None:
    exact, estimated = (
        exact_error(GaussianFeatureModel(spectrum, FilterCovariance((1.0, 1.0), 0.1)), Sampler(num_steps=50)).value()
        for spectrum in (exact_spectrum(GRAPH), lanczos_spectrum(GRAPH, rng=np.random.default_rng(3)))
    )
    # 16 probes of 300 signs average 4,800 terms: well within five per cent
    assert estimated == pytest.approx(exact, rel=0.05)


def test_weights_sum_to_the_nodes() -> None:
    assert lanczos_spectrum(GRAPH, rng=np.random.default_rng(0)).num_nodes == pytest.approx(300)


def test_no_probes_are_refused() -> None:
    with pytest.raises(InputError, match="at least 1"):
        lanczos_spectrum(GRAPH, num_probes=0, rng=np.random.default_rng(0))
