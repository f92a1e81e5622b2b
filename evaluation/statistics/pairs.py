"""Distances between two graphs or sets of graphs: laws of degrees and of joint degrees, spectra, edges.

Laws are taken over the nodes or edges of all graphs of a set together. With F_1, F_2 their distribution functions over
degrees, EMD = sum_d |F_1(d) - F_2(d)| in degrees and KS = max_d |F_1(d) - F_2(d)|.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import integrate

from sbgd.evaluation.distances import Distance, EarthMovers, TotalVariation, padded
from sbgd.evaluation.statistics.measurement import Measurement, undefined
from sbgd.evaluation.statistics.spectrum import SpectralDensity, mean_density, spectral_density
from sbgd.graph import Graph

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def degree_tv(generated: Sequence[Graph], reference: Sequence[Graph]) -> Measurement:
    """Returns the total variation between the degree distributions of two sets, nodes of all graphs pooled."""
    return _between_degrees(generated, reference, TotalVariation())


def degree_emd(generated: Sequence[Graph], reference: Sequence[Graph]) -> Measurement:
    """Returns the earth mover's (Wasserstein-1) distance between the pooled degree distributions, in degrees."""
    return _between_degrees(generated, reference, EarthMovers())


def degree_ks(generated: Sequence[Graph], reference: Sequence[Graph]) -> Measurement:
    """Returns the Kolmogorov-Smirnov distance between the pooled degree distributions."""
    return _between_degrees(generated, reference, _kolmogorov_smirnov)


def joint_degree_tv(generated: Sequence[Graph], reference: Sequence[Graph]) -> Measurement:
    """Returns the total variation between the laws of the degrees (d_u, d_v) at both ends of an edge.

    Near 1 for graphs with many degrees, of which few pairs occur twice; `joint_degree_log_tv` is for those.
    """
    return _between_joint_degrees(generated, reference, lambda degrees: degrees)


def joint_degree_log_tv(generated: Sequence[Graph], reference: Sequence[Graph]) -> Measurement:
    """Returns `joint_degree_tv` of the degrees in bins [2^k, 2^(k+1))."""
    # frexp is exact where log2 may round a power of two down
    return _between_joint_degrees(generated, reference, lambda degrees: np.frexp(degrees)[1].astype(np.int64))


def spectral_distance(generated: Sequence[Graph], reference: Sequence[Graph], *, seed: int = 0) -> Measurement:
    """Returns the Wasserstein-1 distance between the mean spectral densities of normalised Laplacians on [0, 2].

    Exact up to the width of a bin, 1/100, where no graph has over 1500 nodes; the densities of larger ones are
    estimates smoothed over about 0.016, and the spread is how far two estimates of one law are apart.
    """
    if not any(graph.num_nodes for graph in generated) or not any(graph.num_nodes for graph in reference):
        return undefined("a set has no nodes")
    # one seed for both, so that a set is at distance 0 from itself
    ours, theirs = (_density(graphs, seed) for graphs in (generated, reference))
    value = float(integrate.trapezoid(np.abs(ours.cumulative - theirs.cumulative), ours.edges))
    errors = [density.standard_error for density in (ours, theirs) if density.standard_error is not None]
    spread = float(integrate.trapezoid(np.sqrt(np.sum(np.square(errors), axis=0)), ours.edges)) if errors else None
    return Measurement(value, spread=spread)


def edge_overlap(generated: Sequence[Graph], reference: Sequence[Graph]) -> Measurement:
    """Returns the share of the reference's edges that are edges between the same nodes of the generated graph.

    References:
        Bojchevski et al., 2018, "NetGAN", arXiv:1803.00816.
    """
    shared = shared_edges(generated, reference)
    if isinstance(shared, Measurement):
        return shared
    if not reference[0].num_edges:
        return undefined("the reference has no edges")
    return Measurement(shared / reference[0].num_edges)


def shared_edges(generated: Sequence[Graph], reference: Sequence[Graph]) -> int | Measurement:
    """Returns the number of edges between the same nodes in both graphs, or why it is undefined."""
    if len(generated) != 1 or len(reference) != 1:
        return undefined("edges are compared between one graph and another, not between sets")
    num_nodes = reference[0].num_nodes
    if generated[0].num_nodes != num_nodes:
        return undefined(f"the graphs have {generated[0].num_nodes} and {num_nodes} nodes, so they are not the same")
    ours, theirs = (graph.edges[:, 0] * num_nodes + graph.edges[:, 1] for graph in (generated[0], reference[0]))
    return len(np.intersect1d(ours, theirs, assume_unique=True))


def _between_degrees(
    generated: Sequence[Graph], reference: Sequence[Graph], distance: Distance | Callable[[Floats, Floats], Floats]
) -> Measurement:
    if not any(graph.num_nodes for graph in generated) or not any(graph.num_nodes for graph in reference):
        return undefined("a set has no nodes")
    return Measurement(float(distance(_degree_law(generated), _degree_law(reference))[0, 0]))


def _degree_law(graphs: Sequence[Graph]) -> Floats:
    counts = np.bincount(np.concatenate([graph.degrees for graph in graphs]))
    return (counts / counts.sum())[None, :]


def _kolmogorov_smirnov(x: Floats, y: Floats) -> Floats:
    x, y = padded(x, y)
    return np.abs(np.cumsum(x - y, axis=1)).max(axis=1, keepdims=True)


def _between_joint_degrees(
    generated: Sequence[Graph], reference: Sequence[Graph], binned: Callable[[Ints], Ints]
) -> Measurement:
    pairs = [_joint_degrees(graphs, binned) for graphs in (generated, reference)]
    if not len(pairs[0]) or not len(pairs[1]):
        return undefined("a set has no edges")
    ends = np.concatenate(pairs)
    _, cells = np.unique(ends[:, 0] * (ends.max() + 1) + ends[:, 1], return_inverse=True)
    counts = [np.bincount(part, minlength=cells.max() + 1) for part in np.split(cells, [len(pairs[0])])]
    return Measurement(float(np.abs(counts[0] / len(pairs[0]) - counts[1] / len(pairs[1])).sum() / 2))


def _joint_degrees(graphs: Sequence[Graph], binned: Callable[[Ints], Ints]) -> Ints:
    """Returns the degrees at both ends of every edge, the lower one first, (sum of M, 2)."""
    ends = [binned(graph.degrees)[graph.edges] for graph in graphs]
    return np.sort(np.concatenate([np.zeros((0, 2), dtype=np.int64), *ends]), axis=1)


def _density(graphs: Sequence[Graph], seed: int) -> SpectralDensity:
    generator = np.random.default_rng(seed)
    return mean_density([spectral_density(graph, generator=generator) for graph in graphs if graph.num_nodes])
