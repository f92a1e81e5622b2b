"""Pictures of two sets of graphs as SVG text: pooled distributions, and the first graphs of both drawn side by side."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.graph_set import GraphSet
from sbgd.graph import Graph

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

REFERENCE_COLOUR = "#4477aa"
GENERATED_COLOUR = "#cc6677"
"""A pair that colour-blind readers tell apart, Paul Tol's, on light and dark ground."""

MAX_SPECTRUM_NODES = 1500
MAX_DRAWN_NODES = 300
NUM_DRAWN = 4

_INK = "#123456"
"""Stands for the colour of the text around the picture, which the page sets."""


@dataclass(frozen=True)
class Picture:
    """A figure.

    Attributes:
        title: What it shows, for readers who do not see it.
        svg: An svg element whose lines and letters have the colour of the text around it.
    """

    title: str
    svg: str


def pictures(generated: Sequence[Graph], reference: Sequence[Graph]) -> list[Picture]:
    """Returns degree, clustering and, for small graphs, spectrum distributions, and drawings of small graphs."""
    sets = {"reference": GraphSet(reference), "generated": GraphSet(generated)}
    found = [_degrees(sets), _clustering(sets)]
    if all(graphs.sizes.max(initial=0) <= MAX_SPECTRUM_NODES for graphs in sets.values()):
        found.append(_spectra(sets))
    if all(graphs.sizes.max(initial=0) <= MAX_DRAWN_NODES for graphs in sets.values()):
        found.append(_drawings(sets))
    return found


def _degrees(sets: dict[str, GraphSet]) -> Picture:
    """Shares of nodes of at least a degree, logarithmic: a histogram of hubs is mostly noise."""
    figure, axes = _axes()
    for name, graphs in sets.items():
        degrees = np.sort(graphs.union.degrees)
        axes.step(degrees, 1 - np.arange(len(degrees)) / max(len(degrees), 1), where="pre", **_line(name))
    if all(graphs.union.degrees.max(initial=0) > 0 for graphs in sets.values()):
        axes.set_xscale("symlog", linthresh=1)
        axes.set_yscale("log")
    axes.set(xlabel="degree d", ylabel="share of nodes with degree at least d")
    return _picture("Degrees", figure, axes)


def _clustering(sets: dict[str, GraphSet]) -> Picture:
    return _histogram(
        "Local clustering", {name: graphs.local_clustering for name, graphs in sets.items()}, (0.0, 1.0), 25
    )


def _spectra(sets: dict[str, GraphSet]) -> Picture:
    values = {name: np.concatenate([np.zeros(0), *graphs.spectra]) for name, graphs in sets.items()}
    return _histogram("Eigenvalues of the normalised Laplacian", values, (0.0, 2.0), 50)


def _histogram(title: str, values: dict[str, NDArray[np.float64]], ends: tuple[float, float], bins: int) -> Picture:
    figure, axes = _axes()
    for name, sample in values.items():
        counts, edges = np.histogram(np.clip(sample, *ends), bins=bins, range=ends)
        axes.stairs(counts / max(len(sample), 1), edges, **_line(name))
    axes.set(xlabel=title[0].lower() + title[1:], ylabel="share")
    return _picture(title, figure, axes)


def _drawings(sets: dict[str, GraphSet]) -> Picture:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4), layout="constrained")
    grid = figure.subplots(2, NUM_DRAWN, squeeze=False)
    for row, (name, graphs) in zip(grid, sets.items(), strict=True):
        for column, axes in enumerate(row):
            axes.set_axis_off()
            if column < len(graphs):
                _draw(axes, graphs[column], REFERENCE_COLOUR if name == "reference" else GENERATED_COLOUR)
        row[0].set_title(f"{name}, the first {min(NUM_DRAWN, len(graphs))}", loc="left", fontsize=9, color=_INK)
    return Picture("The first graphs of both sets", _svg(figure))


def _draw(axes: Axes, graph: Graph, colour: str) -> None:
    drawn = graph.replace(features=None, labels=None, node_ids=None).to_networkx()
    places = nx.spring_layout(drawn, seed=0)
    at = np.array([places[node] for node in range(graph.num_nodes)]).reshape(-1, 2)
    # one line with gaps: a line for every edge makes the page a megabyte
    lines = np.full((graph.num_edges, 3, 2), np.nan)
    lines[:, :2] = at[graph.edges]
    axes.plot(*lines.reshape(-1, 2).T, color=_INK, linewidth=0.4, alpha=0.6)
    axes.scatter(at[:, 0], at[:, 1], s=7, color=colour, zorder=3)


def _axes() -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.2, 3), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(_INK)
    axes.tick_params(which="both", colors=_INK)
    axes.xaxis.label.set_color(_INK)
    axes.yaxis.label.set_color(_INK)
    return figure, axes


def _line(name: str) -> dict[str, Any]:
    return {"label": name, "color": REFERENCE_COLOUR if name == "reference" else GENERATED_COLOUR}


def _picture(title: str, figure: Figure, axes: Axes) -> Picture:
    axes.set_title(title, fontsize=10, loc="left", color=_INK)
    axes.legend(frameon=False, fontsize=8, labelcolor=_INK)
    return Picture(title, _svg(figure))


def _svg(figure: Figure) -> str:
    """Returns the svg element, the same for the same figure, without the lines that only a file of its own needs."""
    from matplotlib import rc_context

    file = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "sbgd"}):
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    document = file.getvalue()
    return document[document.index("<svg") :].replace(_INK, "currentColor")
