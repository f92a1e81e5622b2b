from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sbgd.graph import Graph
from sbgd.models import TrainedModel
from sbgd.sampling import SolverOptions, generate

MakeModel = Callable[..., TrainedModel]
SHORT = SolverOptions(num_steps=3)
MODES: dict[str, dict[str, Any]] = {
    "categorical": {"process": "categorical"},
    "gaussian": {"process": "gaussian"},
    "degree lists": {"degree_lists": True},
    "independent categorical": {"process": "categorical", "factorisation": "independent"},
    "independent gaussian": {"process": "gaussian", "factorisation": "independent"},
}


@pytest.fixture(params=list(MODES))
def mode(request: pytest.FixtureRequest) -> dict[str, Any]:
    return MODES[request.param]


def _generate(trained: TrainedModel, sizes: NDArray[np.int64], **options: Any) -> list[Graph]:
    return generate(trained, sizes, **{"options": SHORT, **options}).graphs


def _equal(first: list[Graph], second: list[Graph]) -> bool:
    return len(first) == len(second) and all(
        a.num_nodes == b.num_nodes and np.array_equal(a.edges, b.edges) for a, b in zip(first, second, strict=True)
    )


def _check(graph: Graph) -> None:
    """Rebuilds the graph with every check; edges must come back as they are."""
    assert np.array_equal(Graph.from_edges(graph.edges, graph.num_nodes).edges, graph.edges)


def test_every_graph_has_the_nodes_asked_for(make_model: MakeModel, mode: dict[str, Any]) -> None:
    trained = make_model(random_readout=True, **mode)
    sizes = np.array([1, 5, 31, 32, 33, 72, 3 * 72 + 7])
    graphs = _generate(trained, sizes)
    assert [graph.num_nodes for graph in graphs] == sizes.tolist()
    for graph in graphs:
        _check(graph)


def test_a_training_size_has_the_edges_of_a_training_graph(make_model: MakeModel) -> None:
    trained = make_model(random_readout=True)
    edges = {quotient.total_nodes: quotient.total_edges for quotient in trained.quotients}
    for graph in _generate(trained, np.array(list(edges))):
        assert graph.num_edges == edges[graph.num_nodes]


def test_batch_size_does_not_change_a_graph(make_model: MakeModel, mode: dict[str, Any]) -> None:
    trained = make_model(random_readout=True, **mode)
    sizes = np.array([72, 100, 29])
    results = [_generate(trained, sizes, options=replace(SHORT, batch_size=size)) for size in (1, 5, 64)]
    assert _equal(results[0], results[1])
    assert _equal(results[0], results[2])


def test_the_seed_decides_the_graphs(make_model: MakeModel, mode: dict[str, Any]) -> None:
    trained = make_model(random_readout=True, **mode)
    first, again, other = (_generate(trained, np.array([72, 40]), seed=seed) for seed in (5, 5, 6))
    assert _equal(first, again)
    assert not _equal(first, other)


def test_two_graphs_of_one_size_differ(make_model: MakeModel, mode: dict[str, Any]) -> None:
    first, second = _generate(make_model(random_readout=True, **mode), np.array([48, 48]))
    assert not np.array_equal(first.edges, second.edges)


def test_a_graph_does_not_depend_on_the_graphs_after_it(make_model: MakeModel, mode: dict[str, Any]) -> None:
    trained = make_model(random_readout=True, **mode)
    alone = _generate(trained, np.array([100]))
    among = _generate(trained, np.array([100, 48, 33]))
    assert _equal(alone, among[:1])


def test_features_come_back_in_their_scale(make_model: MakeModel, mode: dict[str, Any]) -> None:
    trained = make_model(num_features=2, **mode)
    (graph,) = _generate(trained, np.array([72]))
    assert graph.features is not None
    assert graph.features.shape == (72, 2)
    # Mean 1000 and scale 5: an untrained network is off by a few standard deviations at most.
    assert np.abs(graph.features - 1000).max() < 5 * 20
    assert graph.features.std() > 0.1


def test_features_are_an_affine_map_of_the_standardised_ones(make_model: MakeModel, mode: dict[str, Any]) -> None:
    trained = make_model(num_features=2, **mode)
    plain = replace(trained, scaler=replace(trained.scaler, mean=np.zeros(2), scale=np.ones(2)))
    (scaled,), (standardised,) = (_generate(each, np.array([48])) for each in (trained, plain))
    assert scaled.features is not None
    assert standardised.features is not None
    assert np.array_equal(scaled.features, standardised.features * 5 + 1000)


def test_a_model_without_features_gives_none(make_model: MakeModel, mode: dict[str, Any]) -> None:
    (graph,) = _generate(make_model(**mode), np.array([20]))
    assert graph.features is None


def test_block_sizes_add_up_and_nodes_are_in_block_order(make_model: MakeModel) -> None:
    trained = make_model(random_readout=True)
    samples = generate(trained, np.array([72, 100, 5]), options=SHORT)
    assert [int(sizes.sum()) for sizes in samples.block_sizes] == [72, 100, 5]
    quotient = next(each for each in trained.quotients if each.total_nodes == 72)
    assert samples.block_sizes[0].tolist() == quotient.num_nodes.tolist()
    block = np.repeat(np.arange(quotient.num_blocks), quotient.num_nodes)
    ends = block[samples.graphs[0].edges]
    inner = np.bincount(ends[ends[:, 0] == ends[:, 1], 0], minlength=quotient.num_blocks)
    assert inner.tolist() == quotient.num_edges.tolist()


@pytest.mark.parametrize("data", ["no edges", "one node", "clique", "star"])
def test_awkward_training_graphs_grow_and_shrink(make_model: MakeModel, data: str) -> None:
    sizes = np.array([1, 2, 7, 50])
    graphs = _generate(make_model(data, random_readout=True), sizes)
    assert [graph.num_nodes for graph in graphs] == sizes.tolist()
    if data in ("no edges", "one node"):
        assert all(graph.num_edges == 0 for graph in graphs)


def test_progress_ends_at_the_totals(make_model: MakeModel) -> None:
    trained = make_model()
    calls: list[tuple[str, int, int]] = []
    _generate(trained, np.array([48]), progress=lambda *call: calls.append(call))
    last = {stage: (done, total) for stage, done, total in calls}
    quotient = next(each for each in trained.quotients if each.total_nodes == 48)
    assert last == {"blocks": (quotient.num_blocks,) * 2, "pairs": (quotient.num_pairs,) * 2}
