"""Counts homomorphisms of rooted graphlets with 5 nodes into a graph, one product of matrices for each root.

A node of the graphlet is a sum over nodes of the graph: with A the adjacency and d = A 1, a pendant node multiplies the
counts of its neighbour by d, a path u - x - w is C = A A, and two of them side by side are the product C * C of
entries. Sums are free, images of two nodes may coincide, so that no formula has a correction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sbgd.evaluation.descriptors.graphlet_links import Links
from sbgd.evaluation.triangles import masked_product, product_rows

Counts = NDArray[np.int64]
Homomorphisms = dict[int, Counts]


@dataclass(frozen=True)
class _Products:
    """Numbers of images of what lies between nodes u and w, all int64 CSR arrays (N, N).

    Attributes:
        A: An edge.
        C: A node next to both.
        Cd: The same with a pendant.
        T: An edge and a node next to both, A * C.
        Td: The same with a pendant at that node.
        D: An edge whose ends are both next to both.
        d: Degrees, int64 (N,).
    """

    A: sparse.csr_array
    C: sparse.csr_array
    Cd: sparse.csr_array
    T: sparse.csr_array
    Td: sparse.csr_array
    D: sparse.csr_array
    d: Counts

    @classmethod
    def of(cls, A: sparse.csr_array, links: Links) -> _Products:
        d = _row_sums(A)
        C, Cd = sparse.csr_array(A @ A), sparse.csr_array(_scaled(A, d) @ A)
        D = sparse.csr_array(links.common.T @ links.common)
        return cls(A, C, Cd, _times(A, C), _times(A, Cd), D, d)

    def closed(self, M: sparse.csr_array) -> Counts:
        """Returns sum over neighbours u and w of each node of M_uw, int64 (N,)."""
        return _row_sums(masked_product(self.A, M, self.A))


def homomorphisms(A: sparse.csr_array, links: Links) -> Homomorphisms:
    """Returns hom(H, r; G, v) for the 45 orbits (H, r) with 5 nodes that `Links.orbits` leaves, int64 (N,) each.

    Args:
        A: Adjacency as an int64 CSR array (N, N).
        links: Links of the same graph.
    """
    P = _Products.of(A, links)
    return (
        _trees(P)
        | _one_triangle(P)
        | _squares(P)
        | _diamonds(P)
        | _pentagons(P)
        | _cliques(P)
        | _split_cliques(P, links)
    )


def _trees(P: _Products) -> Homomorphisms:
    A, d = P.A, P.d
    p2 = A @ d
    p3 = A @ p2
    path = {15: A @ p3, 16: d * p3, 17: p2**2}
    fork = {18: A @ (A @ d**2), 19: A @ (d * p2), 20: d * (A @ d**2), 21: d**2 * p2}
    star = {22: A @ d**3, 23: d**4}
    return path | fork | star


def _one_triangle(P: _Products) -> Homomorphisms:
    A, T, d = P.A, P.T, P.d
    t, p2 = _row_sums(T), A @ d
    bull = {24: A @ (T @ d), 25: P.Td @ d, 26: d * (T @ d)}
    tail = {27: A @ (A @ t), 28: d * (A @ t), 29: T @ p2, 30: p2 * t}
    two_pendants = {31: A @ (d * t), 32: T @ d**2, 33: d**2 * t}
    butterfly = {43: T @ t, 44: t**2}
    return bull | tail | two_pendants | butterfly


def _squares(P: _Products) -> Homomorphisms:
    A, C, d = P.A, P.C, P.d
    Q = _times(C, C)
    q = _row_sums(Q)
    pendant = {35: A @ q, 36: Q @ d, 37: _row_sums(_times(C, P.Cd)), 38: d * q}
    three_paths = {49: P.closed(Q), 50: _row_sums(_times(C, Q))}
    return pendant | three_paths


def _diamonds(P: _Products) -> Homomorphisms:
    A, T, d = P.A, P.T, P.d
    E = _times(T, T)
    chord, tip = _row_sums(E), P.closed(T)
    pendant_at_chord = {39: A @ chord, 40: P.closed(_scaled(T, d)), 41: E @ d, 42: d * chord}
    pendant_at_tip = {45: A @ tip, 46: P.closed(P.Td), 47: d * tip, 48: _row_sums(_times(T, P.Td))}
    return pendant_at_chord | pendant_at_tip


def _pentagons(P: _Products) -> Homomorphisms:
    """Returns the pentagon and the house, from walks of 3 steps whose ends are 1 or 2 steps apart."""
    n = len(P.d)
    pentagon, on_edges = np.zeros(n, dtype=np.int64), [sparse.csr_array((0, n), dtype=np.int64)]
    for start, stop, walks in product_rows(P.A, P.C):
        pentagon[start:stop] = _row_sums(_times(P.C[start:stop], walks))
        on_edges.append(_times(P.A[start:stop], walks))
    S = sparse.csr_array(sparse.vstack(on_edges, format="csr"))
    house = {51: _row_sums(masked_product(P.A, P.T, P.C)), 52: P.closed(S), 53: _row_sums(_times(P.T, S))}
    return {34: pentagon} | house


def _cliques(P: _Products) -> Homomorphisms:
    """Returns the 4-clique with a pendant."""
    K = _times(P.A, P.D)
    k = _row_sums(K)
    return {56: P.A @ k, 57: K @ P.d, 58: P.d * k}


def _split_cliques(P: _Products, links: Links) -> Homomorphisms:
    """Returns the 4-clique with a node on one of its edges."""
    W = links.common
    opposite = links.hub_sums(_row_sums(masked_product(W, P.C, W)))
    return {62: P.closed(P.D), 63: _row_sums(_times(P.C, P.D)), 64: opposite}


def _times(left: sparse.csr_array, right: sparse.csr_array) -> sparse.csr_array:
    return sparse.csr_array(left.multiply(right))


def _scaled(matrix: sparse.csr_array, columns: Counts) -> sparse.csr_array:
    scaled = matrix.copy()
    scaled.data = scaled.data * columns[scaled.indices]
    return scaled


def _row_sums(matrix: sparse.csr_array) -> Counts:
    return np.asarray(matrix.sum(axis=1), dtype=np.int64).ravel()
