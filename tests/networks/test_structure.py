"""Structural features with the values that pencil and paper give."""

import math

import pytest
import torch
from torch import Tensor

from sbgd.networks.structure import structural_features

LOG = math.log


def adjacency(num_nodes: int, *edges: tuple[int, int]) -> Tensor:
    dense = torch.zeros(1, num_nodes, num_nodes, dtype=torch.float64)
    for u, v in edges:
        dense[0, u, v] = dense[0, v, u] = 1
    return dense


def features(dense: Tensor, num_nodes: int | None = None) -> tuple[Tensor, Tensor]:
    mask = (torch.arange(dense.shape[-1]) < (num_nodes or dense.shape[-1])).double().unsqueeze(0)
    node, edge = structural_features(dense, mask)
    return node[0], edge[0]


def assert_values(found: Tensor, expected: list[float]) -> None:
    torch.testing.assert_close(found, torch.tensor(expected, dtype=torch.float64))


def test_triangle() -> None:
    """A^2 = 2 I + (J - I), A^3 = 2 I + 3 (J - I), A^4 = 6 I + 5 (J - I), S = A / 2."""
    node, edge = features(adjacency(3, (0, 1), (1, 2), (0, 2)))
    for u in range(3):
        assert_values(node[u], [LOG(3), 2 / 3, 1 / 2, 1 / 4, 3 / 8, LOG(2), 1])
        assert_values(edge[u, (u + 1) % 3], [1, LOG(2), LOG(4) / 2, 1 / 4, 5 / 16, 1])
        assert_values(edge[u, u], [0, LOG(3), LOG(3) / 2, 1 / 2, 3 / 8, 1])


def test_path_of_three() -> None:
    """The walk is periodic: S^4 = S^2, and no walk of odd length returns."""
    node, edge = features(adjacency(3, (0, 1), (1, 2)))
    assert_values(node[0], [LOG(2), 1 / 3, 1 / 2, 0, 1 / 2, 0, 1])
    assert_values(node[1], [LOG(3), 2 / 3, 1, 0, 1, 0, 1])
    assert_values(edge[0, 1], [1, 0, LOG(3) / 2, 0, 0, 1])
    assert_values(edge[0, 2], [0, LOG(2), 0, 1 / 2, 1 / 2, 1])


def test_star_of_three_leaves() -> None:
    node, edge = features(adjacency(4, (0, 1), (0, 2), (0, 3)))
    assert_values(node[0], [LOG(4), 3 / 4, 1, 0, 1, 0, 1])
    assert_values(node[3], [LOG(2), 1 / 4, 1 / 3, 0, 1 / 3, 0, 1])
    assert_values(edge[0, 3], [1, 0, LOG(4) / 2, 0, 0, 1])
    assert_values(edge[1, 2], [0, LOG(2), 0, 1 / 3, 1 / 3, 1])


def test_components_are_told_apart() -> None:
    """An edge, a path of three and an isolated node."""
    node, edge = features(adjacency(6, (0, 1), (2, 3), (3, 4)))
    assert_values(node[:, 6], [2 / 6, 2 / 6, 3 / 6, 3 / 6, 3 / 6, 1 / 6])
    joined = torch.block_diag(torch.ones(2, 2), torch.ones(3, 3), torch.ones(1, 1)).double()
    assert torch.equal(edge[..., 5], joined)
    assert_values(node[5], [0, 0, 0, 0, 0, 0, 1 / 6])


@pytest.mark.parametrize("num_nodes", [2, 5, 16, 17, 33, 64])
def test_the_ends_of_a_path_of_any_length_are_connected(num_nodes: int) -> None:
    node, edge = features(adjacency(num_nodes, *((u, u + 1) for u in range(num_nodes - 1))))
    assert torch.equal(edge[..., 5], torch.ones(num_nodes, num_nodes).double())
    assert torch.equal(node[:, 6], torch.ones(num_nodes).double())


def test_features_are_zero_at_padding_and_unchanged_by_it() -> None:
    edges = [(0, 1), (1, 2), (0, 2), (2, 3)]
    node, edge = features(adjacency(4, *edges))
    padded_node, padded_edge = features(adjacency(9, *edges), 4)
    torch.testing.assert_close(padded_node[:4], node)
    torch.testing.assert_close(padded_edge[:4, :4], edge)
    assert not padded_node[4:].any()
    assert not padded_edge[4:].any()
    assert not padded_edge[:, 4:].any()


def test_padding_does_not_change_features_of_soft_edges() -> None:
    soft = torch.full((1, 6, 6), 0.05, dtype=torch.float64) - 0.05 * torch.eye(6, dtype=torch.float64)
    padded = torch.nn.functional.pad(soft, (0, 14, 0, 14))
    node, edge = features(soft)
    padded_node, padded_edge = features(padded, 6)
    torch.testing.assert_close(padded_node[:6], node)
    torch.testing.assert_close(padded_edge[:6, :6], edge)


def test_an_empty_graph_has_no_degrees_and_finite_features() -> None:
    node, edge = features(adjacency(3))
    assert torch.isfinite(node).all()
    assert torch.equal(edge[..., 5], torch.eye(3).double())
    assert not edge[..., :5].any()


def test_features_follow_a_permutation_of_the_nodes() -> None:
    dense = adjacency(7, (0, 1), (1, 2), (0, 2), (3, 4), (4, 5))
    order = torch.tensor([4, 2, 6, 0, 1, 5, 3])
    node, edge = features(dense)
    moved_node, moved_edge = features(dense[:, order][:, :, order])
    torch.testing.assert_close(moved_node, node[order])
    torch.testing.assert_close(moved_edge, edge[order][:, order])
