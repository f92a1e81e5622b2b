import networkx as nx
import numpy as np
import pytest

from sbgd.evaluation import isomorphism
from sbgd.evaluation.novelty import LEAST_WORK, GraphIndex
from sbgd.evaluation.validity import Planar, Tree, Verdict
from sbgd.evaluation.vun import VUN, valid_unique_novel
from sbgd.graph import Graph

RULES = {"planar": Planar(), "tree": Tree()}


def moved(graph, seed):
    order = np.random.default_rng(seed).permutation(graph.num_nodes)
    return Graph.from_edges(order[graph.edges], graph.num_nodes)


@pytest.mark.parametrize("source", ["spectre", "digress", "esgg", "defog"])
@pytest.mark.parametrize("name", ["planar", "sbm"])
def test_shares_equal_the_sequence_of_spectre(source, name, fixture_sets, reference_values):
    expected = reference_values["vun"][source][name]
    found = valid_unique_novel(fixture_sets[f"{name}:gen"], train=fixture_sets[f"{name}:train"], rule=Planar())
    assert found.unique == expected["unique_precise"]
    assert found.novel == pytest.approx(1 - expected["non_novel"])
    if name == "planar":
        assert found.valid == expected["valid"]
        assert [found.unique, found.unique_novel, found.vun] == pytest.approx(expected["uniq_uniqnovel_vun"])
    else:
        # the source was run without a rule
        assert [found.unique, found.unique_novel] == pytest.approx(expected["uniq_uniqnovel_vun"][:2])


def test_shares_equal_polygraph(fixture_sets, reference_values):
    expected = reference_values["vun"]["polygraph"]["planar"]
    found = valid_unique_novel(fixture_sets["planar:gen"], train=fixture_sets["planar:train"], rule=Planar())
    assert [found.unique, found.novel, found.valid] == pytest.approx(
        [expected[key] for key in ("unique", "novel", "valid")]
    )
    pairs = [found.unique_novel, found.valid_novel, found.valid_unique, found.vun]
    keys = ["unique_novel", "valid_novel", "valid_unique", "valid_unique_novel"]
    assert pairs == pytest.approx([expected[key] for key in keys])


@pytest.mark.parametrize("source", ["spectre", "digress", "esgg", "defog"])
@pytest.mark.parametrize("part", ["normal", "edgeless", "single_node", "zero_node", "isolated"])
def test_shares_of_degenerate_sets(source, part, fixture_sets, reference_values):
    published = reference_values["vun"][source]
    train, generated = fixture_sets["degenerate:normal"], fixture_sets[f"degenerate:{part}"]
    for name, rule in RULES.items():
        expected = published[f"degenerate_{name}_{part}"]
        found = valid_unique_novel(generated, train=train, rule=rule)
        # graphs without nodes make the source fail; here they are not valid
        assert found.valid == (0 if isinstance(expected, str) else expected)
        assert found.unique == published[f"degenerate_unique_{part}"]
    expected = published[f"degenerate_vun_planar_{part}"]
    if not isinstance(expected, str):
        found = valid_unique_novel(generated, train=train, rule=Planar())
        assert [found.unique, found.unique_novel, found.vun] == expected


@pytest.mark.parametrize("fixture", ["rgg_er", "sbm", "planar"])
def test_shares_equal_esgg(fixture, fixture_sets, reference_values):
    row = reference_values["ratio"][fixture]
    sets = {"generated": fixture_sets[f"{fixture}:gen"], "train": fixture_sets[f"{fixture}:train"]}
    planar = valid_unique_novel(sets["generated"], train=sets["train"], rule=Planar())
    tree = valid_unique_novel(sets["generated"], train=sets["train"], rule=Tree())
    assert (planar.unique, planar.novel) == pytest.approx((row["Uniqueness"], row["Novelty"]))
    assert (planar.vun, tree.vun) == pytest.approx((row["UniqueNovelValidPlanar"], row["UniqueNovelValidTree"]))


def test_what_was_not_asked_is_absent(shapes):
    found = valid_unique_novel([shapes["path"], moved(shapes["path"], 1), shapes["star"]])
    assert found.to_dict() == {"unique": pytest.approx(2 / 3), "num_graphs": 3, "undecided": {"unique": 0}}
    assert (found.novel, found.valid, found.vun, found.valid_novel) == (None, None, None, None)


def test_the_undecided_are_no_success():
    class Unsure:
        name = "unsure"

        def __call__(self, graphs):
            return [Verdict(None, "no idea") for _ in graphs]

    graph = Graph.from_edges([(0, 1)], 2)
    found = valid_unique_novel([graph], train=[Graph.from_edges([], 2)], rule=Unsure())
    assert (found.valid, found.vun, found.unique_novel) == (0, 0, 1)
    assert found.to_dict()["undecided"] == {"unique": 0, "novel": 0, "valid": 1}
    assert VUN(is_unique=(None, True)).unique == 0.5


def hard_pairs():
    """Pairs that colour refinement cannot tell apart, some the same graph and some not."""
    rook = Graph.from_networkx(nx.line_graph(nx.complete_bipartite_graph(4, 4)))
    steps = [(1, 0), (0, 1), (1, 1)]
    shrikhande = nx.Graph(((i, j), ((i + a) % 4, (j + b) % 4)) for i in range(4) for j in range(4) for a, b in steps)
    paley = Graph.from_networkx(nx.Graph((i, j) for i in range(29) for j in range(i) if pow(i - j, 14, 29) == 1))
    cube = Graph.from_networkx(nx.hypercube_graph(6))
    cycles = [Graph.from_networkx(nx.disjoint_union_all([nx.cycle_graph(n)] * (60 // n))) for n in (3, 6, 60)]
    return [
        (rook, Graph.from_networkx(shrikhande), False),
        (paley, moved(paley, 1), True),
        (cube, moved(cube, 2), True),
        (cycles[2], moved(cycles[2], 3), True),
        (cycles[2], cycles[1], False),
        (cycles[0], moved(cycles[0], 4), True),
    ]


@pytest.mark.parametrize(("left", "right", "same"), hard_pairs())
def test_hard_pairs_are_decided_exactly(left, right, same):
    index = GraphIndex()
    index.add(left)
    assert index.contains(right) is same


def test_many_hard_graphs_stay_within_the_bound(monkeypatch):
    rounds = []
    spend = isomorphism.Budget.spend

    def counted(budget, graph):
        spend(budget, graph)
        rounds.append(graph)

    monkeypatch.setattr(isomorphism.Budget, "spend", counted)
    regular = [Graph.from_networkx(nx.random_regular_graph(4, 40, seed=seed)) for seed in range(30)]
    cycles = [Graph.from_networkx(nx.disjoint_union_all([nx.cycle_graph(n)] * 4)) for n in (9, 10)]
    mixed = Graph.from_networkx(nx.disjoint_union_all([nx.cycle_graph(9)] * 2 + [nx.cycle_graph(11)] * 2))
    found = valid_unique_novel([*regular, *cycles, mixed] * 2, train=regular, max_work=200_000, total_work=2_000_000)
    # every round is counted for the question and in all, and is charged more than 1000 steps
    num_questions = 2 * len(found.is_unique) + len(regular)
    assert len(rounds) <= (2 * 2_000_000 + num_questions * LEAST_WORK) / 1000
    assert found.undecided["unique"] + found.undecided["novel"] > 0
    for known, graph in zip(found.is_novel[:30], regular, strict=True):
        assert known is not True, graph


def test_many_copies_of_hard_graphs_are_decided():
    """Every kind is compared once, whatever the number of its copies."""
    rook, shrikhande, _ = hard_pairs()[0]
    generated = [moved(rook, seed) for seed in range(40)]
    found = valid_unique_novel(generated, train=[moved(shrikhande, seed) for seed in range(40)], total_work=100_000_000)
    assert (found.unique, found.novel, found.undecided) == (1 / 40, 1, {"unique": 0, "novel": 0})


def test_easy_graphs_are_decided_after_the_bound(shapes):
    rook, shrikhande, _ = hard_pairs()[0]
    pair = Graph.from_networkx(nx.disjoint_union_all([nx.cycle_graph(6)] * 2))
    found = valid_unique_novel(
        [rook, shrikhande, pair, moved(pair, 1)], train=[moved(pair, 2)], max_work=300_000, total_work=100_000
    )
    assert found.is_unique == (True, None, True, False)
    assert found.is_novel == (True, True, False, False)


def test_200_against_200_graphs_of_other_sizes_need_no_search(monkeypatch, fixture_sets):
    monkeypatch.setattr("sbgd.evaluation.novelty.isomorphic", lambda *_: pytest.fail("searched"))
    sets = [[Graph.from_edges([(0, 1)], n) for n in range(first, 400, 2)] for first in (2, 3)]
    found = valid_unique_novel(sets[0], train=sets[1])
    assert (found.unique, found.novel) == (1, 1)
