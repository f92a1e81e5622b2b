"""PolyGraph discrepancy: how well a classifier tells generated from reference graphs, by its best descriptor.

With p(x) the probability that x is a reference graph, held-out graphs give

    D = 1/2 (mean_reference log2 p + mean_generated log2 (1 - p)) + 1,

a lower bound of the Jensen-Shannon divergence whatever the classifier; sqrt(D) bounds the distance. The descriptor is
chosen by cross-validation on one half of the graphs and the bound is taken on the other half, so that the choice does
not inflate it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.evaluation.descriptors.clustering import ClusteringHistogram
from sbgd.evaluation.descriptors.degree import DegreeHistogram
from sbgd.evaluation.descriptors.descriptor import Descriptor
from sbgd.evaluation.descriptors.gin import RandomGIN
from sbgd.evaluation.descriptors.orbits import OrbitCounts
from sbgd.evaluation.descriptors.orbits5 import OrbitCounts5
from sbgd.evaluation.descriptors.spectrum import SpectrumHistogram
from sbgd.evaluation.distances import Vectors, padded
from sbgd.evaluation.standardisation import Standardisation

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Pair = tuple[Vectors, Vectors]
"""Reference vectors and generated vectors."""
Predictor = Callable[[Vectors], Floats]
Variant = Literal["jsd", "informedness"]

DISCREPANCY_DESCRIPTORS: Mapping[str, Descriptor] = MappingProxyType(
    {
        "orbit4": OrbitCounts(),
        "orbit5": OrbitCounts5(),
        "clustering": ClusteringHistogram(),
        "degree": DegreeHistogram(),
        "spectral": SpectrumHistogram(),
        "gin": RandomGIN(),
    }
)
"""Descriptors of the source among which the best is chosen."""

_EPSILON = 1e-10
"""Added to probabilities before the logarithm, as in polygraph-benchmark."""


class Classifier(Protocol):
    """A binary classifier with the interface of scikit-learn."""

    def fit(self, X: Vectors, y: Floats, /) -> object:
        """Learns labels y (n,) of vectors X (n, K)."""
        ...

    def predict_proba(self, X: Vectors, /) -> Floats:
        """Returns the probabilities of labels 0 and 1, (n, 2)."""
        ...


def logistic_regression() -> Classifier:
    """Returns a logistic regression with an L2 penalty of 1, which needs no downloaded weights."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000)


@dataclass(frozen=True)
class DiscrepancyScores:
    """A PolyGraph discrepancy with its parts.

    Attributes:
        value: Score of the chosen descriptor on held-out graphs, in [0, 1] for "jsd" and [-1, 1] for "informedness";
            None with too few graphs.
        descriptor: Descriptor with the best cross-validated score.
        subscores: Held-out score of every descriptor.
        num_graphs: Graphs of each set that were used.
        num_dropped: Graphs of the larger set that were left out to make the sets equally large.
        reason: Why the value is None.
    """

    value: float | None
    descriptor: str | None
    subscores: Mapping[str, float]
    num_graphs: int
    num_dropped: int = 0
    reason: str | None = None


def polygraph_discrepancy(
    described: Mapping[str, Pair],
    *,
    variant: Variant = "jsd",
    classifier: Callable[[], Classifier] = logistic_regression,
    num_folds: int = 4,
    seed: int = 0,
    subsample: bool = False,
) -> DiscrepancyScores:
    """Returns a lower bound of a distance between the laws of generated and reference graphs.

    Values with different classifiers cannot be compared: a better one gives a larger bound. Published ones are with
    TabPFN, whose weights have to be asked for; `classifier` takes a factory of it.

    Args:
        described: Reference vectors (m, K) and generated vectors (n, L) of the same graphs for every descriptor.
        variant: "jsd" bounds the Jensen-Shannon distance, "informedness" the total variation distance.
        classifier: Makes an unfitted classifier.
        num_folds: Folds of the cross-validation.
        seed: Seed of the halves, of the folds and of what `subsample` leaves out.
        subsample: Whether sets of different sizes are cut down to the smaller one rather than refused.

    Raises:
        InputError: There is no descriptor, descriptors disagree on the number of graphs, or m != n and they may not be
            subsampled.

    References:
        Krimmel et al., 2025, "PolyGraph Discrepancy: a classifier-based metric for graph generation",
        arXiv:2510.06122.
    """
    num_reference, num_generated = _set_sizes(described)
    num_graphs = min(num_reference, num_generated)
    num_dropped = max(num_reference, num_generated) - num_graphs
    if num_dropped and not subsample:
        raise InputError(
            f"expected as many generated as reference graphs, got {num_generated} and {num_reference}; "
            "generate as many or allow subsampling"
        )
    if num_graphs // 2 < num_folds:
        reason = f"needs at least {2 * num_folds} graphs on each side, got {num_graphs}"
        return DiscrepancyScores(None, None, {}, num_graphs, num_dropped, reason)
    kept = [_kept(size, num_graphs, seed) for size in (num_reference, num_generated)]
    judge = _Judge(variant, classifier, num_folds, seed)
    scores = {name: judge.scores((x[kept[0]], y[kept[1]])) for name, (x, y) in described.items()}
    chosen = max(scores, key=lambda name: scores[name][0])
    subscores = {name: held_out for name, (_, held_out) in scores.items()}
    return DiscrepancyScores(subscores[chosen], chosen, subscores, num_graphs, num_dropped)


@dataclass(frozen=True)
class _Judge:
    variant: Variant
    classifier: Callable[[], Classifier]
    num_folds: int
    seed: int

    def scores(self, pair: Pair) -> tuple[float, float]:
        """Returns the cross-validated score within one half of the graphs and the score on the other half."""
        train, test = _halves(padded(*pair), self.seed)
        standardised = Standardisation.fitted(np.concatenate(train))
        train = (standardised(train[0]), standardised(train[1]))
        test = (standardised(test[0]), standardised(test[1]))
        folds = _folds(train, self.num_folds, self.seed)
        return float(np.mean([self._score(*fold) for fold in folds])), self._score(train, test)

    def _score(self, train: Pair, test: Pair) -> float:
        predict = _fitted(self.classifier(), train)
        reference, generated = predict(test[0]), predict(test[1])
        if self.variant == "jsd":
            return _jensen_shannon(reference, generated)
        threshold = _best_threshold(predict(train[0]), predict(train[1]))
        return float((reference >= threshold).mean() - (generated >= threshold).mean())


def _set_sizes(described: Mapping[str, Pair]) -> tuple[int, int]:
    sizes = {(len(x), len(y)) for x, y in described.values()}
    if len(sizes) != 1:
        raise InputError(
            f"expected descriptors of the same reference and generated graphs, got set sizes {sorted(sizes)}"
        )
    return sizes.pop()


def _kept(size: int, num_graphs: int, seed: int) -> Ints:
    if size == num_graphs:
        return np.arange(size)
    return np.sort(np.random.default_rng(seed).choice(size, size=num_graphs, replace=False))


def _halves(pair: Pair, seed: int) -> tuple[Pair, Pair]:
    """Returns a random half of the graphs of both sets, and the others."""
    generator = np.random.default_rng(seed)
    drawn = [generator.choice(len(side), size=len(side) // 2, replace=False) for side in pair]
    rest = [np.setdiff1d(np.arange(len(side)), picked) for side, picked in zip(pair, drawn, strict=True)]
    return (pair[0][drawn[0]], pair[1][drawn[1]]), (pair[0][rest[0]], pair[1][rest[1]])


def _folds(pair: Pair, num_folds: int, seed: int) -> Iterator[tuple[Pair, Pair]]:
    """Yields the graphs to fit and the graphs to judge by, for every fold."""
    from sklearn.model_selection import StratifiedKFold

    vectors, labels = _labelled(pair)
    splitter = StratifiedKFold(n_splits=num_folds, shuffle=True, random_state=seed)
    for parts in splitter.split(vectors, labels):
        fit, judge = ((vectors[part[labels[part] == 1]], vectors[part[labels[part] == 0]]) for part in parts)
        yield fit, judge


def _labelled(pair: Pair) -> tuple[Vectors, Floats]:
    return np.concatenate(pair), np.repeat([1.0, 0.0], [len(pair[0]), len(pair[1])])


def _fitted(classifier: Classifier, pair: Pair) -> Predictor:
    """Returns the probability of being a reference graph, 1/2 where all vectors to learn from are equal."""
    vectors, labels = _labelled(pair)
    if (vectors == vectors[0]).all():
        return lambda x: np.full(len(x), 0.5)
    classifier.fit(vectors, labels)
    return lambda x: np.asarray(classifier.predict_proba(x), dtype=np.float64)[:, 1]


def _jensen_shannon(reference: Floats, generated: Floats) -> float:
    log_likelihood = np.log2(reference + _EPSILON).mean() + np.log2(1 - generated + _EPSILON).mean()
    return float(np.sqrt(np.clip(0.5 * (log_likelihood + 2), 0.0, 1.0)))


def _best_threshold(reference: Floats, generated: Floats) -> float:
    """Returns the threshold with the largest true minus false positive rate, the highest of equals."""
    thresholds = np.append(np.inf, np.unique(np.concatenate([reference, generated]))[::-1])
    rates = [(side[None, :] >= thresholds[:, None]).mean(axis=1) for side in (reference, generated)]
    return float(thresholds[np.argmax(rates[0] - rates[1])])
