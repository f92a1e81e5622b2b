import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.evaluation.descriptors.gin import GINWeights, RandomGIN
from sbgd.evaluation.descriptors.spectrum import SpectrumHistogram
from sbgd.evaluation.discrepancy import DISCREPANCY_DESCRIPTORS, polygraph_discrepancy

DATA = Path(__file__).parents[1] / "data_files" / "evaluation"
PEER = {
    tuple(case.split("|")[:3]): values
    for case, values in json.loads((DATA / "reference.json").read_text())["pgd_polygraph"].items()
    if "LogisticRegression" in case
}


def tolerance(reference, descriptor):
    """1e-11, where the source does not hang on rounding."""
    if descriptor == "gin":
        return 1e-4  # the source embeds and fits in single precision, which moves the optimum of the classifier
    if descriptor == "spectral" and not reference.startswith(("sbm", "planar")):
        return 2e-2  # eigenvalues 2 of bipartite components are lost or kept by the rounding of the machine
    return 1e-11


ROOT_OF_EPSILON = 1e-4
"""What a distance of 0 may become, as the root of the epsilon in the logarithms."""


class Threshold:
    """Says that a vector is a reference one if its first entry is negative, with probability `confidence`."""

    def __init__(self, confidence):
        self.confidence = confidence

    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        p = np.where(X[:, 0] < 0, self.confidence, 1 - self.confidence)
        return np.stack([1 - p, p], axis=1)


def gaussians(num_vectors, shift=0.0, seed=0, width=3):
    generator = np.random.default_rng(seed)
    return generator.normal(size=(num_vectors, width)), generator.normal(shift, size=(num_vectors, width))


@pytest.mark.parametrize("case", PEER, ids="|".join)
def test_scores_equal_those_of_polygraph_benchmark(fixture_sets, case):
    reference, generated, variant = case
    with np.load(DATA / "polygraph_gin_seed42.npz") as state:
        gin = RandomGIN(weights=GINWeights.from_state(state))
    # the source loses eigenvalues that rounding puts above 2
    descriptors = {**DISCREPANCY_DESCRIPTORS, "gin": gin, "spectral": SpectrumHistogram(clip=False)}
    sets = fixture_sets[reference], fixture_sets[f"{reference.partition(':')[0]}:{generated}"]
    found = polygraph_discrepancy(
        {name: (descriptor(sets[0]), descriptor(sets[1])) for name, descriptor in descriptors.items()}, variant=variant
    )
    for name, value in found.subscores.items():
        assert value == pytest.approx(PEER[case]["subscores"][name], abs=tolerance(reference, name)), name
    assert found.subscores.keys() == PEER[case]["subscores"].keys()
    assert found.descriptor == PEER[case]["pgd_descriptor"]
    assert found.value == found.subscores[found.descriptor]


def test_the_jensen_shannon_bound_of_a_known_classifier():
    reference, generated = -np.ones((16, 1)), np.ones((16, 1))
    for confidence, expected in ((1.0, 1.0), (0.8, np.sqrt(1 + np.log2(0.8))), (0.5, 0.0), (0.2, 0.0)):
        found = polygraph_discrepancy({"x": (reference, generated)}, classifier=lambda c=confidence: Threshold(c))
        assert found.value == pytest.approx(expected, abs=ROOT_OF_EPSILON)


def test_informedness_is_the_difference_of_rates_on_held_out_graphs():
    reference = np.array([[-1.0], [-1.0], [-1.0], [1.0]] * 1000)
    found = polygraph_discrepancy(
        {"x": (reference, -reference)}, variant="informedness", classifier=lambda: Threshold(0.9)
    )
    # 3/4 - 1/4 on 2000 held-out graphs a side, whose standard error is 0.014
    assert found.value == pytest.approx(0.5, abs=0.07)
    certain = polygraph_discrepancy({"x": gaussians(100, 50.0)}, variant="informedness")
    assert certain.value == 1


def test_equal_laws_score_near_zero_and_shifted_ones_more():
    scores = [polygraph_discrepancy({"x": gaussians(200, shift)}).value for shift in (0.0, 0.5, 1.0, 3.0)]
    assert scores[0] < 0.1
    assert scores == sorted(scores)
    assert scores[-1] > 0.9


def test_a_set_scores_zero_against_itself():
    x, _ = gaussians(40)
    assert polygraph_discrepancy({"x": (x, x)}).value == pytest.approx(0, abs=0.05)


@pytest.mark.parametrize("variant", ["jsd", "informedness"])
def test_constant_vectors_score_zero_and_unlike_constants_one(variant):
    zeros = np.zeros((10, 2))
    assert polygraph_discrepancy({"x": (zeros, zeros)}, variant=variant).value == pytest.approx(0, abs=ROOT_OF_EPSILON)
    found = polygraph_discrepancy({"x": (zeros, zeros + 1)}, variant=variant, classifier=lambda: Threshold(1.0))
    assert found.value == pytest.approx(1)


def test_the_descriptor_that_separates_is_chosen():
    found = polygraph_discrepancy({"noise": gaussians(100), "signal": gaussians(100, 3.0, seed=1)})
    assert found.descriptor == "signal"
    assert found.value == found.subscores["signal"] > found.subscores["noise"]


def test_missing_columns_are_zeros():
    x, y = gaussians(20)
    y[:, 2] = 0
    assert polygraph_discrepancy({"x": (x, y)}) == polygraph_discrepancy({"x": (x, y[:, :2])})


def test_sets_of_different_sizes_are_refused_unless_subsampling_is_allowed():
    x, y = gaussians(30)
    with pytest.raises(InputError, match="got 20 and 30; generate as many or allow subsampling"):
        polygraph_discrepancy({"x": (x, y[:20])})
    found = polygraph_discrepancy({"x": (x, y[:20])}, subsample=True)
    assert (found.num_graphs, found.num_dropped) == (20, 10)
    assert found == polygraph_discrepancy({"x": (x, y[:20])}, subsample=True)
    assert replace(found, num_dropped=0) == polygraph_discrepancy(
        {"x": (x[np.sort(np.random.default_rng(0).choice(30, size=20, replace=False))], y[:20])}
    )


@pytest.mark.parametrize("num_graphs", [0, 1, 2, 7])
def test_few_graphs_have_no_value_and_a_reason(num_graphs):
    found = polygraph_discrepancy({"x": gaussians(num_graphs)})
    assert found.value is None
    assert found.reason == f"needs at least 8 graphs on each side, got {num_graphs}"


def test_eight_graphs_are_enough():
    assert polygraph_discrepancy({"x": gaussians(8)}).value is not None


def test_descriptors_of_different_graphs_are_refused():
    with pytest.raises(InputError, match=r"got set sizes \[\(10, 10\), \(20, 20\)\]"):
        polygraph_discrepancy({"x": gaussians(10), "y": gaussians(20)})
    with pytest.raises(InputError, match=r"got set sizes \[\]"):
        polygraph_discrepancy({})
