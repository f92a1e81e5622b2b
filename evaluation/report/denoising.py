"""The denoising of one block as a strip of pictures: its noisy state, and what the network sees in it, time by time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.evaluation.report.cut_graph import CutGraph
from sbgd.evaluation.report.drawing import edge_shapes, node_shapes
from sbgd.evaluation.report.layout import node_layout
from sbgd.evaluation.report.palette import INK, SETS, Scheme, rgb
from sbgd.evaluation.report.picture import RGBA, Picture, cell_picture, svg_picture
from sbgd.graph import Graph

Floats = NDArray[np.float64]

NUM_FRAMES = 8
_LEVELS = 32
_WEAKEST = 0.02
"""Edges of less weight are not drawn."""


@dataclass(frozen=True, eq=False)
class DenoisingStrip:
    """The path of one block from noise to a graph.

    Attributes:
        caption: Which block this is, and how it was denoised.
        times: Times of the steps, decreasing from 1, (s,).
        states: Weight in [0, 1] of every edge in the state at each time, (s, n, n).
        estimates: Probability of every edge that the network sees in that state, (s, n, n).
        block: The block that comes out, symmetric with entries 0 and 1, (n, n).
    """

    caption: str
    times: Floats
    states: Floats
    estimates: Floats
    block: Floats

    def __post_init__(self) -> None:
        frames, size = len(self.times), len(self.block)
        shapes = [self.states.shape, self.estimates.shape, self.block.shape]
        if shapes != [(frames, size, size)] * 2 + [(size, size)]:
            raise InputError(f"expected {frames} states and estimates of one block, got shapes {shapes}")


@dataclass(frozen=True)
class Frame:
    """One time of a strip.

    Attributes:
        label: The time.
        state: Drawing of the state.
        estimate: The network's probabilities as a matrix; None at the end, where nothing is left to be estimated.
    """

    label: str
    state: Picture
    estimate: Picture | None


def strip_frames(strip: DenoisingStrip, *, num_frames: int = NUM_FRAMES, seed: int = 0) -> list[Frame]:
    """Returns frames at evenly spread steps, the last one the block that came out; nodes keep their places."""
    edges = np.argwhere(np.triu(strip.block > 0.5, 1)).astype(np.int64)
    size = len(strip.block)
    at = node_layout(CutGraph(Graph(size, edges), np.zeros(size, np.int64)), seed=seed)
    steps = np.unique(np.linspace(0, len(strip.times) - 1, num_frames - 1).round().astype(np.int64))
    frames = []
    for step in steps.tolist():
        label = f"t = {strip.times[step]:.2f}"
        drawing = _drawing(f"state at {label}", at, strip.states[step])
        expected = np.triu(strip.estimates[step], 1).sum()
        alt = f"edge probabilities at {label}, {expected:.1f} edges expected"
        estimate = cell_picture("estimate", alt, _cells(strip.estimates[step]), _colours)
        frames.append(Frame(label, drawing, replace(estimate, caption=f"{expected:.0f} expected")))
    return [*frames, Frame("t = 0", _drawing("the block that came out", at, strip.block), None)]


def _drawing(what: str, at: Floats, weights: Floats) -> Picture:
    """Draws edges by weight, in four classes of opacity."""
    upper = np.triu(weights, 1)
    shapes = []
    for low, high, opacity in ((0.75, 2.0, 0.8), (0.5, 0.75, 0.5), (0.25, 0.5, 0.28), (_WEAKEST, 0.25, 0.1)):
        shapes.append(edge_shapes(at, np.argwhere((upper > low) & (upper <= high)), opacity))
    edges = f"{int((upper > 0.5).sum())} edges"
    drawn = svg_picture("state", f"{what}, {edges}", [*shapes, node_shapes(at, "var(--generated)")])
    return replace(drawn, caption=edges)


def _cells(probabilities: Floats) -> NDArray[np.uint8]:
    return np.rint((_LEVELS - 1) * np.clip(probabilities, 0, 1)).astype(np.uint8)


def _colours(scheme: Scheme) -> Sequence[RGBA]:
    """Returns the ink of the page at rising opacity, faint where there is nothing, so that the square shows."""
    hue = rgb(SETS[scheme]["generated"])
    return [(*rgb(INK[scheme]), 14), *[(*hue, int(30 + 225 * level / (_LEVELS - 1))) for level in range(1, _LEVELS)]]
