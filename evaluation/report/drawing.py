"""Drawings of small graphs, nodes and edges in the colour of their block, and of large ones by their blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.report.cut_graph import CutGraph
from sbgd.evaluation.report.layout import block_layout, node_layout
from sbgd.evaluation.report.palette import DENSITIES, NUM_HUES, block_colour, density_colour
from sbgd.evaluation.report.picture import Picture, svg_picture

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MAX_DRAWN_NODES = 2000
"""Largest graph that is drawn node by node."""
MAX_DRAWN_PAIRS = 3000
"""Most joined pairs of blocks in a drawing, those with most edges."""

_WIDTH_CLASSES = 6


def graph_drawing(title: str, cut: CutGraph, *, seed: int = 0) -> Picture:
    """Draws a graph of at most `MAX_DRAWN_NODES` nodes: edges inside a block have its hue, others are grey."""
    graph = cut.graph
    alt = f"{_count(graph.num_nodes, 'node')}, {_count(graph.num_edges, 'edge')}, {_count(cut.num_blocks, 'block')}"
    at = _points(node_layout(cut, seed=seed))
    hue = cut.hues[cut.blocks]
    left, right = graph.edges.T
    inside = cut.blocks[left] == cut.blocks[right]
    radius = float(np.clip(330 / np.sqrt(max(graph.num_nodes, 1)), 9, 44))
    width = float(np.clip(radius / 5, 2.5, 6))
    shapes = [_lines(at, graph.edges[~inside], "currentColor", width, 0.35)]
    for number in range(NUM_HUES):
        chosen = graph.edges[inside & (hue[left] == number)]
        shapes.append(_lines(at, chosen, block_colour(number), width * 1.2, 0.6))
    # a rim in the colour of the ground parts the nodes from the edges under them
    shapes.append(_dots(at, "var(--ground)", radius * 1.3))
    shapes += [_dots(at[hue == number], block_colour(number), radius) for number in range(NUM_HUES)]
    return svg_picture(title, alt, shapes)


def quotient_drawing(title: str, cut: CutGraph, *, scale: tuple[float, float], seed: int = 0) -> Picture:
    """Draws the graph of blocks: area of a circle by nodes, colour by density inside, width of a line by edges between.

    Args:
        title: What stands above it.
        cut: The graph.
        scale: Densities at which the first colour starts and the last one ends, so that several drawings share them.
        seed: Seed of the places.
    """
    counts = cut.counts
    alt = (
        f"{_count(cut.graph.num_nodes, 'node')} in {_count(cut.num_blocks, 'block')}, "
        f"{_count(len(counts.pairs), 'pair')} of them joined by {_count(int(counts.between.sum()), 'edge')}"
    )
    if len(counts.pairs) > MAX_DRAWN_PAIRS:
        alt += f"; the {MAX_DRAWN_PAIRS:,} pairs with most edges are drawn"
    # the circles together cover about a sixth of the square
    radius = np.clip(460 * np.sqrt(counts.sizes / max(cut.graph.num_nodes, 1)), 5, 160)
    at = _points(block_layout(cut, seed=seed) * (1 - float(radius.max(initial=0)) / 1000))
    steps = density_steps(inner_densities(cut), scale)
    circles = [
        f'<circle cx="{x}" cy="{y}" r="{r:.0f}" fill="{density_colour(step)}" stroke="var(--ground)" stroke-width="4"'
        f"><title>{_count(nodes, 'node')}, {_count(edges, 'edge')} inside</title></circle>"
        for (x, y), r, step, nodes, edges in zip(
            at.tolist(), radius, steps.tolist(), counts.sizes.tolist(), counts.inner.tolist(), strict=True
        )
    ]
    return svg_picture(title, alt, [*_links(at, counts.pairs, counts.between), *circles])


def inner_densities(cut: CutGraph) -> Floats:
    """Returns 2 m_i / (n_i (n_i - 1)) of every block, 0 for a single node, float64 (k,)."""
    capacities, _ = cut.counts.capacities
    return np.asarray(cut.counts.inner / np.maximum(capacities, 1), dtype=np.float64)


def density_steps(densities: Floats, scale: tuple[float, float]) -> Ints:
    """Returns the colour step of densities, equal steps from the first to the second density, int64."""
    number, (low, high) = len(DENSITIES["light"]), scale
    return np.clip((densities - low) / max(high - low, 1e-9) * number, 0, number - 1).astype(np.int64)


def _links(at: Ints, pairs: Ints, between: Ints) -> list[str]:
    """Returns the lines between blocks, in classes of width so that a class is one path."""
    strongest = np.argsort(-between, kind="stable")[:MAX_DRAWN_PAIRS]
    pairs, size = pairs[strongest], np.sqrt(between[strongest] / max(int(between.max(initial=1)), 1))
    step = np.minimum((size * _WIDTH_CLASSES).astype(np.int64), _WIDTH_CLASSES - 1)
    return [
        _lines(at, pairs[step == number], "currentColor", 2.5 + 4 * number, 0.18 + 0.04 * number)
        for number in range(_WIDTH_CLASSES)
    ]


def _points(places: Floats) -> Ints:
    return np.rint(1000 * places).astype(np.int64)


def _lines(at: Ints, edges: Ints, colour: str, width: float, opacity: float) -> str:
    """Returns all edges as one path: an element for each would make pages of megabytes."""
    if not len(edges):
        return ""
    start, step = at[edges[:, 0]], at[edges[:, 1]] - at[edges[:, 0]]
    path = "".join(f"M{x} {y}l{dx} {dy}" for (x, y), (dx, dy) in zip(start.tolist(), step.tolist(), strict=True))
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width:.3g}" stroke-opacity="{opacity:.2g}"/>'


def _dots(at: Ints, colour: str, radius: float) -> str:
    """Returns all nodes as one path of lines of no length with round ends."""
    if not len(at):
        return ""
    path = "".join(f"M{x} {y}h0" for x, y in at.tolist())
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{2 * radius:.3g}" stroke-linecap="round"/>'


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def edge_shapes(at: Floats, pairs: Sequence[tuple[int, int]] | Ints, opacity: float) -> str:
    """Returns edges between given places (n, 2) as one grey path."""
    return _lines(_points(at), np.asarray(pairs, dtype=np.int64).reshape(-1, 2), "currentColor", 14, opacity)


def node_shapes(at: Floats, colour: str) -> str:
    """Returns nodes at given places (n, 2) as one path."""
    return _dots(_points(at), colour, 52)
