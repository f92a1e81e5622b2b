"""Exact convergence curves of score-based feature generation on regular and power-law graphs, with written conclusions.

    python scripts/convergence_study.py --out runs/convergence          the whole study, some minutes
    python scripts/convergence_study.py --out runs/convergence --quick  smaller graphs, under a minute

Features X | A ~ N(0, (I + M)^2 + 0.1 I) are one sum-aggregation layer on white noise, M the normalised adjacency S or
the adjacency A. Every number is exact for its graph (`sbgd.theory`); bars are the standard deviation over random
graphs. Written are `curves.csv` with all figures, a PNG and an SVG per study, and `conclusions.md`, whose numbers are
computed from the same rows. The relative W2 is W2 / sqrt(trace Sigma); the CSV has total KL and W2 as well as figures
per dimension, that is per N F, and the parts of every figure.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator
from numpy.typing import NDArray

from sbgd.graph import Graph
from sbgd.theory import (
    SDES,
    SOLVERS,
    Candidates,
    ErrorCurve,
    ExactError,
    FilterCovariance,
    GaussianFeatureModel,
    GraphMatrix,
    PowerGrid,
    Sampler,
    ScoreError,
    exact_error,
    exact_spectrum,
    path_bound,
    power_law_graph,
    regular_graph,
)
from sbgd.theory.search import Search
from sbgd.theory.spectrum import Spectrum

FEATURES, MEAN_DEGREE, EXPONENT = 50, 10, 2.5
COVARIANCE = FilterCovariance((1.0, 1.0), noise=0.1)
FAMILIES = ("regular", "power law")
MATRICES: dict[str, GraphMatrix] = {"S": "normalised", "A": "adjacency"}
LABELS = {"relative_w2": "W2 / sqrt(trace)", "kl": "total KL (nats)", "kl_per_dimension": "KL per dimension (nats)"}
STEPS = (10, 20, 50, 100, 200, 500, 1000)
TARGET = 0.02
MARKERS = "osv^DxP*"
SCORE_ERRORS = {
    "exact score": ScoreError(),
    "relative 0.02": ScoreError(relative=0.02),
    "offset 0.02": ScoreError(offset=0.02),
    "noise 0.2": ScoreError(noise=0.2),
}
Row = dict[str, float]


@dataclass(frozen=True)
class Settings:
    """Sizes of the study.

    Attributes:
        sizes: Numbers of nodes.
        size: Number of nodes where it is fixed.
        num_graphs: Random graphs per point, over which means and spreads are taken.
    """

    sizes: tuple[int, ...] = (50, 100, 200, 500, 1000, 2000)
    size: int = 1000
    num_graphs: int = 5

    @classmethod
    def quick(cls) -> Settings:
        """Returns sizes for a first look."""
        return cls(sizes=(50, 100, 200, 400), size=400, num_graphs=3)


@dataclass(frozen=True)
class Series:
    """One curve: at every value of the variable, the figures of one or more repetitions.

    Attributes:
        label: Name in legend and CSV.
        variable: Name of the variable.
        runs: One list of rows a repetition, all over the same values.
    """

    label: str
    variable: str
    runs: tuple[list[Row], ...]

    def values(self) -> NDArray[np.float64]:
        """Returns the values of the variable, (n,)."""
        return np.array([row[self.variable] for row in self.runs[0]])

    def mean(self, figure: str) -> NDArray[np.float64]:
        """Returns the mean over repetitions, (n,)."""
        return self._stacked(figure).mean(axis=0)

    def spread(self, figure: str) -> NDArray[np.float64]:
        """Returns the standard deviation over repetitions, (n,)."""
        return self._stacked(figure).std(axis=0)

    def first(self, figure: str) -> float:
        """Returns the mean at the first value."""
        return float(self.mean(figure)[0])

    def last(self, figure: str) -> float:
        """Returns the mean at the last value."""
        return float(self.mean(figure)[-1])

    def growth(self, figure: str) -> float:
        """Returns last over first mean."""
        return self.last(figure) / self.first(figure)

    def exponent(self, figure: str) -> float:
        """Returns the least-squares slope of ln figure against ln value."""
        return float(np.polyfit(np.log(self.values()), np.log(self.mean(figure)), 1)[0])

    def _stacked(self, figure: str) -> NDArray[np.float64]:
        return np.array([[row[figure] for row in run] for run in self.runs])


@dataclass(frozen=True)
class Study:
    """Curves over one variable and what they say.

    Attributes:
        name: Name of the files.
        title: Title of the figure.
        panels: Figures to draw, one panel each.
        series: The curves.
        conclusions: Sentences computed from the curves.
    """

    name: str
    title: str
    panels: tuple[str, ...]
    series: tuple[Series, ...]
    conclusions: tuple[str, ...]


def main() -> int:
    """Runs all studies and writes them; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("runs/convergence"), help="folder to write to")
    parser.add_argument("--quick", action="store_true", help="smaller graphs and fewer of them")
    arguments = parser.parse_args()
    settings = Settings.quick() if arguments.quick else Settings()
    write(arguments.out, [study(settings) for study in STUDIES])
    return 0


def write(folder: Path, studies: Iterable[Study]) -> None:
    """Writes `curves.csv`, `conclusions.md` and a figure per study."""
    # figures of equal data are equal files
    mpl.rcParams["svg.hashsalt"] = "sbgd"
    folder.mkdir(parents=True, exist_ok=True)
    done = list(studies)
    rows = [row for study in done for row in _table(study)]
    with (folder / "curves.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(dict.fromkeys(key for row in rows for key in row)))
        writer.writeheader()
        writer.writerows(rows)
    sections = [f"## {study.title}\n\n" + "\n".join(f"* {line}" for line in study.conclusions) for study in done]
    (folder / "conclusions.md").write_text("# Conclusions\n\n" + "\n\n".join(sections) + "\n", encoding="utf-8")
    for study in done:
        draw(study, folder)


def draw(study: Study, folder: Path) -> None:
    """Draws the panels of a study side by side."""
    figure = Figure(figsize=(5.2 * len(study.panels), 4.2))
    axes = figure.subplots(1, len(study.panels), squeeze=False)
    for axis, panel in zip(axes[0], study.panels, strict=True):
        _draw_panel(axis, study, panel)
    axes[0][-1].legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    figure.suptitle(study.title)
    figure.tight_layout()
    figure.savefig(folder / f"{study.name}.png", dpi=120)
    figure.savefig(folder / f"{study.name}.svg", metadata={"Date": None})


def _draw_panel(axis: Axes, study: Study, panel: str) -> None:
    for index, series in enumerate(study.series):
        bars = series.spread(panel) if len(series.runs) > 1 else None
        line = "-" if 2 * index < len(study.series) else "--"
        style = f"C{index % 10}{line}{MARKERS[index % len(MARKERS)]}"
        axis.errorbar(series.values(), series.mean(panel), bars, fmt=style, label=series.label, capsize=2, markersize=4)
    values = study.series[0].values()
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xticks(values[:: max(1, len(values) // 6)])
    axis.xaxis.set_major_formatter("{x:.4g}")
    axis.xaxis.set_minor_locator(NullLocator())
    bottom, top = axis.get_ylim()
    # parts that fall to rounding would squeeze everything else
    axis.set_ylim(max(bottom, top * 1e-9), top)
    if top < 10 * bottom:
        axis.yaxis.set_minor_formatter("{x:.2g}")
    axis.set_xlabel(study.series[0].variable.replace("_", " "))
    axis.set_ylabel(LABELS.get(panel, panel.replace("_", " ").replace(".", ": ")))
    axis.grid(alpha=0.3)


def _table(study: Study) -> Iterator[dict[str, object]]:
    for series in study.series:
        for place, value in enumerate(series.values().tolist()):
            figures = [name for name in series.runs[0][place] if name != series.variable]
            means = {name: series.mean(name)[place] for name in figures}
            spreads = {f"{name}.spread": series.spread(name)[place] for name in ("relative_w2", "kl") if name in means}
            key = {"study": study.name, "series": series.label, "variable": series.variable, "value": value}
            yield {**key, "num_repetitions": len(series.runs), **means, **spreads}


@dataclass(frozen=True)
class Case:
    """A family of graphs with a law of features.

    Attributes:
        family: Family of graphs.
        matrix: Name of the matrix that features are aggregated with.
        standardised: Whether features are scaled to unit variance.
    """

    family: str
    matrix: str
    standardised: bool

    @property
    def label(self) -> str:
        """Returns the name in legends."""
        return f"{self.family}, {self.matrix}, {'scaled' if self.standardised else 'unscaled'}"

    def spectrum(self, num_nodes: int, seed: int) -> Spectrum:
        """Returns the exact spectrum of a random graph of the family."""
        return eigenvalues_of(self.family, num_nodes, MATRICES[self.matrix], seed)

    def model(self, num_nodes: int, seed: int = 0) -> GaussianFeatureModel:
        """Returns the law of features on a random graph of the family."""
        features = GaussianFeatureModel(self.spectrum(num_nodes, seed), COVARIANCE, FEATURES)
        return features.standardised() if self.standardised else features


CASES = tuple(
    Case(family, matrix, standardised)
    for family in FAMILIES
    for matrix, standardised in (("S", True), ("S", False), ("A", True), ("A", False))
)


@cache
def graph(family: str, num_nodes: int, seed: int) -> Graph:
    """Returns a random graph of a family; all have the same mean degree."""
    rng = np.random.default_rng([seed, num_nodes])
    if family == "regular":
        return regular_graph(num_nodes, MEAN_DEGREE, rng=rng)
    return power_law_graph(num_nodes, MEAN_DEGREE, EXPONENT, rng=rng)


@cache
def eigenvalues_of(family: str, num_nodes: int, matrix: GraphMatrix, seed: int) -> Spectrum:
    """Returns the exact spectrum of a random graph."""
    return exact_spectrum(graph(family, num_nodes, seed), matrix)


def sampler(num_steps: int = 200, solver: str = "euler_maruyama", horizon: float = 1.0) -> Sampler:
    """Returns the sampler of the study: VP with uniform steps."""
    return Sampler(SDES["vp"], SOLVERS[solver], PowerGrid(), num_steps, horizon)


def curve(variable: str, values: Iterable[float], error: Callable[[float], ExactError]) -> list[Row]:
    """Returns the rows of an exact curve."""
    return ErrorCurve.of(variable, values, error).rows()


def graph_size(settings: Settings) -> Study:
    """Errors against the number of nodes."""

    def rows(case: Case, seed: int) -> list[Row]:
        return curve("num_nodes", settings.sizes, lambda size: exact_error(case.model(int(size), seed), sampler()))

    series = tuple(
        Series(case.label, "num_nodes", tuple(rows(case, seed) for seed in range(settings.num_graphs)))
        for case in CASES
    )
    lines = [
        f"{one.label}: relative W2 from {one.first('relative_w2'):.2e} to {one.last('relative_w2'):.2e} over "
        f"N = {settings.sizes[0]} to {settings.sizes[-1]} (factor {one.growth('relative_w2'):.2f}); KL per dimension "
        f"changes by a factor {one.growth('kl_per_dimension'):.2f}, total KL grows like N^{one.exponent('kl'):.2f}."
        for one in series
    ]
    lines += [
        f"{pair}: the error on power-law graphs is {ratio['relative_w2']:.2f} times that on regular ones at "
        f"N = {settings.sizes[-1]} in relative W2, {ratio['kl_per_dimension']:.2f} times in KL per dimension."
        for pair, ratio in _heavy_over_regular(series).items()
    ]
    title = f"Growing graphs, {FEATURES} features, 200 Euler-Maruyama steps at T = 1"
    return Study("graph_size", title, ("relative_w2", "kl_per_dimension", "kl"), series, tuple(lines))


def _heavy_over_regular(series: tuple[Series, ...]) -> dict[str, Row]:
    by_label = {one.label: one for one in series}
    kinds = [label.removeprefix("regular, ") for label in by_label if label.startswith("regular, ")]
    figures = ("relative_w2", "kl_per_dimension")
    return {
        kind: {
            name: by_label[f"power law, {kind}"].last(name) / by_label[f"regular, {kind}"].last(name)
            for name in figures
        }
        for kind in kinds
    }


def required_steps(settings: Settings) -> Study:
    """Fewest Euler-Maruyama steps that reach a relative W2 of 0.02 at the best diffusion length."""

    def rows(case: Case, seed: int) -> list[Row]:
        return [{"num_nodes": size, **_requirement(case.model(size, seed))} for size in settings.sizes]

    series = tuple(
        Series(case.label, "num_nodes", tuple(rows(case, seed) for seed in range(settings.num_graphs)))
        for case in CASES
    )
    lines = tuple(
        f"{one.label}: {one.first('steps'):.0f} steps with T = {one.first('length'):.2f} at N = {settings.sizes[0]}, "
        f"{one.last('steps'):.0f} steps with T = {one.last('length'):.2f} at N = {settings.sizes[-1]}."
        for one in series
    )
    removed, largest = (
        np.concatenate([one.mean(figure) for one in series])
        for figure in ("log_signal_removed", "log_largest_variance")
    )
    rule = (
        "Over all these cases the integral of beta up to the length needed has a correlation of "
        f"{np.corrcoef(removed, largest)[0, 1]:.2f} with ln(largest variance) and grows by "
        f"{np.polyfit(largest, removed, 1)[0]:.2f} per unit of it: diffusion has to bury the strongest direction."
    )
    title = f"Steps and diffusion length that reach a relative W2 of {TARGET}, Euler-Maruyama"
    return Study("required_steps", title, ("steps", "length"), series, (*lines, rule))


def _requirement(features: GaussianFeatureModel) -> Row:
    options = Candidates((SDES["vp"],), (SOLVERS["euler_maruyama"],), (PowerGrid(),), max_cost=20_000)
    law = features.law()
    found = Search({False: law.compressed()}, candidates=options).cheapest(TARGET)
    if found is None:
        return dict.fromkeys(("steps", "length", "log_signal_removed", "log_largest_variance"), float("nan"))
    removed = -2 * np.log(found.sampler.sde.alpha(np.array([found.sampler.horizon]))).item()
    return {
        "steps": found.sampler.num_steps,
        "length": found.sampler.horizon,
        "log_signal_removed": removed,
        "log_largest_variance": float(np.log(law.variances.max())),
    }


def eigenvalues(settings: Settings) -> Study:
    """The largest eigenvalue of A, what predicts it, and the condition number."""
    series = tuple(
        Series(
            family,
            "num_nodes",
            tuple(
                [_spectral_row(family, size, seed) for size in settings.sizes] for seed in range(settings.num_graphs)
            ),
        )
        for family in FAMILIES
    )
    regular, heavy = series
    lines = (
        f"lambda_max(A) stays at {regular.last('radius_of_A'):.1f} on regular graphs and grows like "
        f"N^{heavy.exponent('radius_of_A'):.2f} on power-law ones, to {heavy.last('radius_of_A'):.1f}; sqrt(d_max) is "
        f"{heavy.last('root_of_largest_degree'):.1f} there, sum d^2 / sum d {heavy.last('second_order_degree'):.1f}. "
        f"The radius of S is {max(one.mean('radius_of_S').max() for one in series):.6f} at most.",
        f"The condition number of Sigma at N = {settings.sizes[-1]} is {heavy.last('condition_with_A'):.0f} with A on "
        f"power-law graphs, {regular.last('condition_with_A'):.0f} with A on regular ones, and "
        f"{heavy.last('condition_with_S'):.1f} and {regular.last('condition_with_S'):.1f} with S.",
    )
    panels = ("radius_of_A", "condition_with_A", "condition_with_S")
    return Study("eigenvalues", "Spectral radius and condition number", panels, series, lines)


def _spectral_row(family: str, num_nodes: int, seed: int) -> Row:
    degrees = graph(family, num_nodes, seed).degrees
    row = {"num_nodes": num_nodes, "root_of_largest_degree": float(np.sqrt(degrees.max()))}
    row["second_order_degree"] = float((degrees**2).sum() / degrees.sum())
    for name in MATRICES:
        case = Case(family, name, standardised=True)
        row[f"radius_of_{name}"] = case.spectrum(num_nodes, seed).radius
        row[f"condition_with_{name}"] = case.model(num_nodes, seed).law().condition_number
    return row


def feature_size(settings: Settings) -> Study:
    """Errors against the number of columns, independent or equally correlated."""
    series = tuple(
        Series(f"{family}, correlation {rho:g}", "num_features", (_feature_rows(family, settings.size, rho),))
        for family in FAMILIES
        for rho in (0.0, 0.5)
    )
    lines = tuple(
        f"{one.label}: total KL grows like F^{one.exponent('kl'):.2f} over F = 1 to 1000; the relative W2 changes by a "
        f"factor {one.growth('relative_w2'):.2f}, from {one.first('relative_w2'):.2e}, KL per dimension by "
        f"{one.growth('kl_per_dimension'):.2f}."
        for one in series
    )
    title = f"Growing features, N = {settings.size}, S, 200 Euler-Maruyama steps"
    return Study("feature_size", title, ("relative_w2", "kl_per_dimension", "kl"), series, lines)


def _feature_rows(family: str, num_nodes: int, rho: float) -> list[Row]:
    def error(num_features: float) -> ExactError:
        size = int(num_features)
        # the eigenvalues of a matrix with ones on the diagonal and rho elsewhere
        columns = np.array([1 + (size - 1) * rho, *[1 - rho] * (size - 1)])
        spectrum = Case(family, "S", standardised=True).spectrum(num_nodes, 0)
        return exact_error(GaussianFeatureModel(spectrum, COVARIANCE, size, columns).standardised(), sampler())

    return curve("num_features", (1, 5, 20, 50, 200, 1000), error)


def steps(settings: Settings) -> Study:
    """Errors against the number of steps, for several solvers."""
    law = Case("power law", "S", standardised=True).model(settings.size).law()

    def rows(solver: str) -> list[Row]:
        return curve("num_steps", (*STEPS, 2000), lambda count: exact_error(law, sampler(int(count), solver)))

    series = tuple(Series(name, "num_steps", (rows(name),)) for name in SOLVERS)
    lines = [
        f"{one.label}: {one.mean('relative_w2')[1]:.2e} at {STEPS[1]} steps, {one.mean('relative_w2')[-2]:.2e} at "
        f"{STEPS[-1]}; between {STEPS[2]} and {STEPS[5]} steps the discretisation part falls like K^-{_order(one):.2f}."
        for one in series
    ]
    best = min(series, key=lambda one: one.mean("relative_w2")[1])
    lines.append(f"The least error at {STEPS[1]} steps: {best.label}; a step of heun evaluates the score twice.")
    title = f"Steps, power-law graph of {settings.size} nodes with S"
    return Study("steps", title, ("relative_w2", "kl_per_dimension"), series, tuple(lines))


def _order(series: Series) -> float:
    inner = slice(2, 6)
    part = np.abs(series.mean("relative_w2.discretisation")[inner])
    return -float(np.polyfit(np.log(series.values()[inner]), np.log(part), 1)[0])


def length(settings: Settings) -> Study:
    """Errors against the diffusion length, for few and many steps."""

    def rows(family: str, count: int) -> list[Row]:
        law = Case(family, "A", standardised=True).model(settings.size).law()
        horizons = np.geomspace(0.15, 2.0, 24).tolist()
        return curve("horizon", horizons, lambda horizon: exact_error(law, sampler(count, "heun", horizon)))

    series = tuple(
        Series(f"{family}, {count} Heun steps", "horizon", (rows(family, count),))
        for family in FAMILIES
        for count in (20, 200)
    )
    lines = tuple(_length_line(one) for one in series)
    panels = ("relative_w2", "relative_w2.initialisation", "relative_w2.discretisation")
    title = f"Diffusion length, N = {settings.size}, A, VP, features standardised"
    return Study("length", title, panels, series, lines)


def _length_line(one: Series) -> str:
    place = int(np.argmin(one.mean("relative_w2")))
    horizons = one.values()
    return (
        f"{one.label}: the least error, {one.mean('relative_w2')[place]:.2e}, is at T = {horizons[place]:.2f}; at "
        f"T = {horizons[0]:.2f} it is {one.first('relative_w2'):.2e}, of which initialisation "
        f"{one.first('relative_w2.initialisation'):.2e}, at T = {horizons[-1]:.2f} {one.last('relative_w2'):.2e}, of "
        f"which discretisation {one.last('relative_w2.discretisation'):.2e}."
    )


def normalisation(settings: Settings) -> Study:
    """Errors against steps with and without normalisation of adjacency and features."""

    def rows(case: Case) -> list[Row]:
        law = case.model(settings.size).law()
        return curve("num_steps", STEPS, lambda count: exact_error(law, sampler(int(count))))

    series = tuple(Series(case.label, "num_steps", (rows(case),)) for case in CASES)
    place = STEPS.index(20)
    lines = [
        f"{one.label}: relative W2 {one.mean('relative_w2')[place]:.2e} at 20 steps, {one.last('relative_w2'):.2e} at "
        f"{STEPS[-1]}; KL per dimension {one.mean('kl_per_dimension')[place]:.2e} and "
        f"{one.last('kl_per_dimension'):.2e}."
        for one in series
    ]
    for scaled, unscaled in zip(series[::2], series[1::2], strict=True):
        name = scaled.label.removesuffix(", scaled")
        lines.append(
            f"{name}: scaling features multiplies relative W2 at {STEPS[-1]} steps by "
            f"{scaled.last('relative_w2') / unscaled.last('relative_w2'):.2f}, KL per dimension by "
            f"{scaled.last('kl_per_dimension') / unscaled.last('kl_per_dimension'):.2f}."
        )
    title = f"Normalisation, N = {settings.size}, Euler-Maruyama at T = 1"
    return Study("normalisation", title, ("relative_w2", "kl_per_dimension"), series, tuple(lines))


def score_error(settings: Settings) -> Study:
    """Errors against steps when the score is wrong by a stated amount."""
    law = Case("power law", "S", standardised=True).model(settings.size).law()

    def rows(solver: str, error: ScoreError) -> list[Row]:
        return curve("num_steps", STEPS, lambda count: exact_error(law, sampler(int(count), solver), error))

    series = tuple(
        Series(f"{solver}, {label}", "num_steps", (rows(solver, error),))
        for solver in ("euler_maruyama", "heun")
        for label, error in SCORE_ERRORS.items()
    )
    lines = tuple(
        f"{one.label}: relative W2 {one.last('relative_w2'):.2e} at {STEPS[-1]} steps, of which score "
        f"{one.last('relative_w2.score'):.2e}."
        for one in series
    )
    title = f"Score error, power-law graph of {settings.size} nodes with S"
    return Study("score_error", title, ("relative_w2", "kl_per_dimension"), series, lines)


def bound(settings: Settings) -> Study:
    """The exact KL beside Girsanov's bound."""
    cases = [case for case in CASES if case.standardised]
    series = tuple(
        Series(case.label, "num_steps", ([_bound_row(case.model(settings.size), count) for count in STEPS],))
        for case in cases
    )
    lines = tuple(
        f"{one.label}: KL(data || output) per dimension goes like K^{one.exponent('exact_kl_per_dimension'):.2f}, its "
        f"bound like K^{one.exponent('bound_per_dimension'):.2f}; the bound is {one.first('bound_over_exact'):.0f} "
        f"times the truth at K = {STEPS[0]} and {one.last('bound_over_exact'):.0f} times at K = {STEPS[-1]}."
        for one in series
    )
    title = f"Path-space bound, N = {settings.size}, exponential integrator"
    return Study("bound", title, ("exact_kl_per_dimension", "bound_per_dimension"), series, lines)


def _bound_row(features: GaussianFeatureModel, num_steps: int) -> Row:
    law, chosen = features.law().compressed(512), sampler(num_steps, "exponential_sde")
    limit = path_bound(law, chosen).total / law.dimension
    exact = exact_error(law, chosen).value("reverse_kl_per_dimension")
    return {
        "num_steps": num_steps,
        "exact_kl_per_dimension": exact,
        "bound_per_dimension": limit,
        "bound_over_exact": limit / exact,
    }


STUDIES = (eigenvalues, graph_size, required_steps, feature_size, steps, length, normalisation, score_error, bound)


if __name__ == "__main__":
    sys.exit(main())
