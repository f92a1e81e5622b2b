from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.evaluation.validity import RULES, Lobster, Planar, Tree, find_rule
from sbgd.graph import Graph

ATLAS = [Graph.from_networkx(graph) for graph in nx.graph_atlas_g()[1:]]


def valid(rule, graph):
    (verdict,) = rule([graph])
    assert verdict.valid or verdict.reason
    return verdict.valid


def is_lobster(graph):
    """Some path has every node within two steps."""
    other = graph.to_networkx()
    if not nx.is_tree(other):
        return False
    distance = dict(nx.all_pairs_shortest_path_length(other))
    paths = [nx.shortest_path(other, u, v) for u in other for v in other]
    return any(all(min(distance[node][step] for step in path) <= 2 for node in other) for path in paths)


def test_planarity_equals_networkx_on_all_small_graphs():
    for graph in ATLAS:
        other = graph.to_networkx()
        assert valid(Planar(), graph) == (nx.is_connected(other) and nx.check_planarity(other)[0])


def test_trees_equal_networkx_on_all_small_graphs():
    assert all(valid(Tree(), graph) == nx.is_tree(graph.to_networkx()) for graph in ATLAS)


def test_lobsters_equal_their_definition_on_random_trees():
    generator = np.random.default_rng(0)
    answers = []
    for _ in range(120):
        size = int(generator.integers(1, 16))
        tree = Graph.from_networkx(
            nx.from_prufer_sequence(generator.integers(0, size, size - 2)) if size > 2 else nx.path_graph(size)
        )
        answers.append(is_lobster(tree))
        assert valid(Lobster(), tree) == answers[-1]
    assert 0.2 < np.mean(answers) < 0.98


def test_the_smallest_tree_that_is_no_lobster_has_three_legs_of_three():
    legs = nx.Graph((f"{leg}{step}" if step else "centre", f"{leg}{step + 1}") for leg in "abc" for step in range(3))
    assert not valid(Lobster(), Graph.from_networkx(legs))
    assert valid(Lobster(), Graph.from_networkx(nx.subgraph(legs, [node for node in legs if node != "c3"])))


def test_the_random_lobster_of_networkx_is_one():
    for seed in range(10):
        assert valid(Lobster(), Graph.from_networkx(nx.random_lobster_graph(10, 0.7, 0.7, seed=seed)))


@pytest.mark.parametrize("rule", [Planar(), Tree(), Lobster()])
def test_graphs_without_edges(rule, shapes):
    assert [verdict.valid for verdict in rule([shapes[name] for name in ("nothing", "point", "two_points")])] == [
        False,
        True,
        False,
    ]


@pytest.mark.parametrize(("fixture", "share"), [("planar", 0.85), ("sbm", 0.0), ("rgg_er", None)])
def test_planar_share_equals_spectre(fixture, share, fixture_sets):
    found = [verdict.valid for verdict in Planar()(fixture_sets[f"{fixture}:gen"])]
    expected = [
        nx.is_connected(other) and nx.check_planarity(other)[0]
        for other in (graph.to_networkx() for graph in fixture_sets[f"{fixture}:gen"])
    ]
    assert found == expected
    assert share is None or np.mean(found) == share


def test_rules_are_found_by_name():
    assert list(RULES) == ["planar", "tree", "lobster", "sbm", "sbm_legacy", "molecule"]
    assert all(find_rule(name).name == name for name in RULES)
    with pytest.raises(InputError, match=r"expected a rule among planar, tree, .* got 'forest'"):
        find_rule("forest")


def test_no_rule_minds_features_labels_or_the_order_of_nodes():
    graph = Graph.from_networkx(nx.random_labeled_tree(12, seed=3))
    order = np.random.default_rng(0).permutation(12)
    moved = Graph.from_edges(order[graph.edges], 12).replace(features=np.zeros((12, 2)))
    for rule in (Planar(), Tree(), Lobster()):
        assert valid(rule, graph) == valid(rule, moved)


def test_k5_and_k33_are_the_smallest_that_are_not_planar():
    k5 = Graph.from_edges(list(combinations(range(5), 2)), 5)
    k33 = Graph.from_networkx(nx.complete_bipartite_graph(3, 3))
    assert [valid(Planar(), graph) for graph in (k5, k33)] == [False, False]
