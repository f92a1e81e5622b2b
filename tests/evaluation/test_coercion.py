import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
import torch
from scipy import sparse
from torch.utils.data import Dataset
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.loader import DataLoader

from sbgd.errors import InputError
from sbgd.evaluation.coercion import as_graphs
from sbgd.evaluation.graph_set import GraphSet
from sbgd.formats import load, save
from sbgd.graph import Graph

PATH = Graph.from_edges([(0, 1), (1, 2)], 3)
LONELY = Graph.from_edges([(0, 1)], 4)
FEATURES = Graph.from_edges([(0, 1)], 3, features=[0.5, 1.0, 2.0])
ADJACENCY = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])


class Indexed(Dataset):
    """As torch's own data sets: `__getitem__` never says where it ends."""

    def __len__(self):
        return 3

    def __getitem__(self, index):
        return PATH.to_networkx()


@pytest.mark.parametrize(
    "held",
    [
        PATH,
        nx.path_graph(3),
        nx.MultiGraph([(0, 1), (1, 0), (1, 2)]),
        PATH.to_pyg(),
        ADJACENCY,
        ADJACENCY.astype(bool),
        ADJACENCY.astype(np.uint8),
        ADJACENCY.astype(np.float32),
        sparse.csr_array(ADJACENCY),
        sparse.coo_matrix(ADJACENCY.astype(bool)),
        sparse.lil_matrix(ADJACENCY),
        Batch.from_data_list([PATH.to_pyg()]),
    ],
    ids=lambda held: f"{type(held).__name__}-{getattr(held, 'dtype', '')}",
)
def test_a_graph_of_any_kind_stands_alone_and_in_a_list(held):
    assert as_graphs(held) == [PATH]
    assert as_graphs([held, LONELY]) == [PATH, LONELY]


@pytest.mark.parametrize(
    "held",
    [
        (PATH, PATH, PATH),
        GraphSet([PATH] * 3),
        (PATH for _ in range(3)),
        Indexed(),
        np.stack([ADJACENCY] * 3),
        DataLoader([PATH.to_pyg()] * 3, batch_size=2),
        [PATH, nx.path_graph(3), Batch.from_data_list([PATH.to_pyg()])],
    ],
    ids=lambda held: type(held).__name__,
)
def test_collections_of_any_kind_keep_their_order(held):
    assert as_graphs(held) == [PATH] * 3


def test_our_own_graphs_are_not_copied():
    assert as_graphs([PATH])[0] is PATH


def test_loaded_files_are_their_graphs(tmp_path):
    save([PATH, LONELY], tmp_path / "graphs.npz")
    assert as_graphs(load(tmp_path / "graphs.npz")) == [PATH, LONELY]


def test_a_batch_keeps_isolated_nodes_and_features():
    lonely, features = LONELY.to_pyg(), FEATURES.to_pyg()
    assert as_graphs(Batch.from_data_list([lonely, PATH.to_pyg(), lonely])) == [LONELY, PATH, LONELY]
    assert as_graphs([Batch.from_data_list([features, features]), lonely]) == [FEATURES, FEATURES, LONELY]


def test_graphs_without_nodes_are_kept():
    empty = Graph.from_edges([], 0)
    assert as_graphs(nx.empty_graph(0)) == [empty]
    assert as_graphs([nx.empty_graph(0), nx.Graph(), np.zeros((0, 0)), PATH]) == [empty, empty, empty, PATH]


def test_nothing_gives_nothing():
    assert as_graphs([]) == []


@pytest.mark.parametrize(
    ("held", "message"),
    [
        (3, "expected graphs or a list of them, got int"),
        (None, "expected graphs or a list of them, got NoneType"),
        ({"a": PATH}, "got dict"),
        ("graphs.npz", "got text; read files with sbgd.load"),
        (HeteroData(), "got torch_geometric.HeteroData"),
        ([PATH, "graphs.npz"], "got str at position 1"),
        ([PATH, PATH, HeteroData(), 3], "got torch_geometric.HeteroData at position 2"),
        ([torch.zeros(3, 3)], "got torch.Tensor at position 0"),
        ([np.zeros(3)], r"got numpy.ndarray of shape \(3,\) at position 0"),
        ([PATH, np.zeros((2, 3))], r"square adjacency.*position 1, numpy.ndarray of shape \(2, 3\)"),
        ([PATH, np.triu(ADJACENCY)], r"symmetric adjacency.*position 1"),
        ([PATH, 0.5 * ADJACENCY], r"got weights.*position 1"),
        ([np.full((2, 2), "a")], r"entries 0 or 1, got <U1 \(position 0"),
        ([sparse.eye_array(3)], r"without self-loops.*position 0, scipy"),
        ([PATH, nx.DiGraph([(0, 1)])], r"undirected graph.*\(position 1, networkx.DiGraph\)"),
        (
            [Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)],
            r"both directions.*position 0, torch_geometric.Data",
        ),
    ],
)
def test_the_first_bad_element_is_named(held, message):
    with pytest.raises(InputError, match=message):
        as_graphs(held)


def test_networkx_graphs_are_converted_without_torch():
    code = (
        "import sys, networkx as nx; from sbgd.evaluation.coercion import as_graphs\n"
        "as_graphs([nx.path_graph(3)]); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
