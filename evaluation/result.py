"""The result of an evaluation as plain frozen data, and its JSON form, `metrics.json` schema 1.

In the JSON an absent key means "not computed"; a null always has a "reason" beside it. `metrics.schema.json` beside
this file describes it for machines.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sbgd.evaluation.novelty import IdenticalShare
from sbgd.evaluation.preflight import SetSummary

if TYPE_CHECKING:
    from sbgd.evaluation.vun import VUN

SCHEMA = 1


@dataclass(frozen=True)
class MMDResult:
    """One MMD^2 between generated and reference graphs, or the reason why there is none.

    Attributes:
        value: What the source of the metric prints, for most the biased estimate.
        biased: Biased estimate, the number in papers.
        unbiased: Unbiased estimate.
        floor: 1/n + 1/m, the most that the biased estimate can owe to its bias.
        interval: 95 % bootstrap interval of MMD^2.
        p_value: Of the permutation test that both sets have one law.
        train_test: Value of as many training graphs, where training graphs were given.
        reason: Why an estimate is missing.
    """

    value: float | None
    biased: float | None = None
    unbiased: float | None = None
    floor: float | None = None
    interval: tuple[float, float] | None = None
    p_value: float | None = None
    train_test: float | None = None
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON form; keys that do not apply are left out."""
        if self.biased is None:
            return {"biased": None, "reason": self.reason}
        estimates = {"value": self.value, "biased": self.biased, "unbiased": self.unbiased, "floor": self.floor}
        inference = {"interval": list(self.interval) if self.interval else None, "p_value": self.p_value}
        return {**estimates, **inference, **_present(train_test=self.train_test, reason=self.reason)}


@dataclass(frozen=True)
class ScoreResult:
    """One number of a metric that is no MMD with an estimator of its own.

    Attributes:
        value: The number; the mean over the seeds where there are several.
        spread: Standard deviation over the seeds.
        train_test: Value of as many training graphs, where training graphs were given.
        reason: Why the number is missing.
    """

    value: float | None
    spread: float | None = None
    train_test: float | None = None
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON form; keys that do not apply are left out."""
        return {
            "value": self.value,
            **_present(spread=self.spread, train_test=self.train_test, reason=self.reason),
        }


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
        """Returns the JSON form; keys that do not apply are left out."""
        values = {"reference": self.reference, "generated": self.generated, "error": self.error}
        spreads = _present(reference_spread=self.reference_spread, generated_spread=self.generated_spread)
        return {**values, **spreads, **_present(reason=self.reason)}


@dataclass(frozen=True)
class Comparison:
    """All metrics of one generated set, or of a baseline, against the reference.

    Attributes:
        mmd: MMDs by name.
        scores: Other metrics by name.
        statistics: Statistics by name.
        ratio: Average over the metrics of value / value of the training graphs, by the rule of the preset.
    """

    mmd: Mapping[str, MMDResult]
    scores: Mapping[str, ScoreResult]
    statistics: Mapping[str, StatisticResult]
    ratio: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON form."""
        rows = {
            "mmd": {name: row.to_dict() for name, row in self.mmd.items()},
            "scores": {name: row.to_dict() for name, row in self.scores.items()},
            "statistics": {name: row.to_dict() for name, row in self.statistics.items()},
        }
        return {**{part: results for part, results in rows.items() if results}, **_present(ratio=self.ratio)}


@dataclass(frozen=True)
class EvaluationResult:
    """What `sbgd evaluate` found.

    Attributes:
        preset: Name of the preset.
        defects: Defects that were switched on.
        reference: Counts of the reference.
        generated: Counts of the generated set.
        metrics: Generated set against reference.
        baselines: Each baseline against the same reference, by name.
        validity: Valid, unique and novel graphs, where there is more than one graph or a rule was asked for.
        memorisation: How many generated blocks are copies of training blocks, where both are known.
    """

    preset: str
    reference: SetSummary
    generated: SetSummary
    metrics: Comparison
    baselines: Mapping[str, Comparison] = field(default_factory=lambda: MappingProxyType({}))
    validity: VUN | None = None
    memorisation: IdenticalShare | None = None
    defects: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON form, schema 1."""
        sets = {"reference": _set_dict(self.reference), "generated": _set_dict(self.generated)}
        document: dict[str, Any] = {"schema": SCHEMA, "preset": self.preset, "sets": sets, **self.metrics.to_dict()}
        if self.defects:
            document["defects"] = list(self.defects)
        if self.validity is not None:
            document["validity"] = self.validity.to_dict()
        if self.baselines:
            document["baselines"] = {name: comparison.to_dict() for name, comparison in self.baselines.items()}
        if self.memorisation is not None:
            document["memorisation"] = self.memorisation.to_dict()
        return document

    def save(self, path: Path) -> None:
        """Writes `metrics.json`."""
        path.write_text(json.dumps(self.to_dict(), indent=2, allow_nan=False) + "\n", encoding="utf-8")


def json_schema() -> dict[str, Any]:
    """Returns the JSON Schema (draft 2020-12) of `EvaluationResult.to_dict`."""
    schema: dict[str, Any] = json.loads(files("sbgd.evaluation").joinpath("metrics.schema.json").read_text())
    return schema


def _present(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _set_dict(summary: SetSummary) -> dict[str, int]:
    return {
        "num_graphs": summary.num_graphs,
        "num_nodes": summary.num_nodes,
        "num_edges": summary.num_edges,
        "zero_node_graphs": summary.zero_node_graphs,
        "edgeless_graphs": summary.edgeless_graphs,
        "isolated_nodes": summary.isolated_nodes,
        "duplicate_graphs": summary.duplicate_graphs,
    }
