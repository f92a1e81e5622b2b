import numpy as np
import pytest

from sbgd.evaluation.descriptors import BudgetError, WaveletHistogram, filter_bank
from sbgd.evaluation.descriptors.wavelet import wavelet_energies
from sbgd.evaluation.graph_set import laplacian_eigensystem


def test_filters_equal_pygsp(reference_values):
    expected = reference_values["wavelet_filters_pygsp_abspline12_lmax2"]
    filters = filter_bank(np.array(expected["grid"]))
    assert filters == pytest.approx(np.array(expected["filters(12 x grid)"]), abs=1e-10)
    assert filters[0, 0] == pytest.approx(expected["bound"], abs=1e-11)


def test_isolated_nodes_answer_with_the_filters_at_zero(shapes):
    energies = wavelet_energies(*laplacian_eigensystem(shapes["two_points"]))
    assert energies == pytest.approx(np.repeat(filter_bank(np.zeros(1)) ** 2, 2, axis=1))


def test_energies_add_up_to_the_trace_of_the_squared_filters(shapes):
    energies = wavelet_energies(*laplacian_eigensystem(shapes["star"]))
    filters = filter_bank(np.array([0.0, 1.0, 1.0, 2.0]))
    assert energies.sum(axis=1) == pytest.approx((filters**2).sum(axis=1), abs=1e-10)


def test_a_large_graph_is_refused_and_an_empty_one_defined(shapes):
    with pytest.raises(BudgetError, match="limited to 3 nodes, got 4"):
        WaveletHistogram(max_nodes=3)([shapes["k4"]])
    assert np.flatnonzero(WaveletHistogram()([shapes["nothing"]])[0]).tolist() == [0]
