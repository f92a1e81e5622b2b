"""Distributions of two sets of graphs, and their distances with all that these are to be read by, as plots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.graph_set import GraphSet
from sbgd.evaluation.report.picture import INK, SET_COLOURS, Picture, figure_picture
from sbgd.evaluation.result import EvaluationResult
from sbgd.evaluation.statistics.spectrum import mean_density, spectral_density
from sbgd.graph import Graph

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_SPECTRA = 100
"""Most graphs a set whose spectra are averaged, the first ones."""
MAX_EXACT_NODES = 500
"""Largest graph whose spectrum is computed for a plot; of larger ones it is estimated."""

_BINS = 50
_LOWEST = 1e-5
"""Smallest MMD^2 on the logarithmic axis."""


def distribution_plots(generated: Sequence[Graph], reference: Sequence[Graph], *, seed: int = 0) -> list[Picture]:
    """Returns degree and clustering distributions of all nodes, and the mean spectral density."""
    sets = {"reference": GraphSet.of(reference), "generated": GraphSet.of(generated)}
    return [_degrees(sets), _clustering(sets), _spectra(sets, seed)]


def mmd_plot(result: EvaluationResult) -> Picture | None:
    """Draws every squared MMD with its interval, floor, training value and baselines; None where there is none."""
    rows = {name: row for name, row in result.metrics.mmd.items() if row.value is not None}
    if not rows:
        return None
    figure, axes = _axes(width=5.6, height=0.9 + 0.42 * len(rows))
    baselines = {name: comparison.mmd for name, comparison in result.baselines.items()}
    for line, (name, row) in enumerate(reversed(rows.items())):
        others = [found[name].value for found in baselines.values() if name in found]
        drawn: dict[str, tuple[str, list[float | None], int, float]] = {
            "baseline": ("|", [value for value in others if value is not None], 9, 1.2),
            "floor": ("v", [] if row.floor is None else [row.floor], 5, 1.0),
            "training graphs": ("D", [] if row.train_test is None else [row.train_test], 5, 1.0),
            "generated": ("o", [row.value], 7, 1.0),
        }
        if row.interval is not None:
            low, high = (max(end, _LOWEST) for end in row.interval)
            axes.plot([low, high], [line, line], color=SET_COLOURS["generated"], linewidth=2.2, alpha=0.5)
        for what, (marker, values, size, width) in drawn.items():
            colour = {"generated": SET_COLOURS["generated"], "training graphs": SET_COLOURS["reference"]}.get(what, INK)
            face = "none" if what == "floor" else colour
            axes.plot(
                np.maximum(np.array(values, dtype=np.float64), _LOWEST), [line] * len(values), marker,
                label=what if line == 0 else None, color=colour, markersize=size, markeredgewidth=width,
                markerfacecolor=face,
            )  # fmt: skip
    axes.set(xscale="log", yticks=range(len(rows)), xlabel="squared MMD, smaller is better")
    axes.set_yticklabels([*reversed(rows)])
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.grid(axis="x", color=INK, alpha=0.15, linewidth=0.6)
    axes.legend(
        frameon=False, fontsize=8, labelcolor=INK, ncols=4, loc="lower left", bbox_to_anchor=(-0.02, 1.0),
        handletextpad=0.2, columnspacing=1.0,
    )  # fmt: skip
    alt = "Squared MMD by metric, a logarithmic axis: " + ", ".join(
        f"{name} {row.value:.2g}" for name, row in rows.items() if row.value is not None
    )
    return figure_picture("Distances", alt, figure, "mmd")


def _degrees(sets: dict[str, GraphSet]) -> Picture:
    """Shares of nodes of at least a degree, logarithmic: a histogram of hubs is mostly noise."""
    figure, axes = _axes()
    for name, graphs in sets.items():
        degrees, counts = np.unique(graphs.union.degrees, return_counts=True)
        shares = 1 - (np.cumsum(counts) - counts) / max(int(counts.sum()), 1)
        axes.step(degrees, shares, where="pre", **_line(name))
    if all(graphs.union.degrees.max(initial=0) > 0 for graphs in sets.values()):
        axes.set_xscale("symlog", linthresh=1)
        axes.set_yscale("log")
    axes.set(xlabel="degree d", ylabel="share of nodes with degree ≥ d")
    _legend(axes)
    means = _each(sets, lambda graphs: graphs.union.degrees.astype(np.float64))
    return figure_picture("Degrees", f"Degree of a node, complementary cumulative shares. {means}", figure, "degrees")


def _clustering(sets: dict[str, GraphSet]) -> Picture:
    values = {name: graphs.local_clustering for name, graphs in sets.items()}
    shares = {
        name: np.histogram(np.clip(sample, 0, 1), bins=25, range=(0.0, 1.0))[0] / max(len(sample), 1)
        for name, sample in values.items()
    }
    figure = _histogram(np.linspace(0, 1, 26), shares, "local clustering of a node")
    means = _each(sets, lambda graphs: graphs.local_clustering)
    return figure_picture("Local clustering", f"Local clustering of a node. {means}", figure, "clustering")


def _spectra(sets: dict[str, GraphSet], seed: int) -> Picture:
    shares = {}
    for name, graphs in sets.items():
        chosen = [graph for graph in graphs[:MAX_SPECTRA] if graph.num_nodes]
        generator = np.random.default_rng([seed, 7])
        densities = [
            spectral_density(graph, bins=_BINS, max_exact_nodes=MAX_EXACT_NODES, generator=generator)
            for graph in chosen
        ]
        shares[name] = mean_density(densities).histogram
    figure = _histogram(np.linspace(0, 2, _BINS + 1), shares, "eigenvalue of the normalised Laplacian")
    exact = all(graph.num_nodes <= MAX_EXACT_NODES for graphs in sets.values() for graph in graphs[:MAX_SPECTRA])
    how = "exact" if exact else "estimated from Chebyshev moments where a graph is large"
    alt = f"Eigenvalues of the normalised Laplacian, the mean over graphs, {how}"
    return figure_picture("Spectra", alt, figure, "spectra")


def _histogram(edges: NDArray[np.float64], shares: dict[str, NDArray[np.float64]], label: str) -> Figure:
    figure, axes = _axes()
    for name, heights in shares.items():
        axes.stairs(heights, edges, **_line(name))
    axes.set(xlabel=label, ylabel="share", ylim=(0, None))
    _legend(axes)
    return figure


def _axes(width: float = 4.2, height: float = 2.9) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(INK)
    axes.tick_params(which="both", colors=INK, labelsize=9)
    axes.xaxis.label.set_color(INK)
    axes.yaxis.label.set_color(INK)
    return figure, axes


def _line(name: str) -> dict[str, Any]:
    style = "-" if name == "reference" else (0, (5, 1.2))
    return {"label": name, "color": SET_COLOURS[name], "linewidth": 1.8, "linestyle": style}


def _legend(axes: Axes) -> None:
    axes.legend(frameon=False, fontsize=9, labelcolor=INK)


def _each(sets: dict[str, GraphSet], values: Callable[[GraphSet], NDArray[Any]]) -> str:
    parts = []
    for name, graphs in sets.items():
        found = values(graphs)
        parts.append(f"{name}: mean {found.mean():.3g}, largest {found.max():.3g}" if len(found) else f"{name}: none")
    return "; ".join(parts)
