"""The published rule for block models, with a stand-in for graph-tool that answers the same protocol."""

import sys

import networkx as nx
import numpy as np
import pytest
from scipy import stats

from sbgd.errors import InputError
from sbgd.evaluation.validity.legacy import PYTHON_VARIABLE, LegacyBlockModel, block_counts, legacy_score
from sbgd.evaluation.validity.planted import planted_partition
from sbgd.graph import Graph


def stand_in(folder, answer):
    """An interpreter that reads the job and answers with the assignments that Python code `answer` makes of it."""
    path = folder / "python-with-graph-tool"
    path.write_text(f"#!{sys.executable}\nimport json, sys\njob = json.load(sys.stdin)\n{answer}\n")
    path.chmod(0o755)
    return str(path)


def test_the_score_by_hand():
    sizes = np.array([20, 30])
    arcs = np.array([[120, 6], [6, 250]])
    inside = [(p - 0.3) ** 2 / (p * (1 - p)) for p in (120 / 380, 250 / 870)]
    # [[0, .01], [.01, 0]] - .005 has the square [[.00005, -.00005], [-.00005, .00005]]
    # [[0, .01], [.01, 0]] times [[1, .99], [.99, 1]] is [[.0099, .01], [.01, .0099]]
    between = 0.00005 / (0.01 + 1e-6)
    expected = np.mean(stats.chi2.sf([*inside, between, between], 1))
    assert legacy_score(sizes, arcs) == pytest.approx(expected, rel=1e-5)


def test_one_pair_of_blocks_without_edges_costs_a_whole_entry():
    """The density 0 has W = 50 there, however few edges were to be expected."""
    sizes = np.array([20, 20])
    arcs = np.array([[114, 0], [0, 114]])
    assert legacy_score(sizes, arcs) == pytest.approx((2 + 2 * stats.chi2.sf(50, 1)) / 4)


def test_the_score_equals_the_published_one_to_all_digits(fixture_sets, reference_values):
    """In 17 of 20 graphs the random search had ended in the most likely blocks, in the others it scored other ones."""
    published = reference_values["sbm_validity_graphtool"]["gen|refine100|gtseed0|strict0"]["values"]
    close = []
    for graph, expected in zip(fixture_sets["sbm:gen"], published, strict=True):
        blocks = planted_partition(graph, range(1, 7), inner=0.3, outer=0.005, smallest=10)
        close.append(
            legacy_score(*block_counts(graph, blocks.assignment.tolist())) == pytest.approx(expected, abs=1e-11)
        )
    assert sum(close) == 17


def test_edges_count_in_both_directions_and_unused_numbers_do_not_matter():
    sizes, arcs = block_counts(Graph.from_edges([(0, 1), (1, 2), (2, 3)], 4), [7, 7, 3, 3])
    assert sizes.tolist() == [2, 2]
    assert arcs.tolist() == [[2, 1], [1, 2]]


def test_graphs_and_settings_reach_the_other_interpreter(tmp_path):
    answer = """
assert (job["seed"], job["sweeps"]) == (5, 100)
json.dump([[node // 25 for node in range(n)] for n, edges in job["graphs"]], sys.stdout)
"""
    graph = Graph.from_networkx(nx.stochastic_block_model([25, 25], [[0.3, 0.005], [0.005, 0.3]], seed=1))
    other = Graph.from_edges([(0, 1), (30, 49)], 50)
    rule = LegacyBlockModel(sweeps=100, seed=5, python=stand_in(tmp_path, answer))
    verdicts = rule([graph, Graph.from_edges([], 0), other, Graph.from_edges([], 50)])
    assert [verdict.valid for verdict in verdicts] == [True, False, False, False]
    assert [verdicts[1].reason, verdicts[3].reason] == ["no nodes", "no edges"]
    assert "score" in verdicts[2].reason


def test_isolated_nodes_after_the_last_edge_are_in_no_block(tmp_path):
    """The source passes edges, from which the other side cannot know of them."""
    python = stand_in(tmp_path, "json.dump([[i % 2 for i in range(n)] for n, edges in job['graphs']], sys.stdout)")
    graph = Graph.from_edges([(0, 1), (2, 49)], 90)
    assert LegacyBlockModel(python=python)([graph])[0].reason.startswith("score")
    moved = Graph.from_edges([(0, 1), (2, 89)], 90)
    assert LegacyBlockModel(python=python)([moved])[0].reason == "blocks of 45 to 45 nodes"


def test_the_first_python_with_graph_tool_is_taken(tmp_path, monkeypatch):
    monkeypatch.delenv(PYTHON_VARIABLE, raising=False)
    answers = {"without": "sys.exit(1)", "with": "print([[0] * n for n, edges in json.load(sys.stdin)['graphs']])"}
    for folder, answer in answers.items():
        python = tmp_path / folder / "python3"
        python.parent.mkdir()
        probed = "sys.exit(0)" if folder == "with" else "sys.exit(1)"
        python.write_text(
            f"#!{sys.executable}\nimport json, sys\nif 'find_spec' in sys.argv[-1]:\n    {probed}\n{answer}\n"
        )
        python.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/without:{tmp_path}/with")
    assert LegacyBlockModel()([Graph.from_edges([(0, 1)], 2)])[0].reason == "1 blocks"


def test_numbers_and_sizes_of_blocks_are_checked_where_strict(tmp_path):
    python = stand_in(tmp_path, "json.dump([[0] * n for n, edges in job['graphs']], sys.stdout)")
    graph = Graph.from_networkx(nx.gnp_random_graph(60, 0.3, seed=0))
    assert LegacyBlockModel(python=python)([graph])[0].reason == "1 blocks"
    assert LegacyBlockModel(python=python, strict=False)([graph])[0].valid
    halves = stand_in(tmp_path, "json.dump([[i % 2 for i in range(n)] for n, edges in job['graphs']], sys.stdout)")
    assert LegacyBlockModel(python=halves)([Graph.from_edges([(0, 89)], 90)])[0].reason == "blocks of 45 to 45 nodes"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("raise ModuleNotFoundError(\"No module named 'graph_tool'\")", "got: ModuleNotFoundError: No module named"),
        ("import time; time.sleep(60)", "expected graph-tool to finish in 1 s"),
        ("print('no JSON')", "got: an answer that is not JSON"),
        ("print([])", "got: 0 answers for 1 graphs"),
    ],
)
def test_failures_are_one_line_with_a_remedy(answer, message, tmp_path):
    rule = LegacyBlockModel(python=stand_in(tmp_path, answer), time_limit_s=1)
    with pytest.raises(InputError, match=message):
        rule([Graph.from_edges([(0, 1)], 2)])


def test_a_missing_interpreter_is_named(monkeypatch):
    monkeypatch.setenv("SBGD_GRAPH_TOOL_PYTHON", "no-such-python")
    with pytest.raises(InputError, match=r"expected graph-tool under no-such-python, got: no such program; install it"):
        LegacyBlockModel()([Graph.from_edges([(0, 1)], 2)])
