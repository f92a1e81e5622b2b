"""Statistics of the degrees d_1, ..., d_N of one graph with M edges, all exact and O(N + M).

wedges = sum d (d - 1) / 2, claws = sum d (d - 1) (d - 2) / 6, Gini = 2 sum_i i d_(i) / (N 2 M) - (N + 1) / N with
ascending d_(i) and i from 1, entropy = -sum p ln p / ln N with p = d / 2 M.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from sbgd.evaluation.statistics.measurement import Measurement, undefined
from sbgd.graph import Graph

Ints = NDArray[np.int64]

POWER_LAW_XMIN = 3


def wedge_count(degrees: Ints) -> int:
    """Returns the number of paths of two edges, induced or not."""
    return int((degrees * (degrees - 1) // 2).sum())


def claw_count(degrees: Ints) -> int:
    """Returns the number of stars of three edges, induced or not, in integers of any size."""
    counts = np.bincount(degrees)
    return sum(int(count) * (d * (d - 1) * (d - 2) // 6) for d, count in enumerate(counts.tolist()) if count)


def gini(degrees: Ints) -> Measurement:
    """Returns the Gini coefficient of the degrees: 0 where all are equal, near 1 where few nodes have all edges."""
    total, num_nodes = int(degrees.sum()), len(degrees)
    if not total:
        return undefined("the graph has no edges")
    ranks = np.arange(1, num_nodes + 1)
    return Measurement(float(2 * (ranks @ np.sort(degrees)) / (num_nodes * total) - (num_nodes + 1) / num_nodes))


def degree_entropy(degrees: Ints) -> Measurement:
    """Returns the relative edge-distribution entropy, 1 where all degrees are equal; isolated nodes contribute 0.

    References:
        Kunegis and Preusse, 2012, "Fairness on the web", doi 10.1145/2380718.2380741.
    """
    if not degrees.any():
        return undefined("the graph has no edges")
    share = degrees[degrees > 0] / degrees.sum()
    return Measurement(float(-(share @ np.log(share)) / np.log(len(degrees))))


def power_law_exponent(degrees: Ints, *, xmin: int = POWER_LAW_XMIN) -> Measurement:
    """Returns the maximum-likelihood exponent alpha of p(d) = d^-alpha / zeta(alpha, xmin) over degrees d >= xmin.

    The lower end is fixed, not fitted: a fitted one jumps between samples of one law. The common approximation
    1 + n / sum ln(d / (xmin - 1/2)) is too low for xmin below 6 (2.63 against 2.70 on Cora) and not used.

    References:
        Clauset, Shalizi and Newman, 2009, arXiv:0706.1062, eq. 3.5.
    """
    tail = degrees[degrees >= xmin]
    if not len(tail):
        return undefined(f"no node has degree {xmin} or more")
    if tail.max() == xmin:
        return undefined(f"no node has a degree over {xmin}, so the exponent is infinite")
    mean_log = float(np.log(tail).mean())
    fit = optimize.minimize_scalar(
        lambda alpha: alpha * mean_log + np.log(special.zeta(alpha, xmin)), bounds=(1.0, 100.0), method="bounded"
    )
    return Measurement(float(fit.x))


def continuous_power_law_alpha(degrees: Ints) -> Measurement:
    """Returns 1 + n / sum ln(d / xmin) over the n degrees d >= xmin = max(smallest degree, 1).

    The exponent that papers print, that of a continuous law fitted to integers. It jumps with the smallest degree (3.1
    where that is 4, 1.5 where it is 1) and is for comparison with them; `power_law_exponent` is the estimate.

    References:
        Clauset, Shalizi and Newman, 2009, arXiv:0706.1062, eq. 3.1; Bojchevski et al., 2018, "NetGAN",
        arXiv:1803.00816.
    """
    xmin = max(int(degrees.min()), 1)
    tail = degrees[degrees >= xmin]
    if not len(tail):
        return undefined("the graph has no edges")
    if tail.max() == xmin:
        return undefined(f"no node has a degree over {xmin}, so the exponent is infinite")
    return Measurement(1 + len(tail) / float(np.log(tail / xmin).sum()))


def assortativity(graph: Graph) -> Measurement:
    """Returns the Pearson correlation of the degrees at both ends of an edge.

    References:
        Newman, 2002, "Assortative mixing in networks", arXiv:cond-mat/0205405.
    """
    if graph.num_edges == 0:
        return undefined("the graph has no edges")
    ends = graph.degrees[graph.edges].astype(float)
    if ends.min() == ends.max():
        return undefined("all edges join nodes of one degree")
    centred = ends - ends.mean()
    return Measurement(float(2 * (centred[:, 0] @ centred[:, 1]) / (centred**2).sum()))
