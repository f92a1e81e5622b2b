from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.models import TrainedModel
from sbgd.partition import Quotient
from sbgd.sampling import SolverOptions, generate

MakeModel = Callable[..., TrainedModel]


@pytest.fixture
def blocks_of_eight(make_model: MakeModel) -> TrainedModel:
    quotient = Quotient.from_arrays(
        {
            "num_nodes": np.full(4, 8),
            "num_edges": np.zeros(4),
            "pairs": np.zeros((0, 2)),
            "pair_edges": np.zeros(0),
            "inner_degree": np.zeros(32),
            "outer_degree": np.zeros(32),
        }
    )
    return replace(make_model(factorisation="independent", densities=(0.3, 0.02)), quotients=[quotient])


@pytest.mark.parametrize("num_steps", [1, 2, 10])
def test_an_untrained_model_draws_from_the_independent_prior(blocks_of_eight: TrainedModel, num_steps: int) -> None:
    # The network adds nothing to the exact posterior of independent edges, so the reverse process returns their law.
    graphs = generate(blocks_of_eight, np.full(20, 64), options=SolverOptions(num_steps)).graphs
    inner = sum(int((graph.edges[:, 0] // 8 == graph.edges[:, 1] // 8).sum()) for graph in graphs)
    outer = sum(graph.num_edges for graph in graphs) - inner
    for count, pairs, density in ((inner, 20 * 8 * 28, 0.3), (outer, 20 * 28 * 64, 0.02)):
        assert abs(count / pairs - density) < 5 * np.sqrt(density * (1 - density) / pairs)


def test_densities_hold_at_every_size(blocks_of_eight: TrainedModel) -> None:
    (graph,) = generate(blocks_of_eight, np.array([203]), options=SolverOptions(3)).graphs
    inner = int((graph.edges[:, 0] // 8 == graph.edges[:, 1] // 8).sum())
    within = 25 * 28 + 3
    across = 203 * 202 // 2 - within
    assert abs(inner / within - 0.3) < 5 * np.sqrt(0.21 / within)
    assert abs((graph.num_edges - inner) / across - 0.02) < 5 * np.sqrt(0.02 * 0.98 / across)


def test_more_nodes_than_memory_allows_are_refused_at_once(blocks_of_eight: TrainedModel) -> None:
    with pytest.raises(InputError, match="at most 20000 nodes in the independent factorisation, got 20001"):
        generate(blocks_of_eight, np.array([64, 20_001]))
