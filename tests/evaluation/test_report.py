import io

from rich.console import Console

from sbgd.evaluation import evaluate
from sbgd.evaluation.baselines import ErdosRenyi
from sbgd.evaluation.report import tables


def printed(result):
    console = Console(file=io.StringIO(), width=140)
    console.print(tables(result))
    return console.file.getvalue()


def test_tables_show_reference_generated_error_and_baselines_side_by_side(shapes):
    text = printed(evaluate([shapes["star"]], [shapes["k4"]], baselines=[ErdosRenyi([shapes["k4"]])]))
    row = next(line.split() for line in text.splitlines() if "mean_degree" in line)
    assert row == ["mean_degree", "3", "1.5", "1.5", "3"]


def test_what_is_missing_is_explained_below_the_tables(shapes):
    text = printed(evaluate([shapes["star"]] * 2, [shapes["k4"]]))
    assert "MMD of degree, clustering, orbit, spectral: the unbiased estimate" in text
    assert "generated: 1 of 2 graphs isomorphic to an earlier one" in text
    assert "assortativity: reference: all edges join nodes of one degree" in text
