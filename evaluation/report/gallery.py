"""Which graphs of two sets are drawn, and how: small ones side by side, the largest of each set by its blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sbgd.evaluation.report.adjacency import adjacency_picture
from sbgd.evaluation.report.cut_graph import CutGraph
from sbgd.evaluation.report.drawing import MAX_DRAWN_NODES, graph_drawing, inner_densities, quotient_drawing
from sbgd.evaluation.report.palette import DENSITIES, density_colour
from sbgd.evaluation.report.picture import Picture
from sbgd.evaluation.report.shown_set import ShownSet, matched

NUM_PAIRS = 4
MAX_NODES_OF_ALL = 4 * MAX_DRAWN_NODES
"""Most nodes of all drawings together, so that a page stays small."""
MIN_BLOCKS = 3
"""Fewer blocks make no picture."""
MIN_SCALE_NODES = 8
"""Smallest block whose density counts for the range of colours."""


@dataclass(frozen=True)
class Pair:
    """A reference graph and a generated one.

    Attributes:
        title: Which they are.
        drawings: Of the reference graph and of the generated one.
        adjacencies: The same as matrices.
    """

    title: str
    drawings: tuple[Picture, Picture]
    adjacencies: tuple[Picture, Picture]


@dataclass(frozen=True)
class BlockView:
    """The largest graph of both sets by its blocks.

    Attributes:
        drawings: Of the reference graph and of the generated one.
        adjacencies: The same as matrices, where these stand nowhere else on the page.
        legend: Colour and range of density of every step.
    """

    drawings: tuple[Picture, Picture]
    adjacencies: tuple[Picture, ...]
    legend: tuple[tuple[str, str], ...]


def graph_pairs(generated: ShownSet, reference: ShownSet, *, seed: int = 0) -> list[Pair]:
    """Returns the first generated graphs beside reference graphs of their size; none if a graph is too large."""
    pairs = []
    for number, other in matched(generated, reference, most=NUM_PAIRS, max_nodes=MAX_NODES_OF_ALL):
        if max(generated.graphs[number].num_nodes, reference.graphs[other].num_nodes) > MAX_DRAWN_NODES:
            continue
        left, right = reference.cut(other), generated.cut(number)
        names = f"reference graph {other}", f"generated graph {number}"
        pairs.append(
            Pair(
                f"Reference graph {other} and generated graph {number}",
                (graph_drawing(names[0], left, seed=seed), graph_drawing(names[1], right, seed=seed)),
                (adjacency_picture(names[0], left), adjacency_picture(names[1], right)),
            )
        )
    return pairs


def block_view(generated: ShownSet, reference: ShownSet, *, with_adjacency: bool, seed: int = 0) -> BlockView | None:
    """Returns the largest graph of each set by its blocks; None where both have fewer than `MIN_BLOCKS`."""
    left, right = reference.cut(reference.largest), generated.cut(generated.largest)
    if max(left.num_blocks, right.num_blocks) < MIN_BLOCKS and not with_adjacency:
        return None
    scale = _scale(left, right)
    names = f"reference graph {reference.largest}", f"generated graph {generated.largest}"
    return BlockView(
        (
            quotient_drawing(names[0], left, scale=scale, seed=seed),
            quotient_drawing(names[1], right, scale=scale, seed=seed),
        ),
        (adjacency_picture(names[0], left), adjacency_picture(names[1], right)) if with_adjacency else (),
        _legend(scale),
    )


def _scale(*cuts: CutGraph) -> tuple[float, float]:
    """Returns the densities that colours reach from and to: small blocks, where one edge is much, do not set them."""
    densities = np.concatenate([inner_densities(cut)[cut.counts.sizes >= MIN_SCALE_NODES] for cut in cuts])
    return (float(densities.min()), float(densities.max())) if len(densities) else (0.0, 1.0)


def _legend(scale: tuple[float, float]) -> tuple[tuple[str, str], ...]:
    steps = len(DENSITIES["light"])
    ends = np.linspace(*scale, steps + 1).tolist()
    return tuple((density_colour(step), f"{ends[step]:.2g} to {ends[step + 1]:.2g}") for step in range(steps))
