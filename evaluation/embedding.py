"""All metrics between two sets of graph embeddings: Frechet distance, PRDC and MMD^2 with two kernels.

The order of the published code is kept: columns are standardised by the reference, then every metric is taken on the
same standardised vectors.

References:
    Thompson et al., 2022, "On evaluation metrics for graph generative models", arXiv:2201.09871.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sbgd.errors import InputError
from sbgd.evaluation.distances import Euclidean, Vectors
from sbgd.evaluation.frechet import frechet_distance
from sbgd.evaluation.kernels import GaussianRange, Kernel, Linear
from sbgd.evaluation.mmd import Grams, biased_mmd
from sbgd.evaluation.prdc import prdc
from sbgd.evaluation.standardisation import Standardisation

_BALLS = ("precision", "recall", "f1_pr", "density", "coverage", "f1_dc")


@dataclass(frozen=True)
class EmbeddingScores:
    """Metrics between two sets of embeddings; None where a set is too small, and then `reasons` says so.

    Attributes:
        frechet: Frechet distance, >= 0, 0 for equal means and covariances.
        precision: As in `PRDC`, like the next five.
        recall: As in `PRDC`.
        f1_pr: As in `PRDC`.
        density: As in `PRDC`.
        coverage: As in `PRDC`.
        f1_dc: As in `PRDC`.
        mmd_rbf: Biased MMD^2 with the Gaussian kernel, at the one of ten widths where it is largest.
        mmd_linear: Squared distance between the means.
        reasons: Why a metric is None, by its name.
    """

    frechet: float | None
    precision: float | None
    recall: float | None
    f1_pr: float | None
    density: float | None
    coverage: float | None
    f1_dc: float | None
    mmd_rbf: float
    mmd_linear: float
    reasons: Mapping[str, str] = field(default_factory=dict)


class EmbeddingMetrics:
    """Judges sets of generated embeddings by one set of reference embeddings.

    Args:
        reference: Vectors (m, K), m >= 1.
        standardise: Whether columns are centred and scaled by the moments of the reference.
        swapped: Defect of EDGE: generated and reference change places, so that the scale is that of the generated
            graphs, precision is called recall, and density and coverage look from the wrong side.
        k: Neighbours of PRDC.

    Raises:
        InputError: The reference is empty.
    """

    def __init__(self, reference: Vectors, *, standardise: bool = True, swapped: bool = False, k: int = 5) -> None:
        _check_occupied("reference", reference)
        self._raw, self._swapped, self._k = reference, swapped, k
        self._standardisation = Standardisation.fitted(reference) if standardise else None
        self._reference = self._standardised(reference)

    def __call__(self, generated: Vectors) -> EmbeddingScores:
        """Returns all metrics of generated vectors (n, K).

        Raises:
            InputError: There are none.
        """
        _check_occupied("generated", generated)
        if self._swapped:
            standardise = self._standardisation is not None
            return EmbeddingMetrics(generated, standardise=standardise, k=self._k)(self._raw)
        return self._scores(self._standardised(generated))

    def _standardised(self, vectors: Vectors) -> Vectors:
        return vectors if self._standardisation is None else self._standardisation(vectors)

    def _scores(self, generated: Vectors) -> EmbeddingScores:
        frechet = frechet_distance(generated, self._reference)
        balls = prdc(generated, self._reference, k=self._k)
        sizes = f"got {len(generated)} generated and {len(self._reference)} reference graphs"
        reasons = {} if frechet is not None else {"frechet": f"needs at least 2 graphs on each side, {sizes}"}
        if balls is None:
            reasons |= dict.fromkeys(_BALLS, f"needs at least {self._k + 1} graphs on each side, {sizes}")
        return EmbeddingScores(
            frechet=frechet,
            **{name: None if balls is None else getattr(balls, name) for name in _BALLS},
            mmd_rbf=_largest_mmd(GaussianRange(Euclidean()), generated, self._reference),
            mmd_linear=_largest_mmd(Linear(), generated, self._reference),
            reasons=reasons,
        )


def _largest_mmd(kernel: Kernel, generated: Vectors, reference: Vectors) -> float:
    """Returns the largest biased MMD^2 over the widths of a kernel, at least 0."""
    xx, yy = kernel.compare(generated, generated), kernel.compare(reference, reference)
    xy = kernel.compare(generated, reference)
    return max(
        0.0,
        *(
            biased_mmd(Grams(xx=kernel.gram(xx, width), yy=kernel.gram(yy, width), xy=kernel.gram(xy, width)))
            for width in kernel.widths(xy, yy).tolist()
        ),
    )


def _check_occupied(which: str, vectors: Vectors) -> None:
    if not len(vectors):
        raise InputError(f"expected at least one {which} graph, got an empty set; check the file or the generator")
