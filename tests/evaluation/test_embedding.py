"""Metrics between embeddings, against all values of GGM-metrics, EDGE and polygraph-benchmark on the fixtures.

Networks get the weights of the sources. These compute in single precision, which for columns that hardly vary costs up
to 1e-4 of the value; the same sums in single precision agree to 1e-6.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.evaluation.descriptors.gin import GINWeights, RandomGIN
from sbgd.evaluation.embedding import EmbeddingMetrics

DATA = Path(__file__).parents[1] / "data_files" / "evaluation"
REFERENCE = json.loads((DATA / "reference.json").read_text())

SINGLE_PRECISION = {"frechet": 1.2e-4, "mmd_rbf": 5e-5, "mmd_linear": 1.2e-4}
"""Relative tolerances; shares of graphs have to be equal."""

WEIGHTS = {
    "torch_seed0": "gin_planar_seed0.npz",
    "torch_seed1": "ggm_gin_seed1.npz",
    "polygraph": "polygraph_gin_seed42.npz",
}
GGM = REFERENCE["gin_ggm"]
EDGE = REFERENCE["gin_edge_argument_order"]
POLYGRAPH = {pair: values["polygraph"] for pair, values in REFERENCE["mmd"].items()}
POLYGRAPH_NAMES = {
    "rbf_gin_seed42": "mmd_rbf",
    "linear_gin_seed42": "mmd_linear",
    "frechet_gin_seed42_normalized": "frechet",
}


@cache
def network(weights):
    with np.load(DATA / WEIGHTS[weights]) as state:
        return RandomGIN(weights=GINWeights.from_state(state))


@pytest.fixture
def embedded(fixture_sets):
    """Embeddings of a set such as `planar:ref[:12]` or `degenerate:normal+zero_node`."""

    def embed(key, weights):
        key, plus, added = key.partition("+")
        key, _, first = key.removesuffix("]").partition("[:")
        graphs = fixture_sets[key][: int(first) if first else None]
        return network(weights)(graphs + (fixture_sets[f"degenerate:{added}"] if plus else []))

    return embed


def keys(pair):
    """Splits `planar:ref|gen` into `planar:ref` and `planar:gen`."""
    reference, generated = pair.split("|")
    return reference, f"{reference.partition(':')[0]}:{generated}"


def assert_equal(scores, expected):
    for name, value in expected.items():
        tolerance = SINGLE_PRECISION.get(name, 1e-11)
        assert getattr(scores, name) == pytest.approx(value, rel=tolerance, abs=2e-5), name


def assert_finite_or_explained(scores):
    for name, value in vars(scores).items():
        assert name == "reasons" or (scores.reasons[name] if value is None else np.isfinite(value))


@pytest.mark.parametrize("case", [case for case, values in GGM.items() if isinstance(values, dict)])
def test_scores_equal_those_of_ggm_metrics(embedded, case):
    pair, weights = case.rsplit("|", 1)
    reference, generated = (embedded(key, weights) for key in keys(pair))
    expected = {{"fid": "frechet"}.get(name, name): value for name, value in GGM[case].items() if name != "act_dim"}
    assert_equal(EmbeddingMetrics(reference)(generated), expected)


@pytest.mark.parametrize("case", EDGE)
def test_exchanged_sets_score_as_edge_reports_them(embedded, case):
    name = case.partition(":")[0]
    reference, generated = (embedded(f"{name}:{split}", "torch_seed0") for split in ("ref", "gen"))
    expected = {{"fid": "frechet"}.get(name, name): value for name, value in EDGE[case].items() if name != "act_dim"}
    assert_equal(EmbeddingMetrics(reference, swapped=True)(generated), expected)


@pytest.mark.parametrize(
    "pair", [pair for pair, values in POLYGRAPH.items() if isinstance(values["rbf_gin_seed42"], float)]
)
def test_scores_equal_those_of_polygraph_benchmark(embedded, pair):
    # the source drops graphs without nodes
    reference, generated = (embedded(key.removesuffix("+zero_node"), "polygraph") for key in keys(pair))
    scores = EmbeddingMetrics(reference)(generated)
    values = {ours: POLYGRAPH[pair][theirs] for theirs, ours in POLYGRAPH_NAMES.items()}
    assert_equal(scores, {name: value for name, value in values.items() if isinstance(value, float)})
    assert_finite_or_explained(scores)
    raw = POLYGRAPH[pair]["frechet_gin_seed42_raw"]
    if isinstance(raw, float):
        unscaled = EmbeddingMetrics(reference, standardise=False)(generated).frechet
        # a root of a singular matrix is off by the root of the rounding
        assert unscaled == pytest.approx(raw, rel=1.2e-4, abs=1e-2)


@pytest.mark.parametrize("case", [case for case, values in GGM.items() if isinstance(values, str)])
def test_where_ggm_metrics_fails_every_score_is_finite_or_explained(embedded, case):
    pair, weights = case.rsplit("|", 1)
    reference, generated = (embedded(key, weights) for key in keys(pair))
    if not (len(reference) and len(generated)):
        with pytest.raises(InputError, match="got an empty set"):
            EmbeddingMetrics(reference)(generated)
    else:
        assert_finite_or_explained(EmbeddingMetrics(reference)(generated))


@pytest.mark.parametrize("standardise", [True, False])
def test_a_set_scores_perfectly_against_itself(random_graphs, standardise):
    vectors = RandomGIN()([*random_graphs, *random_graphs[::-1]])
    scores = EmbeddingMetrics(vectors, standardise=standardise)(vectors)
    size = np.abs(vectors).max() ** 2
    assert scores.frechet == pytest.approx(0, abs=1e-12 * size)
    assert scores.mmd_linear == pytest.approx(0, abs=1e-12 * size)
    assert scores.mmd_rbf == pytest.approx(0, abs=1e-12)
    assert (scores.precision, scores.recall, scores.coverage) == (1, 1, 1)
    assert not scores.reasons


def test_a_larger_shift_scores_worse():
    reference = np.random.default_rng(0).normal(size=(60, 5))
    generated = np.random.default_rng(1).normal(size=(60, 5))
    near, far = (EmbeddingMetrics(reference)(generated + shift) for shift in (0.5, 2.0))
    assert near.frechet < far.frechet
    assert near.mmd_rbf < far.mmd_rbf
    assert near.mmd_linear < far.mmd_linear
    assert near.precision > far.precision
    assert near.coverage > far.coverage


def test_units_of_columns_have_no_effect():
    generator = np.random.default_rng(2)
    reference, generated = generator.normal(size=(30, 4)), generator.normal(1, 2, size=(20, 4))
    units = np.array([1e-3, 1.0, 50.0, 1e5])
    scores, scaled = EmbeddingMetrics(reference)(generated), EmbeddingMetrics(reference * units)(generated * units)
    for name, value in vars(scores).items():
        assert getattr(scaled, name) == pytest.approx(value, rel=1e-9)


def test_the_linear_mmd_is_the_squared_shift_of_the_means():
    reference = np.array([[0.0, 1.0], [2.0, 3.0]])
    scores = EmbeddingMetrics(reference, standardise=False)(reference + np.array([3.0, 4.0]))
    assert scores.mmd_linear == pytest.approx(25)
    assert scores.frechet == pytest.approx(25)


def test_single_graphs_have_an_mmd_and_reasons_for_the_rest():
    scores = EmbeddingMetrics(np.ones((1, 3)))(np.zeros((1, 3)))
    assert scores.mmd_linear == 3
    assert scores.mmd_rbf > 0
    assert scores.frechet is None
    assert scores.reasons["frechet"].startswith("needs at least 2 graphs on each side, got 1 generated and 1 reference")
    assert scores.reasons["coverage"].startswith("needs at least 6 graphs on each side")


def test_empty_sets_are_refused():
    with pytest.raises(InputError, match="at least one reference graph"):
        EmbeddingMetrics(np.zeros((0, 3)))
    with pytest.raises(InputError, match="at least one generated graph"):
        EmbeddingMetrics(np.ones((2, 3)))(np.zeros((0, 3)))
