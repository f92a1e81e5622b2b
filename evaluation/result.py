"""The result of an evaluation as plain frozen data, and its JSON form, `metrics.json` schema 1.

In the JSON an absent key means "not computed"; a null always has a "reason" beside it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sbgd.evaluation.novelty import IdenticalShare
from sbgd.evaluation.preflight import SetSummary

SCHEMA = 1


@dataclass(frozen=True)
class MMDResult:
    """One MMD^2 between generated and reference graphs, or the reason why there is none.

    Attributes:
        biased: Biased estimate, the number in papers.
        unbiased: Unbiased estimate.
        floor: 1/n + 1/m, the most that the biased estimate can owe to its bias.
        interval: 95 % bootstrap interval of the unbiased estimate.
        train_test: Biased estimate between training and reference graphs, where training graphs were given.
        reason: Why an estimate is missing.
    """

    biased: float | None
    unbiased: float | None = None
    floor: float | None = None
    interval: tuple[float, float] | None = None
    train_test: float | None = None
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON form; keys that do not apply are left out."""
        if self.biased is None:
            return {"biased": None, "reason": self.reason}
        optional = {"train_test": self.train_test, "reason": self.reason}
        required = {"biased": self.biased, "unbiased": self.unbiased, "floor": self.floor}
        interval = list(self.interval) if self.interval else None
        present = {key: value for key, value in optional.items() if value is not None}
        return {**required, "interval": interval, **present}


@dataclass(frozen=True)
class StatisticResult:
    """One statistic of both sets.

    Attributes:
        reference: Value (mean over graphs) of the reference.
        generated: Value of the generated set.
        error: |generated - reference|.
        reference_spread: Standard deviation over the reference graphs, or standard error of a sampled value.
        generated_spread: The same of the generated set.
        reason: Why a value, or a part of it, is missing.
    """

    reference: float | None
    generated: float | None
    error: float | None
    reference_spread: float | None = None
    generated_spread: float | None = None
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON form."""
        values = {"reference": self.reference, "generated": self.generated, "error": self.error}
        return values if self.reason is None else {**values, "reason": self.reason}


@dataclass(frozen=True)
class Comparison:
    """All metrics of one generated set, or of a baseline, against the reference."""

    mmd: Mapping[str, MMDResult]
    statistics: Mapping[str, StatisticResult]

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON form."""
        return {
            "mmd": {name: result.to_dict() for name, result in self.mmd.items()},
            "statistics": {name: result.to_dict() for name, result in self.statistics.items()},
        }


@dataclass(frozen=True)
class EvaluationResult:
    """What `sbgd evaluate` found.

    Attributes:
        reference: Counts of the reference.
        generated: Counts of the generated set.
        metrics: Generated set against reference.
        baselines: Each baseline against the same reference, by name.
        memorisation: How many generated blocks are copies of training blocks, where both are known.
    """

    reference: SetSummary
    generated: SetSummary
    metrics: Comparison
    baselines: Mapping[str, Comparison]
    memorisation: IdenticalShare | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON form, schema 1."""
        sets = {"reference": _set_dict(self.reference), "generated": _set_dict(self.generated)}
        document = {"schema": SCHEMA, "sets": sets, **self.metrics.to_dict()}
        if self.baselines:
            document["baselines"] = {name: comparison.to_dict() for name, comparison in self.baselines.items()}
        if self.memorisation is not None:
            document["memorisation"] = self.memorisation.to_dict()
        return document

    def save(self, path: Path) -> None:
        """Writes `metrics.json`."""
        path.write_text(json.dumps(self.to_dict(), indent=2, allow_nan=False) + "\n", encoding="utf-8")


def _set_dict(summary: SetSummary) -> dict[str, int]:
    return {"num_graphs": summary.num_graphs, "num_nodes": summary.num_nodes, "num_edges": summary.num_edges}
