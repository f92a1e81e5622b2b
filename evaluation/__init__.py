"""Evaluation of generated graphs: statistics, maximum mean discrepancies, baselines and memorisation; no torch."""

from sbgd.evaluation.comparison import evaluate
from sbgd.evaluation.metric import GRAN, SPECTRE, MMDMetric
from sbgd.evaluation.novelty import IdenticalShare, identical_share, num_duplicates
from sbgd.evaluation.result import Comparison, EvaluationResult, MMDResult, StatisticResult
from sbgd.evaluation.statistics import STATISTICS, Measurement, degree_tv, graph_statistics, set_statistics

__all__ = [
    "GRAN",
    "SPECTRE",
    "STATISTICS",
    "Comparison",
    "EvaluationResult",
    "IdenticalShare",
    "MMDMetric",
    "MMDResult",
    "Measurement",
    "StatisticResult",
    "degree_tv",
    "evaluate",
    "graph_statistics",
    "identical_share",
    "num_duplicates",
    "set_statistics",
]
