"""Molecules by hand against RDKit's judgement and SMILES."""

import sys

import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.evaluation import evaluate
from sbgd.evaluation.validity import find_rule
from sbgd.evaluation.vun import valid_unique_novel
from sbgd.graph import Graph


def atoms(labels, bonds):
    """Bonds as (u, v, order)."""
    return Graph.from_edges(
        [bond[:2] for bond in bonds], len(labels), labels=labels, edge_types=np.array([b[2] for b in bonds], int)
    )


ETHANOL = atoms([6, 6, 8], [(0, 1, 1), (1, 2, 1)])
ETHANOL_TOO = atoms([8, 6, 6], [(0, 1, 1), (1, 2, 1)])
ETHER = atoms([6, 8, 6], [(0, 1, 1), (1, 2, 1)])
NITROMETHANE_ION = atoms([6, 7, 6, 6, 6], [(0, 1, 1), (1, 2, 1), (1, 3, 1), (1, 4, 1)])
FIVE_BONDS = atoms([6, 6, 6, 6], [(0, 1, 3), (0, 2, 1), (0, 3, 1)])
BENZENE = atoms([6] * 6, [(0, 1, 2), (1, 2, 1), (2, 3, 2), (3, 4, 1), (4, 5, 2), (0, 5, 1)])


@pytest.fixture(scope="module")
def rule():
    pytest.importorskip("rdkit")
    return find_rule("molecule")


def test_valences_decide(rule):
    graphs = [ETHANOL, ETHER, NITROMETHANE_ION, BENZENE, FIVE_BONDS, atoms(np.array([], int), [])]
    assert [verdict.valid for verdict in rule(graphs)] == [True, True, True, True, False, False]
    assert "fails" in rule([FIVE_BONDS])[0].reason


def test_names_are_canonical_smiles(rule):
    assert rule.identities([ETHANOL, ETHANOL_TOO, ETHER, BENZENE]) == ["CCO", "CCO", "COC", "c1ccccc1"]
    assert rule.identities([NITROMETHANE_ION]) == ["C[N+](C)(C)C"]


def test_unique_and_novel_look_at_atoms_and_bonds(rule):
    """All of these are the same bare path."""
    found = valid_unique_novel([ETHANOL, ETHER, ETHANOL_TOO], train=[ETHER], rule=rule)
    assert found.is_unique == (True, True, False)
    assert found.is_novel == (True, False, True)
    assert found.vun == pytest.approx(1 / 3)


def test_an_evaluation_takes_the_rule_by_name(rule):
    result = evaluate([ETHANOL, FIVE_BONDS], [ETHER, BENZENE], validity=rule.name, baselines=())
    assert result.validity.valid == 0.5


def test_graphs_that_are_no_molecules_are_refused(rule):
    for graph in (Graph.from_edges([(0, 1)], 2), Graph.from_edges([(0, 1)], 2, labels=[6, 6])):
        with pytest.raises(InputError, match="expected atomic numbers as labels and bond orders as edge types"):
            rule([graph])
    with pytest.raises(InputError, match="bond orders 1, 2 or 3, got labels"):
        rule([atoms([6, 6], [(0, 1, 4)])])


def test_without_rdkit_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdkit", None)
    with pytest.raises(InputError, match=r"pip install 'sbgd\[molecules\]'"):
        find_rule("molecule")([ETHANOL])
