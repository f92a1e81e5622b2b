"""Evaluation of generated graphs: metrics, statistics, validity, baselines and memorisation; no torch."""

from sbgd.evaluation.coercion import as_graphs
from sbgd.evaluation.collection import MetricCollection, Scores
from sbgd.evaluation.comparison import evaluate
from sbgd.evaluation.metric import MMDDefinition, MMDEstimate, MMDMetric
from sbgd.evaluation.novelty import IdenticalShare, identical_share, num_duplicates
from sbgd.evaluation.presets import PRESETS, Preset, find_preset
from sbgd.evaluation.result import (
    Comparison,
    EvaluationResult,
    MMDResult,
    ScoreResult,
    StatisticResult,
    json_schema,
)
from sbgd.evaluation.statistics import (
    DISTANCES,
    GRAPH_STATISTICS,
    STATISTICS,
    Measurement,
    degree_tv,
    graph_statistics,
    set_distances,
    set_statistics,
)
from sbgd.evaluation.validity import RULES, find_rule
from sbgd.evaluation.vun import VUN, valid_unique_novel

__all__ = [
    "DISTANCES",
    "GRAPH_STATISTICS",
    "PRESETS",
    "RULES",
    "STATISTICS",
    "VUN",
    "Comparison",
    "EvaluationResult",
    "IdenticalShare",
    "MMDDefinition",
    "MMDEstimate",
    "MMDMetric",
    "MMDResult",
    "Measurement",
    "MetricCollection",
    "Preset",
    "ScoreResult",
    "Scores",
    "StatisticResult",
    "as_graphs",
    "degree_tv",
    "evaluate",
    "find_preset",
    "find_rule",
    "graph_statistics",
    "identical_share",
    "json_schema",
    "num_duplicates",
    "set_distances",
    "set_statistics",
    "valid_unique_novel",
]
