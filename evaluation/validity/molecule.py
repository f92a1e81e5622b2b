"""Molecules: graphs whose labels are atomic numbers and whose edge types are bond orders, judged by RDKit.

Nothing is corrected. A nitrogen, oxygen or sulphur with one bond too many is taken as an ion of charge +1, as in GDSS;
every other atom has no charge. Hydrogens are implicit.

References:
    Jo et al., 2022, arXiv:2202.02514, appendix C; Landrum et al., RDKit, https://www.rdkit.org.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sbgd.errors import InputError
from sbgd.evaluation.validity.rule import VALID, Verdict
from sbgd.graph import Graph

if TYPE_CHECKING:
    from rdkit.Chem import Mol

_VALENCE = {7: 3, 8: 2, 16: 2}
"""Bonds of the atoms that may carry one more as ions."""


class Molecule:
    """Valid is what RDKit can sanitise: valences, aromaticity, ring information.

    Molecules are told apart by their canonical SMILES, not by isomorphism of the bare graphs.
    """

    name = "molecule"

    def __call__(self, graphs: Sequence[Graph]) -> list[Verdict]:
        """Says for every graph whether it is a molecule.

        Raises:
            InputError: RDKit is not installed, or a graph has no atomic numbers or bond orders.
        """
        return [self._verdict(graph) for graph in graphs]

    def identities(self, graphs: Sequence[Graph]) -> list[str]:
        """Returns canonical SMILES; of invalid ones that of the atoms and bonds as they are."""
        return [smiles(graph) for graph in graphs]

    @staticmethod
    def _verdict(graph: Graph) -> Verdict:
        if not graph.num_nodes:
            return Verdict(False, "no atoms")
        found = molecule(graph)
        failed = _rdkit().SanitizeMol(found, catchErrors=True)
        return VALID if not failed else Verdict(False, f"RDKit's {str(failed).lower()} fails")


def molecule(graph: Graph) -> Mol:
    """Returns an RDKit molecule of labels and edge types, not sanitised.

    Raises:
        InputError: RDKit is not installed, or the graph has no atomic numbers or bond orders.
    """
    chem = _rdkit()
    if graph.labels is None or (graph.edge_types is None and graph.num_edges):
        raise InputError(
            "expected atomic numbers as labels and bond orders as edge types for molecules, got a graph without; use "
            "another --validity"
        )
    bonds = {1: chem.BondType.SINGLE, 2: chem.BondType.DOUBLE, 3: chem.BondType.TRIPLE}
    orders = np.zeros(0, np.int64) if graph.edge_types is None else graph.edge_types
    unknown = [order for order in np.unique(orders).tolist() if order not in bonds]
    if unknown or (graph.num_nodes and not 1 <= graph.labels.min() <= graph.labels.max() <= 118):
        raise InputError(
            f"expected atomic numbers in 1..118 and bond orders 1, 2 or 3, got labels "
            f"{np.unique(graph.labels).tolist()} and orders {np.unique(orders).tolist()}"
        )
    made = chem.RWMol()
    used = np.bincount(graph.edges.ravel(), np.repeat(orders, 2), minlength=graph.num_nodes)
    for number, valence in zip(graph.labels.tolist(), used.tolist(), strict=True):
        atom = chem.Atom(number)
        if number in _VALENCE and valence == _VALENCE[number] + 1:
            atom.SetFormalCharge(1)
        made.AddAtom(atom)
    for (u, v), order in zip(graph.edges.tolist(), orders.tolist(), strict=True):
        made.AddBond(u, v, bonds[order])
    return made.GetMol()


def smiles(graph: Graph) -> str:
    """Returns the canonical SMILES of a graph of atoms and bonds."""
    chem = _rdkit()
    found = molecule(graph)
    sanitised = _sanitised(found)
    return str(chem.MolToSmiles(found if sanitised is None else sanitised))


def _sanitised(found: Mol) -> Mol | None:
    """Returns the sanitised molecule, or None where RDKit refuses."""
    chem = _rdkit()
    copy = chem.Mol(found)
    return copy if chem.SanitizeMol(copy, catchErrors=True) == chem.SanitizeFlags.SANITIZE_NONE else None


def _rdkit() -> Any:
    try:
        from rdkit import Chem, rdBase
    except ImportError:
        raise InputError(
            "expected RDKit for molecules, got none; install it with `pip install 'sbgd[molecules]'`"
        ) from None
    rdBase.DisableLog("rdApp.*")
    return Chem
