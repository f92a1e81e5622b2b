import numpy as np
import pytest

from sbgd.evaluation.prdc import PRDC, prdc

LINE = np.array([[0.0], [1.0], [3.0], [7.0]])
"""With k = 1 the radii are 1, 1, 2, 4."""


def test_values_on_a_line_by_hand():
    # generated radii 1, 1, 5; 10 is in no reference ball, 4 in that of 3 and 7, 5 in that of 3 and 7
    scores = prdc(np.array([[4.0], [5.0], [12.0]]), LINE, k=1)
    assert scores == PRDC(
        precision=pytest.approx(2 / 3),
        recall=pytest.approx(2 / 4),
        density=pytest.approx(4 / 3),
        coverage=pytest.approx(2 / 4),
    )
    assert scores.f1_pr == pytest.approx(2 / (1 / (2 / 3 + 1e-5) + 1 / (1 / 2 + 1e-5)))
    assert scores.f1_dc == pytest.approx(2 / (1 / (4 / 3 + 1e-5) + 1 / (1 / 2 + 1e-5)))


def test_a_ball_holds_its_surface():
    assert prdc(np.array([[11.0], [30.0]]), LINE, k=1).precision == 0.5
    assert prdc(np.array([[11.001], [30.0]]), LINE, k=1).precision == 0.0


def test_of_a_set_to_itself_all_shares_are_one():
    x = np.random.default_rng(0).normal(size=(40, 6))
    # every ball holds its centre and k others
    assert prdc(x, x) == PRDC(precision=1, recall=1, density=pytest.approx(6 / 5), coverage=1)


def test_far_sets_score_zero():
    x = np.random.default_rng(1).normal(size=(40, 6))
    scores = prdc(x + 100, x)
    assert scores == PRDC(precision=0, recall=0, density=0, coverage=0)
    assert scores.f1_pr == pytest.approx(1e-5)


def test_exchange_of_the_sets_exchanges_precision_and_recall():
    generator = np.random.default_rng(2)
    x, y = generator.normal(size=(30, 3)), 2 * generator.normal(size=(25, 3))
    forth, back = prdc(x, y), prdc(y, x)
    assert (forth.precision, forth.recall) == (back.recall, back.precision)
    assert forth.precision > forth.recall


def test_copies_of_one_graph_lie_in_the_balls_of_one_another_up_to_rounding():
    copies = np.full((8, 2), 0.3)
    assert prdc(copies + 1e-16, copies + np.linspace(0, 1e-14, 8)[:, None]).recall == 1


def test_sets_without_a_kth_neighbour_have_no_values():
    x = np.random.default_rng(3).normal(size=(6, 2))
    assert prdc(x[:5], x) is None
    assert prdc(x, x[:5]) is None
    assert prdc(x, x).coverage == 1
