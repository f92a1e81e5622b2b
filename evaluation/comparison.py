"""Evaluates generated graphs, and baselines of the same sizes, against reference graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sbgd.evaluation.baselines import Baseline, sample_sizes
from sbgd.evaluation.coercion import as_graphs
from sbgd.evaluation.collection import DEFAULT_SEEDS, MetricCollection
from sbgd.evaluation.description import workers
from sbgd.evaluation.preflight import summarise
from sbgd.evaluation.presets import Preset, find_preset
from sbgd.evaluation.result import Comparison, EvaluationResult, StatisticResult
from sbgd.evaluation.statistics import (
    DISTANCES,
    GRAPH_STATISTICS,
    STATISTICS,
    TABLE,
    Measurement,
    applicable_statistics,
    set_distances,
    set_statistics,
)
from sbgd.evaluation.validity import Rule, find_rule
from sbgd.evaluation.vun import valid_unique_novel
from sbgd.graph import Graph

SET_DISTANCES = (
    "degree_emd",
    "degree_ks",
    "joint_degree_log_tv",
    "feature_mean_error",
    "feature_deviation_error",
    "feature_correlation_error",
)
"""Distances that are reported of sets of many graphs too; `degree_tv` is among `STATISTICS`."""

_NO_ERROR = "edges that the generated graph shares with the reference, many in a copy, are no error"

OTHER_METRICS = ("statistics", "vun")
"""What can be asked for by name beside the metrics of a preset."""


def evaluate(
    generated: object,
    reference: object,
    *,
    train: object | None = None,
    preset: Preset | str = "sbgd",
    metrics: Iterable[str] | None = None,
    defects: Iterable[str] = (),
    validity: Rule | str | None = None,
    baselines: Sequence[Baseline] = (),
    num_seeds: int = DEFAULT_SEEDS,
    seed: int = 0,
    jobs: int = 1,
    on_step: Callable[[str], None] | None = None,
) -> EvaluationResult:
    """Compares generated graphs with reference graphs.

    Sets of graphs may be anything that `as_graphs` takes: lists of `Graph`, of networkx graphs, of adjacency matrices,
    PyG `Data`, `Batch` and datasets.

    Args:
        generated: Graphs to judge.
        reference: Graphs to judge them by, held out from training.
        train: Training graphs; their own scores say what a perfect generator would reach, and novelty is judged by
            them.
        preset: Preset or its name, see `PRESETS`.
        metrics: Names of metrics of the preset, `statistics` and `vun`; None for the preset's own choice, statistics
            and, for sets of several graphs, uniqueness and novelty.
        defects: Errors of the preset's source to repeat, see `DEFECTS`; for checking published numbers only.
        validity: Rule that says which graphs are valid, or its name.
        baselines: Fitted baselines; each draws as many graphs of the same sizes as were generated.
        num_seeds: Number of random networks for embeddings.
        seed: Seed of networks, baselines, intervals, tests and sampled statistics.
        jobs: Processes that describe graphs; the numbers do not depend on it.
        on_step: Called with a few words before every slow step.

    Returns:
        Statistics, metrics and the same for every baseline.

    Raises:
        InputError: A set is empty or has no node, or a name is unknown.
    """
    announce = on_step or (lambda _: None)
    switched = tuple(dict.fromkeys(defects))
    chosen = (find_preset(preset) if isinstance(preset, str) else preset).with_defects(switched)
    rule = find_rule(validity) if isinstance(validity, str) else validity
    names = None if metrics is None else tuple(dict.fromkeys(metrics))
    graphs, truth = as_graphs(generated), as_graphs(reference)
    known = None if train is None else as_graphs(train)
    announce("counting")
    sets = summarise("reference", truth), summarise("generated", graphs)
    with workers(jobs) as executor:
        announce("describing the reference")
        collection = MetricCollection(
            truth,
            preset=chosen,
            metrics=None if names is None else [name for name in names if name not in OTHER_METRICS],
            train=known,
            num_seeds=num_seeds,
            seed=seed,
            executor=executor,
        )
        with_statistics = names is None or "statistics" in names
        judge = _Judge(collection, truth, reported_statistics(graphs, truth) if with_statistics else (), seed=seed)
        announce("generated graphs")
        comparison = judge.compare(graphs)
        rows = {}
        for baseline in baselines:
            announce(f"baseline {baseline.name}")
            rows[baseline.name] = judge.compare(
                sample_sizes(baseline, [graph.num_nodes for graph in graphs], seed=seed)
            )
    vun = None
    if rule is not None or (len(graphs) > 1 if names is None else "vun" in names):
        announce("valid, unique and novel graphs")
        vun = valid_unique_novel(graphs, train=known, rule=rule)
    return EvaluationResult(chosen.name, *sets, metrics=comparison, baselines=rows, validity=vun, defects=switched)


class _Judge:
    """A collection and the statistics of the reference, measured once."""

    def __init__(
        self, collection: MetricCollection, reference: Sequence[Graph], names: Sequence[str], *, seed: int
    ) -> None:
        self._collection = collection
        self._reference = reference
        self._seed = seed
        self._statistics = [name for name in names if name in GRAPH_STATISTICS]
        self._distances = [name for name in names if name in DISTANCES]
        self._order = tuple(names)
        self._measured = {
            **set_statistics(reference, names=self._statistics, seed=seed),
            **dict.fromkeys(self._distances, Measurement(0.0)),
        }

    def compare(self, graphs: Sequence[Graph]) -> Comparison:
        found = self._collection(graphs)
        return Comparison(found.mmd, found.scores, self._compared_statistics(graphs), found.ratio)

    def _compared_statistics(self, graphs: Sequence[Graph]) -> dict[str, StatisticResult]:
        measured = {
            **set_statistics(graphs, names=self._statistics, seed=self._seed),
            **set_distances(graphs, self._reference, names=self._distances, seed=self._seed),
        }
        compared = {name: _statistic(self._measured[name], measured[name]) for name in self._order}
        if "edge_overlap" in compared:
            compared["edge_overlap"] = StatisticResult(1.0, measured["edge_overlap"].value, None, reason=_NO_ERROR)
        return compared


def reported_statistics(generated: Sequence[Graph], reference: Sequence[Graph]) -> tuple[str, ...]:
    """Returns the statistics and distances worth reporting, in the order of `TABLE`.

    For one graph on either side that is everything that its labels and features allow; for sets the cheaper ones, and
    of edges in common only where nodes can be the same.
    """
    both = [*generated, *reference]
    single = len(generated) == len(reference) == 1
    wanted = set(TABLE) if single else {*STATISTICS, *SET_DISTANCES}
    if len({graph.num_nodes for graph in both}) > 1:
        wanted -= {"edge_overlap"}
    allowed = set(applicable_statistics(both))
    has_features = all(graph.features is not None for graph in both if graph.num_nodes)
    return tuple(
        name
        for name in TABLE
        if name in wanted and (name in allowed or (name in DISTANCES and (has_features or "feature" not in name)))
    )


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
