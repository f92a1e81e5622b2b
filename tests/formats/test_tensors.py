from pathlib import Path

import networkx as nx
import pytest
import torch

from sbgd.errors import InputError
from sbgd.formats import load
from sbgd.graph import Graph

PATH = torch.tensor([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]])


@pytest.mark.parametrize("value", [[PATH, torch.zeros(1, 1)], [[PATH, torch.zeros(1, 1)], ["eigenvalues"], 20]])
def test_lists_of_adjacencies(tmp_path: Path, value: object) -> None:
    torch.save(value, tmp_path / "graphs.pt")
    assert load(tmp_path / "graphs.pt").graphs == [Graph.from_edges([(0, 1), (1, 2)], 3), Graph.from_edges([], 1)]


@pytest.mark.parametrize(
    ("value", "fragment"),
    [
        ({"a": 1}, "expected a list of square adjacency matrices, got dict"),
        ([torch.zeros(2, 3)], "expected a list of square adjacency matrices"),
        ([torch.tensor([[0.0, 1], [0, 0]])], "got a directed one at graph 0"),
        ([torch.tensor([[0.0, 0.5], [0.5, 0]])], "got weight 0.5 at graph 0"),
        ([nx.path_graph(3)], "untrusted files are never unpickled: convert it to npz"),
    ],
)
def test_other_contents_are_refused(tmp_path: Path, value: object, fragment: str) -> None:
    torch.save(value, tmp_path / "graphs.pt")
    with pytest.raises(InputError, match=fragment):
        load(tmp_path / "graphs.pt")
