import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.theory.curve import ErrorCurve
from sbgd.theory.error_split import ExactError, exact_error
from sbgd.theory.law import GaussianLaw
from sbgd.theory.sampler import Sampler

LAW = GaussianLaw.of([0.5, 2.0])


def at_steps(count: float) -> ExactError:
    return exact_error(LAW, Sampler(num_steps=int(count), stop=0.0))


def test_a_curve_holds_the_errors_of_its_values() -> None:
    curve = ErrorCurve.of("num_steps", (500, 1000, 2000), at_steps)
    np.testing.assert_array_equal(curve.metric(), [at_steps(count).value() for count in (500, 1000, 2000)])
    assert curve.slope() == pytest.approx(-1, abs=0.02)


def test_rows_hold_totals_and_parts_that_add_up() -> None:
    (row,) = ErrorCurve.of("num_steps", [50], at_steps).rows()
    assert row["num_steps"] == 50
    assert row["kl"] == pytest.approx(row["kl_per_dimension"] * row["dimension"])
    parts = [value for name, value in row.items() if name.startswith("relative_w2.")]
    assert len(parts) == 4
    assert sum(parts) == pytest.approx(row["relative_w2"])
    assert ErrorCurve.of("num_steps", [50], at_steps).part("discretisation").item() == row["relative_w2.discretisation"]


def test_a_curve_without_values_is_refused() -> None:
    with pytest.raises(InputError, match="at least one value of num_steps"):
        ErrorCurve.of("num_steps", (), at_steps)
