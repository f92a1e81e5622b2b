import numpy as np
import pytest

from sbgd.evaluation.statistics.measurement import Measurement, jackknife, mean_over_graphs, undefined


def test_the_jackknife_error_of_a_mean_is_the_standard_error():
    batches = np.array([[3, 2], [5, 2], [10, 2], [2, 2]])
    found = jackknife(batches, lambda total: float(total[0] / total[1]))
    assert found.value == 2.5
    assert found.spread == pytest.approx(np.std([1.5, 2.5, 5, 1], ddof=1) / 2)


def test_a_mean_leaves_out_what_is_undefined():
    assert mean_over_graphs([Measurement(1.0), undefined("why"), Measurement(4.0)]) == Measurement(
        2.5, spread=pytest.approx(3 / np.sqrt(2)), reason="left out 1 of 3 graphs: why"
    )
    assert mean_over_graphs([undefined("why")]) == undefined("left out 1 of 1 graphs: why")
