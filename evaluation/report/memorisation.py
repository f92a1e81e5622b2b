"""Which of the generated graphs and blocks are copies, as a table."""

from __future__ import annotations

from sbgd.evaluation.report.table import MISSING, Table, number
from sbgd.evaluation.result import EvaluationResult


def memorisation_table(result: EvaluationResult) -> Table | None:
    """Returns how many blocks and graphs equal training or earlier ones; None where nothing was compared."""
    rows: list[tuple[str, ...]] = []
    blocks = result.memorisation
    if blocks is not None:
        counts = (blocks.num_identical, blocks.num_compared, blocks.num_undecided)
        rows.append(("blocks equal to a training block", *map(str, counts)))
    if result.validity is not None:
        novel, unique = result.validity.is_novel, result.validity.is_unique
        for what, flags in (("a training graph", novel), ("an earlier generated graph", unique)):
            if flags is not None:
                counts = (flags.count(False), len(flags), flags.count(None))
                rows.append((f"graphs equal to {what}", *map(str, counts)))
    overlap = result.metrics.statistics.get("edge_overlap")
    if overlap is not None and overlap.generated is not None:
        rows.append(("share of edges in common with the reference", number(overlap.generated), MISSING, MISSING))
    if not rows:
        return None
    return Table("Copies, up to the order of nodes", ("what", "found", "compared", "undecided"), tuple(rows))
