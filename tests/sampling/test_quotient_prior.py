from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sbgd.graph import Graph
from sbgd.partition import BlockGraph, MetisPartitioner, Quotient
from sbgd.sampling import QuotientPrior

KINDS = ["one graph", "several sizes", "heavy tail", "clique", "star", "components", "no edges", "one node"]


def _mean_degree(quotient: Quotient) -> float:
    return 2 * quotient.total_edges / quotient.total_nodes


def _outer_edges(quotient: Quotient) -> list[int]:
    return np.bincount(quotient.pairs.ravel(), np.repeat(quotient.pair_edges, 2), quotient.num_blocks).tolist()


def _draw(prior: QuotientPrior, size: int, seed: int = 0) -> Quotient:
    return prior.sample_all(np.array([size]), seed)[0]


@pytest.fixture(scope="module")
def scale_free() -> Quotient:
    graph = Graph.from_networkx(nx.barabasi_albert_graph(300, 3, seed=0))
    return BlockGraph.split(graph, MetisPartitioner(block_size=16)(graph)).quotient()


@pytest.mark.parametrize("kind", KINDS)
def test_every_size_up_to_five_times_the_training_size_is_met_exactly(
    kind: str, quotients: dict[str, list[Quotient]]
) -> None:
    prior = QuotientPrior(quotients[kind])
    for size in range(1, 5 * int(prior.sizes.max()) + 1):
        quotient = _draw(prior, size, seed=size)
        assert quotient.total_nodes == size
        quotient.check()
        assert (quotient.inner_degree < np.repeat(quotient.num_nodes, quotient.num_nodes)).all()


@given(size=st.integers(1, 400), seed=st.integers(0, 2**32), rewiring=st.floats(0, 1))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_any_size_seed_and_rewiring_gives_a_sound_quotient(
    quotients: dict[str, list[Quotient]], size: int, seed: int, rewiring: float
) -> None:
    for kind in ("several sizes", "clique"):
        quotient = _draw(QuotientPrior(quotients[kind], rewiring=rewiring), size, seed)
        assert quotient.total_nodes == size
        quotient.check()


def test_a_training_size_returns_a_training_quotient(quotients: dict[str, list[Quotient]]) -> None:
    training = quotients["several sizes"]
    prior = QuotientPrior(training)
    for quotient in training:
        assert _draw(prior, quotient.total_nodes) is quotient


def test_training_quotients_of_one_size_are_used_up_before_one_comes_again(
    quotients: dict[str, list[Quotient]],
) -> None:
    one = quotients["one graph"][0]
    other = replace(one, num_edges=one.num_edges + np.eye(1, one.num_blocks, dtype=np.int64)[0])
    for seed in range(10):
        drawn = QuotientPrior([one, other]).sample_all(np.full(6, one.total_nodes), seed)
        assert [sum(quotient is each for quotient in drawn) for each in (one, other)] == [3, 3]
        assert drawn[0] is not drawn[1]


def test_two_cuts_of_one_graph_count_as_one_use(quotients: dict[str, list[Quotient]]) -> None:
    one = quotients["one graph"][0]
    cut = Quotient.from_arrays(one.to_arrays())
    other = replace(one, num_edges=one.num_edges + np.eye(1, one.num_blocks, dtype=np.int64)[0])
    for seed in range(10):
        drawn = QuotientPrior([one, cut, other]).sample_all(np.full(4, one.total_nodes), seed)
        assert sum(quotient is other for quotient in drawn) == 2


def test_a_graph_of_a_new_size_does_not_depend_on_the_graphs_after_it(quotients: dict[str, list[Quotient]]) -> None:
    prior = QuotientPrior(quotients["several sizes"])
    alone, among = prior.sample_all(np.array([100]), 3)[0], prior.sample_all(np.array([100, 7, 48]), 3)[0]
    assert all(np.array_equal(alone.to_arrays()[name], among.to_arrays()[name]) for name in alone.to_arrays())


@pytest.mark.parametrize("rewiring", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("copies", [2, 3, 5])
def test_a_whole_lift_keeps_every_block_and_its_outer_edges(scale_free: Quotient, copies: int, rewiring: float) -> None:
    prior = QuotientPrior([scale_free], rewiring=rewiring)
    lift = _draw(prior, copies * scale_free.total_nodes, seed=1)
    assert lift.num_nodes.tolist() == scale_free.num_nodes.tolist() * copies
    assert lift.num_edges.tolist() == scale_free.num_edges.tolist() * copies
    assert _outer_edges(lift) == _outer_edges(scale_free) * copies
    assert np.array_equal(lift.outer_degree, np.tile(scale_free.outer_degree, copies))
    assert _mean_degree(lift) == pytest.approx(_mean_degree(scale_free), rel=1e-12)


def test_rewiring_joins_the_copies_and_none_leaves_them_apart(scale_free: Quotient) -> None:
    k, size = scale_free.num_blocks, 3 * scale_free.total_nodes

    def crossing(rewiring: float) -> float:
        lift = _draw(QuotientPrior([scale_free], rewiring=rewiring), size)
        return float((lift.pairs[:, 0] // k != lift.pairs[:, 1] // k).mean())

    assert crossing(0.0) == 0
    assert 0 < crossing(0.2) < 0.2
    # A uniform permutation of three copies keeps a third of the ends; the bound is five standard errors.
    expected, draws = 2 / 3, 3 * scale_free.num_pairs
    assert abs(crossing(1.0) - expected) < 5 * np.sqrt(expected * (1 - expected) * 3 / draws)


def test_mean_degree_stays_within_8_percent_above_the_training_size(scale_free: Quotient) -> None:
    prior, n = QuotientPrior([scale_free]), scale_free.total_nodes
    for size in range(n + 1, 5 * n, 37):
        drawn = _draw(prior, size, seed=size)
        assert _mean_degree(drawn) == pytest.approx(_mean_degree(scale_free), rel=0.08)


def test_mean_degree_stays_within_20_percent_down_to_half_the_training_size(scale_free: Quotient) -> None:
    prior, n = QuotientPrior([scale_free]), scale_free.total_nodes
    for size in range(n // 2, n, 7):
        drawn = _draw(prior, size, seed=size)
        assert _mean_degree(drawn) == pytest.approx(_mean_degree(scale_free), rel=0.2)


def test_blocks_never_grow(scale_free: Quotient) -> None:
    prior = QuotientPrior([scale_free])
    for size in (1, 17, 150, 301, 1111):
        drawn = _draw(prior, size, seed=size)
        assert drawn.num_nodes.max() <= scale_free.num_nodes.max()


def test_the_training_graph_that_needs_the_fewest_copies_is_lifted(quotients: dict[str, list[Quotient]]) -> None:
    prior = QuotientPrior(quotients["several sizes"], rewiring=0.0)
    largest = int(prior.sizes.max())
    drawn = _draw(prior, 2 * largest)
    base = quotients["several sizes"][int(prior.sizes.argmax())]
    assert drawn.num_nodes.tolist() == base.num_nodes.tolist() * 2


@pytest.mark.parametrize("size", [5, 40, 100, 333])
def test_the_seed_decides_the_quotient(quotients: dict[str, list[Quotient]], size: int) -> None:
    prior = QuotientPrior(quotients["several sizes"])
    first, again = (_draw(prior, size, seed=7).to_arrays() for _ in range(2))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    others = [_draw(prior, size, seed).to_arrays() for seed in range(5)]
    assert any(not np.array_equal(first["inner_degree"], other["inner_degree"]) for other in others)
