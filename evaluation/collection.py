"""All metrics of a preset against one reference, described once; for evaluation and for validation in training."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np

from sbgd.evaluation.coercion import as_graphs
from sbgd.evaluation.description import Described, Description, describe
from sbgd.evaluation.descriptors import Descriptor, UndescribedError
from sbgd.evaluation.descriptors.descriptor import Vectors
from sbgd.evaluation.discrepancy import DISCREPANCY_DESCRIPTORS, polygraph_discrepancy
from sbgd.evaluation.embedding import EmbeddingMetrics
from sbgd.evaluation.metric import MMDDefinition, VectorMMD
from sbgd.evaluation.node_features import FeatureScale, uses_features
from sbgd.evaluation.preflight import check_not_empty
from sbgd.evaluation.presets import EmbeddingDefinition, Preset, find_preset
from sbgd.evaluation.ratio import average_ratio
from sbgd.evaluation.result import MMDResult, ScoreResult
from sbgd.graph import Graph

TRAIN_SUBSETS = 10
DEFAULT_SEEDS = 3

_TOO_FEW = "the unbiased estimate, its interval and the test need two graphs on either side"

Values = dict[str, float | None]


@dataclass(frozen=True)
class Scores:
    """What a collection measured.

    Attributes:
        mmd: MMDs by name.
        scores: Other metrics by name.
        ratio: Average ratio to the training graphs by the rule of the preset, where both are there.
    """

    mmd: Mapping[str, MMDResult]
    scores: Mapping[str, ScoreResult]
    ratio: float | None


class MetricCollection:
    """The metrics of a preset.

    Args:
        reference: Graphs to compare with; anything that `as_graphs` takes.
        preset: Preset or its name.
        metrics: Names of the metrics to compute, among `Preset.metrics`; None for the preset's own choice.
        train: Training graphs; what as many of them score is what a perfect generator would.
        num_seeds: Number of random networks for embeddings.
        seed: Seed of the networks, of intervals and tests and of the choice of training graphs.
        executor: Where graphs are described, as in `describe`.

    Raises:
        InputError: A set is empty or holds no node, or a name is unknown.
    """

    def __init__(
        self,
        reference: object,
        *,
        preset: Preset | str = "sbgd",
        metrics: Iterable[str] | None = None,
        train: object | None = None,
        num_seeds: int = DEFAULT_SEEDS,
        seed: int = 0,
        executor: Executor | None = None,
    ) -> None:
        graphs = as_graphs(reference)
        self._scale = FeatureScale.fitted(graphs)
        self.preset = _chosen(preset, metrics, with_features=self._scale is not None)
        self._seed = seed
        self._executor = executor
        self._embeddings = {
            name: [_seeded(definition, seed + offset) for offset in range(num_seeds)]
            for name, definition in self.preset.embeddings.items()
        }
        self._reference = self._describe("reference", graphs)
        self._train = None if train is None else self._describe("train", as_graphs(train))
        self._bound_mmds = {name: self._bind_mmd(definition) for name, definition in self.preset.mmds.items()}
        self._bound_embeddings = {
            name: self._bind_embeddings(definitions) for name, definitions in self._embeddings.items()
        }
        self._train_values: dict[int, Values] = {}

    def __call__(self, generated: object) -> Scores:
        """Measures generated graphs.

        Raises:
            InputError: The set is empty or holds no node.
        """
        described = self._describe("generated", as_graphs(generated))
        train_test = self._train_test(len(described))
        mmds = {
            name: replace(self._estimate(name, index, described), train_test=train_test.get(name))
            for index, name in enumerate(self.preset.mmds)
        }
        scores = {
            name: replace(score, train_test=train_test.get(name)) for name, score in self._scores(described).items()
        }
        return Scores(mmds, scores, self._ratio(mmds))

    def values(self, generated: object) -> dict[str, float]:
        """Measures generated graphs without intervals and tests; metrics that are not defined are left out.

        Returns:
            Values by name, for a logger; with training graphs also theirs as `NAME_train`.
        """
        described = self._describe("generated", as_graphs(generated))
        train = {f"{name}_train": value for name, value in self._train_test(len(described)).items()}
        return {name: value for name, value in (self._values(described) | train).items() if value is not None}

    def floor(self, num_generated: int) -> float:
        """Returns 1/n + 1/m, what a biased MMD^2 of so many graphs can owe to its bias for kernels with k(x, x) = 1."""
        return 1 / num_generated + 1 / len(self._reference)

    @property
    def _descriptors(self) -> list[Descriptor]:
        mmds = [definition.descriptor for definition in self.preset.mmds.values()]
        networks = [definition.descriptor for seeds in self._embeddings.values() for definition in seeds]
        discrepancy = list(DISCREPANCY_DESCRIPTORS.values()) if self.preset.discrepancy else []
        return [*mmds, *networks, *discrepancy]

    def _describe(self, which: str, graphs: Sequence[Graph]) -> Described:
        check_not_empty(which, graphs)
        sizes = np.array([graph.num_nodes for graph in graphs], dtype=np.int64)
        attributed = [descriptor for descriptor in self._descriptors if uses_features(descriptor)]
        others = [descriptor for descriptor in self._descriptors if not uses_features(descriptor)]
        vectors = {
            **describe(graphs, others, executor=self._executor),
            **self._describe_features(graphs, attributed),
        }
        return Described(sizes, vectors)

    def _describe_features(self, graphs: Sequence[Graph], descriptors: Sequence[Descriptor]) -> Description:
        if self._scale is None:
            missing = UndescribedError("not all reference graphs have the same node features")
            return dict.fromkeys(descriptors, missing)
        try:
            return describe(self._scale(graphs), descriptors, executor=self._executor)
        except UndescribedError as error:
            return dict.fromkeys(descriptors, error)

    def _bind_mmd(self, definition: MMDDefinition) -> VectorMMD | UndescribedError:
        try:
            return VectorMMD(self._counted(self._reference, definition), definition)
        except UndescribedError as error:
            return error

    def _bind_embeddings(self, definitions: Sequence[EmbeddingDefinition]) -> list[EmbeddingMetrics] | UndescribedError:
        try:
            return [
                EmbeddingMetrics(
                    self._reference.by(definition.descriptor),
                    standardise=definition.standardise,
                    swapped=definition.swapped,
                )
                for definition in definitions
            ]
        except UndescribedError as error:
            return error

    def _counted(self, described: Described, definition: MMDDefinition) -> Vectors:
        vectors = described.by(definition.descriptor)
        return vectors[definition.counted(described.sizes, len(self._reference))]

    def _mmd(self, name: str, described: Described) -> tuple[VectorMMD, Vectors]:
        """Returns a bound metric and the vectors it is to judge.

        Raises:
            UndescribedError: There are no vectors of one of the sets.
        """
        bound = self._bound_mmds[name]
        if isinstance(bound, UndescribedError):
            raise bound
        return bound, self._counted(described, self.preset.mmds[name])

    def _estimate(self, name: str, index: int, described: Described) -> MMDResult:
        try:
            metric, vectors = self._mmd(name, described)
        except UndescribedError as error:
            return MMDResult(None, reason=str(error))
        found = metric.estimate(vectors, generator=np.random.default_rng([self._seed, index]))
        return MMDResult(
            value=found.value,
            biased=found.biased,
            unbiased=found.unbiased,
            floor=found.floor,
            interval=found.interval,
            p_value=found.p_value,
            reason=_TOO_FEW if found.unbiased is None else None,
        )

    def _scores(self, described: Described) -> dict[str, ScoreResult]:
        found: dict[str, ScoreResult] = {}
        for name in self.preset.embeddings:
            found |= self._embedding_scores(name, described)
        return found | (self._discrepancies(described) if self.preset.discrepancy else {})

    def _embedding_scores(self, name: str, described: Described) -> dict[str, ScoreResult]:
        definitions, bound = self._embeddings[name], self._bound_embeddings[name]
        scores = definitions[0].scores
        try:
            if isinstance(bound, UndescribedError):
                raise bound
            vectors = [described.by(definition.descriptor) for definition in definitions]
        except UndescribedError as error:
            return {f"{name}_{score}": ScoreResult(None, reason=str(error)) for score in scores}
        per_seed = [metric(embeddings) for metric, embeddings in zip(bound, vectors, strict=True)]
        return {
            f"{name}_{score}": _over_seeds([getattr(one, score) for one in per_seed], per_seed[0].reasons.get(score))
            for score in scores
        }

    def _discrepancies(self, described: Described) -> dict[str, ScoreResult]:
        try:
            pairs = {
                name: (self._reference.by(descriptor), described.by(descriptor))
                for name, descriptor in DISCREPANCY_DESCRIPTORS.items()
            }
        except UndescribedError as error:
            return {"pgd": ScoreResult(None, reason=str(error))}
        found = polygraph_discrepancy(pairs, seed=self._seed, subsample=True)
        dropped = f"{found.num_dropped} graphs of the larger set are left out" if found.num_dropped else None
        parts = {f"pgd_{name}": ScoreResult(value) for name, value in found.subscores.items()}
        return {"pgd": ScoreResult(found.value, reason=found.reason or dropped), **parts}

    def _values(self, described: Described) -> Values:
        values: Values = {}
        for name in self.preset.mmds:
            try:
                metric, vectors = self._mmd(name, described)
            except UndescribedError:
                values[name] = None
            else:
                values[name] = metric.value(vectors)
        return values | {name: score.value for name, score in self._scores(described).items()}

    def _train_test(self, size: int) -> Values:
        """Returns what as many training graphs as there are generated ones score, the mean over random subsets.

        The bias of MMD^2 grows as sets shrink, so that all training graphs together would score better than they
        should.
        """
        if self._train is None:
            return {}
        if size not in self._train_values:
            self._train_values[size] = _mean([self._values(subset) for subset in self._subsets(self._train, size)])
        return self._train_values[size]

    def _subsets(self, train: Described, size: int) -> list[Described]:
        if len(train) <= size:
            return [train]
        rng = np.random.default_rng([self._seed, 1])
        return [train.rows(rng.choice(len(train), size, replace=False)) for _ in range(TRAIN_SUBSETS)]

    def _ratio(self, mmds: Mapping[str, MMDResult]) -> float | None:
        """Returns the average ratio to all training graphs, as the sources divide by."""
        if self._train is None or self.preset.ratio is None:
            return None
        train = self._values(self._train)
        pairs = {name: (result.value, train[name]) for name, result in mmds.items()}
        known = {name: (ours, theirs) for name, (ours, theirs) in pairs.items() if None not in (ours, theirs)}
        generated = {name: float(ours) for name, (ours, _) in known.items() if ours is not None}
        trained = {name: float(theirs) for name, (_, theirs) in known.items() if theirs is not None}
        return average_ratio(self.preset.ratio, generated, trained) if known else None


def _chosen(preset: Preset | str, metrics: Iterable[str] | None, *, with_features: bool) -> Preset:
    found = find_preset(preset) if isinstance(preset, str) else preset
    if metrics is not None:
        return found.select(metrics)
    return found if with_features else found.without_features()


def _seeded(definition: EmbeddingDefinition, seed: int) -> EmbeddingDefinition:
    return replace(definition, descriptor=replace(definition.descriptor, seed=seed))


def _over_seeds(values: Sequence[float | None], reason: str | None) -> ScoreResult:
    known = [value for value in values if value is not None]
    if not known:
        return ScoreResult(None, reason=reason)
    spread = float(np.std(known, ddof=1)) if len(known) > 1 else None
    return ScoreResult(float(np.mean(known)), spread=spread)


def _mean(rows: Sequence[Values]) -> Values:
    means: Values = {}
    for name in rows[0]:
        known = [value for row in rows if (value := row[name]) is not None]
        means[name] = float(np.mean(known)) if known else None
    return means
