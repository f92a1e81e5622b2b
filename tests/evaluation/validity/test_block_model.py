"""The rule for block models accepts the model's own graphs and refuses those that miss it in one thing."""

import networkx as nx
import numpy as np
import pytest

from sbgd.evaluation.validity.block_model import BlockModel
from sbgd.evaluation.validity.planted import planted_partition
from sbgd.graph import Graph


def sizes_of(generator):
    return generator.integers(20, 41, size=generator.integers(2, 6))


def draw(generator, inner=0.3, outer=0.005, block=None):
    """A connected graph of the data set's law, or with blocks that `block(n, generator)` makes."""
    while True:
        sizes = sizes_of(generator)
        of = np.repeat(np.arange(len(sizes)), sizes)
        density = np.where(of[:, None] == of, 0 if block else inner, outer)
        edges = np.argwhere(np.triu(generator.random(density.shape) < density, 1))
        if block:
            starts = np.cumsum(sizes) - sizes
            own = [
                start + np.array(list(block(int(n), generator).edges)) for start, n in zip(starts, sizes, strict=True)
            ]
            edges = np.concatenate([edges, *own])
        graph = Graph.from_edges(edges, len(of))
        if nx.is_connected(graph.to_networkx()):
            return graph


def accepted(graphs):
    return np.mean([verdict.valid for verdict in BlockModel()(graphs)])


def ring(n, generator):
    return nx.watts_strogatz_graph(n, 2 * round(0.15 * (n - 1)), 0)


def regular(n, generator):
    degree = round(0.3 * (n - 1))
    return nx.random_regular_graph(degree - degree * n % 2, n, seed=int(generator.integers(1 << 30)))


def geometric(n, generator):
    points = generator.random((n, 2))
    distance = np.linalg.norm(points[:, None] - points, axis=2)
    near = np.quantile(distance[np.triu_indices(n, 1)], 0.3)
    return nx.Graph(np.argwhere(np.triu(distance < near, 1)).tolist())


def test_true_draws_are_accepted_at_the_stated_level():
    generator = np.random.default_rng(0)
    # stated 0.99; five standard errors of a binomial with 300 draws are 0.029
    assert accepted([draw(generator) for _ in range(300)]) > 0.96


@pytest.mark.parametrize(
    ("change", "at_most"),
    [
        ({"inner": 0.22}, 0.15),
        ({"inner": 0.4}, 0.15),
        ({"outer": 0.02}, 0.15),
        ({"block": ring}, 0.0),
        ({"block": regular}, 0.0),
        ({"block": geometric}, 0.15),
    ],
    ids=["inner 0.22", "inner 0.4", "outer 0.02", "ring", "regular", "geometric"],
)
def test_other_laws_are_refused(change, at_most):
    generator = np.random.default_rng(1)
    assert accepted([draw(generator, **change) for _ in range(40)]) <= at_most


def test_graphs_without_blocks_are_refused(random_graphs, shapes):
    generator = np.random.default_rng(2)
    same_density = []
    for _ in range(20):
        graph = draw(generator)
        other = nx.gnm_random_graph(graph.num_nodes, graph.num_edges, seed=int(generator.integers(1 << 30)))
        same_density.append(Graph.from_networkx(other))
    assert accepted(same_density) == 0
    assert accepted([*random_graphs, *shapes.values()]) == 0
    complete = Graph.from_networkx(nx.complete_graph(60))
    edgeless = Graph.from_edges([], 60)
    assert [verdict.valid for verdict in BlockModel()([complete, edgeless])] == [False, False]


def test_the_verdict_needs_no_seed_and_minds_no_order_of_nodes():
    generator = np.random.default_rng(3)
    for graph in [draw(generator) for _ in range(10)]:
        order = generator.permutation(graph.num_nodes)
        moved = Graph.from_edges(order[graph.edges], graph.num_nodes)
        (here,), (there,), (again,) = BlockModel()([graph]), BlockModel()([moved]), BlockModel()([graph])
        assert here == again
        assert here.valid == there.valid
        assert here.p_value == pytest.approx(there.p_value, rel=1e-6)


def test_blocks_are_found():
    generator = np.random.default_rng(4)
    for _ in range(20):
        sizes = sizes_of(generator)
        of = np.repeat(np.arange(len(sizes)), sizes)
        density = np.where(of[:, None] == of, 0.3, 0.005)
        graph = Graph.from_edges(np.argwhere(np.triu(generator.random(density.shape) < density, 1)), len(of))
        found = planted_partition(graph, range(1, 7), inner=0.3, outer=0.005, smallest=10)
        together = found.assignment[:, None] == found.assignment
        assert (together == (of[:, None] == of)).mean() > 0.97
        assert found.edge_counts(graph).sum() == graph.num_edges + np.triu(found.edge_counts(graph), 1).sum()


def test_most_fixture_graphs_get_the_verdict_of_the_published_rule(fixture_sets, reference_values):
    """The published rule refuses 10 and 15 % of these, 5 and 15 % with another seed of its search."""
    for part, share in (("ref", 1.0), ("gen", 0.85)):
        found = np.array([verdict.valid for verdict in BlockModel()(fixture_sets[f"sbm:{part}"])])
        published = np.array(reference_values["sbm_validity_graphtool"][f"{part}|refine100|gtseed0|strict1"]["values"])
        assert found.mean() == share
        assert (found == published).mean() == 0.9


def test_the_reason_says_what_is_unlikely():
    generator = np.random.default_rng(5)
    (verdict,) = BlockModel()([draw(generator, block=regular)])
    assert verdict.reason == "unlikely scatter of degrees inside blocks"
    assert verdict.p_value < 0.01
    assert BlockModel()([Graph.from_edges([], 10)])[0].reason == "10 nodes do not make 2 to 5 blocks"
