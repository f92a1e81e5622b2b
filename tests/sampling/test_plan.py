import numpy as np
import pytest

from sbgd.partition import Quotient
from sbgd.sampling.plan import GenerationPlan

KINDS = ["one graph", "several sizes", "heavy tail", "no edges", "one node"]


@pytest.fixture(params=KINDS)
def training(request: pytest.FixtureRequest, quotients: dict[str, list[Quotient]]) -> list[Quotient]:
    return quotients[request.param]


def test_streams_are_distinct_over_graphs_blocks_and_pairs(training: list[Quotient]) -> None:
    plan = GenerationPlan.of(training * 4)
    assert len(set(plan.block_ids.tolist())) == plan.blocks.num_blocks == sum(q.num_blocks for q in training * 4)
    assert len(set(plan.pair_ids.tolist())) == len(plan.pairs) == sum(q.num_pairs for q in training * 4)


def test_a_graph_keeps_its_streams_in_a_larger_request(training: list[Quotient]) -> None:
    small, large = GenerationPlan.of(training), GenerationPlan.of(training * 3)
    assert np.array_equal(small.block_ids, large.block_ids[: len(small.block_ids)])
    assert np.array_equal(small.pair_ids, large.pair_ids[: len(small.pair_ids)])


def test_graphs_from_the_middle_on_equal_the_tail_of_the_whole_plan(quotients: dict[str, list[Quotient]]) -> None:
    training = quotients["several sizes"]
    whole, tail = GenerationPlan.of(training), GenerationPlan.of(training[1:], first_graph=1)
    assert np.array_equal(whole.block_ids[training[0].num_blocks :], tail.block_ids)
    assert np.array_equal(whole.pair_ids[training[0].num_pairs :], tail.pair_ids)


def test_pairs_stay_within_their_graph(quotients: dict[str, list[Quotient]]) -> None:
    training = quotients["several sizes"]
    plan = GenerationPlan.of(training)
    for graph, quotient in enumerate(training):
        pairs = plan.pairs[plan.graph_pairs[graph] : plan.graph_pairs[graph + 1]]
        assert np.array_equal(pairs - plan.graph_blocks[graph], quotient.pairs)
    assert np.array_equal(plan.counts, np.concatenate([quotient.pair_edges for quotient in training]))


def test_blocks_hold_the_sizes_and_degrees_of_the_quotients_and_nothing_else(
    quotients: dict[str, list[Quotient]],
) -> None:
    training = quotients["several sizes"]
    blocks = GenerationPlan.of(training).blocks
    assert blocks.sizes.tolist() == [size for quotient in training for size in quotient.num_nodes.tolist()]
    assert np.array_equal(blocks.degrees[:, 0], np.concatenate([quotient.inner_degree for quotient in training]))
    assert np.array_equal(blocks.degrees[:, 1], np.concatenate([quotient.outer_degree for quotient in training]))
    assert len(blocks.inner_edges) == blocks.inner_offsets.max() == 0
