"""Evaluates generated graphs, and baselines of the same sizes, against reference graphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from sbgd.evaluation.baselines import Baseline, sample_sizes
from sbgd.evaluation.descriptors import BudgetError, Descriptor
from sbgd.evaluation.kernels import Kernel
from sbgd.evaluation.metric import GRAN, MMDMetric
from sbgd.evaluation.preflight import summarise
from sbgd.evaluation.result import Comparison, EvaluationResult, MMDResult, StatisticResult
from sbgd.evaluation.statistics import STATISTICS, Measurement, degree_tv, set_statistics
from sbgd.graph import Graph

TRAIN_SUBSETS = 10
_TOO_FEW = "the unbiased estimate and its interval need two graphs on either side"


def evaluate(
    generated: Sequence[Graph],
    reference: Sequence[Graph],
    *,
    train: Sequence[Graph] | None = None,
    baselines: Sequence[Baseline] = (),
    metrics: Mapping[str, tuple[Descriptor, Kernel]] = GRAN,
    seed: int = 0,
    on_step: Callable[[str], None] | None = None,
) -> EvaluationResult:
    """Compares generated graphs with reference graphs.

    Args:
        generated: Graphs to judge.
        reference: Graphs to judge them by, held out from training.
        train: Training graphs; their own MMD to the reference says what a perfect generator would reach.
        baselines: Fitted baselines; each draws as many graphs of the same sizes as were generated.
        metrics: Descriptor and kernel of every MMD, by name.
        seed: Seed of baselines, intervals and sampled statistics.
        on_step: Called with a few words before every slow step.

    Returns:
        Statistics, MMDs and the same for every baseline.

    Raises:
        InputError: A set is empty or has no node.
    """
    announce = on_step or (lambda _: None)
    announce("counting")
    sets = summarise("reference", reference), summarise("generated", generated)
    if train is not None:
        summarise("train", train)
    announce("describing the reference")
    judge = _Judge(reference, train, metrics, len(generated), seed)
    announce("generated graphs")
    comparison = judge.compare(generated)
    rows = {}
    for baseline in baselines:
        announce(f"baseline {baseline.name}")
        rows[baseline.name] = judge.compare(sample_sizes(baseline, [g.num_nodes for g in generated], seed=seed))
    return EvaluationResult(*sets, metrics=comparison, baselines=rows)


class _Judge:
    """The reference, measured once."""

    def __init__(
        self,
        reference: Sequence[Graph],
        train: Sequence[Graph] | None,
        metrics: Mapping[str, tuple[Descriptor, Kernel]],
        num_generated: int,
        seed: int,
    ) -> None:
        self._reference = reference
        self._seed = seed
        self._statistics = set_statistics(reference, seed=seed)
        self._metrics: dict[str, MMDMetric | BudgetError] = {}
        self._train_test: dict[str, float] = {}
        for name, (descriptor, kernel) in metrics.items():
            try:
                metric = self._metrics[name] = MMDMetric(reference, descriptor, kernel)
                if train is not None:
                    self._train_test[name] = _mean_value(metric, train, num_generated, seed)
            except BudgetError as error:
                self._metrics[name] = error

    def compare(self, graphs: Sequence[Graph]) -> Comparison:
        mmd = {name: self._mmd(name, index, graphs) for index, name in enumerate(self._metrics)}
        measured = set_statistics(graphs, seed=self._seed)
        measured["degree_tv"] = degree_tv(graphs, self._reference)
        reference = {**self._statistics, "degree_tv": Measurement(0.0)}
        return Comparison(mmd, {name: _statistic(reference[name], measured[name]) for name in STATISTICS})

    def _mmd(self, name: str, index: int, graphs: Sequence[Graph]) -> MMDResult:
        metric = self._metrics[name]
        if isinstance(metric, BudgetError):
            return MMDResult(None, reason=str(metric))
        try:
            found = metric.estimate(graphs, generator=np.random.default_rng([self._seed, index]))
        except BudgetError as error:
            return MMDResult(None, reason=str(error))
        return MMDResult(
            biased=found.biased,
            unbiased=found.unbiased,
            floor=found.floor,
            interval=found.interval,
            train_test=self._train_test.get(name),
            reason=_TOO_FEW if found.unbiased is None else None,
        )


def _mean_value(metric: MMDMetric, train: Sequence[Graph], size: int, seed: int) -> float:
    """Returns what as many training graphs as there are generated ones score, the mean over random subsets.

    The bias of MMD^2 grows as sets shrink, so that all training graphs together would score better than they should.
    """
    if len(train) <= size:
        return metric.value(train)
    rng = np.random.default_rng([seed, 1])
    subsets = [rng.choice(len(train), size, replace=False) for _ in range(TRAIN_SUBSETS)]
    return float(np.mean([metric.value([train[index] for index in subset]) for subset in subsets]))


def _statistic(reference: Measurement, generated: Measurement) -> StatisticResult:
    missing = [("reference", reference.reason), ("generated", generated.reason)]
    reasons = [f"{which}: {reason}" for which, reason in missing if reason]
    error = None
    if reference.value is not None and generated.value is not None:
        error = abs(generated.value - reference.value)
    return StatisticResult(
        reference=reference.value,
        generated=generated.value,
        error=error,
        reference_spread=reference.spread,
        generated_spread=generated.spread,
        reason="; ".join(reasons) or None,
    )
