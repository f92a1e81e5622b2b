"""An evaluation as one page of HTML that needs nothing else: pictures, tables, notes and where all of it comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from sbgd.evaluation.report.denoising import DenoisingStrip, strip_frames
from sbgd.evaluation.report.gallery import BlockView, block_view, graph_pairs
from sbgd.evaluation.report.memorisation import memorisation_table
from sbgd.evaluation.report.palette import css_variables
from sbgd.evaluation.report.plots import distribution_plots, mmd_plot
from sbgd.evaluation.report.record import RunRecord
from sbgd.evaluation.report.shown_set import ShownSet
from sbgd.evaluation.report.table import MISSING, Table, notes, result_tables, sets_table, summary_table
from sbgd.evaluation.result import EvaluationResult
from sbgd.graph import Graph

Shown = ShownSet | Sequence[Graph]


def html_report(
    result: EvaluationResult,
    generated: Shown,
    reference: Shown,
    *,
    denoising: DenoisingStrip | None = None,
    record: RunRecord | None = None,
    seed: int = 0,
) -> str:
    """Returns the page of an evaluation.

    Args:
        result: What was measured.
        generated: The generated graphs; as a `ShownSet` with the blocks that they are drawn by, else by communities.
        reference: The reference graphs.
        denoising: The denoising of one block.
        record: Where the numbers come from.
        seed: Seed of all places in drawings.
    """
    single = result.reference.num_graphs == result.generated.num_graphs == 1
    return _rendered(
        "page.html.jinja",
        title="Evaluation of generated graphs",
        lead=f"Metrics of the preset {result.preset}.",
        sets=sets_table(result),
        summary=_without_gaps(summary_table(result)),
        notes=notes(result),
        mmd=None if single else mmd_plot(result),  # of two single graphs it is about the same for all that differ
        tables=result_tables(result),
        memorisation=memorisation_table(result),
        record=record or RunRecord(),
        **_pictures(ShownSet.of(generated), ShownSet.of(reference), denoising, seed),
    )


def pictures_page(
    title: str, generated: Shown, reference: Shown, *, denoising: DenoisingStrip | None = None, seed: int = 0
) -> str:
    """Returns a page of the pictures alone, such as one of a model in training.

    Args:
        title: What stands above them.
        generated: The generated graphs, as in `html_report`.
        reference: The reference graphs.
        denoising: The denoising of one block.
        seed: Seed of all places in drawings.
    """
    pictures = _pictures(ShownSet.of(generated), ShownSet.of(reference), denoising, seed)
    return _rendered("pictures.html.jinja", title=title, **pictures)


def _pictures(generated: ShownSet, reference: ShownSet, denoising: DenoisingStrip | None, seed: int) -> dict[str, Any]:
    pairs = graph_pairs(generated, reference, seed=seed)
    view: BlockView | None = block_view(generated, reference, with_adjacency=not pairs, seed=seed)
    return {
        "pairs": pairs,
        "view": view,
        "plots": distribution_plots(generated.graphs, reference.graphs, seed=seed),
        "strip": None if denoising is None else strip_frames(denoising, seed=seed),
        "strip_caption": "" if denoising is None else denoising.caption,
    }


def _without_gaps(table: Table) -> Table:
    """Returns a table without the columns in which nothing stands."""
    kept = [
        column
        for column, _ in enumerate(table.header)
        if not table.rows or any(row[column] != MISSING for row in table.rows)
    ]
    rows = tuple(tuple(row[column] for column in kept) for row in table.rows)
    return Table(table.title, tuple(table.header[column] for column in kept), rows)


def _rendered(template: str, **values: Any) -> str:
    environment = Environment(
        loader=PackageLoader("sbgd.evaluation.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    light, dark = css_variables("light"), css_variables("dark")
    return environment.get_template(template).render(light=light, dark=dark, **values)
