"""Gaussian node features on a fixed graph: X | A ~ N(mean, Sigma(A) x C), Sigma over nodes and C over columns.

The law is diagonal in the product of the two eigenbases, with variances h(lambda_i) c_j: N F scalar problems, of which
equal ones are merged. Independent columns of one law have C = I.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sbgd.errors import InputError
from sbgd.theory.covariance import Covariance
from sbgd.theory.law import Array, GaussianLaw
from sbgd.theory.spectrum import Spectrum


@dataclass(frozen=True, eq=False)
class GaussianFeatureModel:
    """A law of features (N, F) given a graph.

    Attributes:
        spectrum: Eigenvalues of the graph matrix that the covariance is a function of.
        covariance: Profile h with Sigma = h(M).
        num_features: Number of columns F, at least 1.
        feature_variances: Optional float64 (F,): eigenvalues c_j of the covariance of the columns; 1 by default.
        means: Optional float64 (m,): mean of every column along each eigenvector; 0 by default.
        scale: Factor on the features, means included.
    """

    spectrum: Spectrum
    covariance: Covariance
    num_features: int = 50
    feature_variances: Array | None = None
    means: Array | None = None
    scale: float = 1.0

    def __post_init__(self) -> None:
        if self.num_features < 1:
            raise InputError(f"expected num_features of at least 1, got {self.num_features}")
        if self.feature_variances is not None and np.shape(self.feature_variances) != (self.num_features,):
            raise InputError(
                f"expected {self.num_features} feature variances, got shape {np.shape(self.feature_variances)}"
            )

    def law(self) -> GaussianLaw:
        """Returns the law as scalar problems.

        Raises:
            InputError: The covariance is not positive on this graph.
        """
        profile = self.covariance(self.spectrum.eigenvalues)
        means = np.zeros_like(profile) if self.means is None else np.asarray(self.means, np.float64)
        columns = np.ones(self.num_features) if self.feature_variances is None else self.feature_variances
        values, counts = np.unique(columns, return_counts=True)
        law = GaussianLaw.of(
            np.outer(values, profile).ravel(),
            weights=np.outer(counts, self.spectrum.weights).ravel(),
            means=np.tile(means, len(values)),
        )
        return law.scaled(self.scale)

    def standardised(self) -> GaussianFeatureModel:
        """Returns the model scaled so that an entry has unit variance on average, as one scaler for all columns does.

        Raises:
            InputError: The features have no variance.
        """
        variance = self.law().mean_variance
        if variance == 0:
            raise InputError("expected features that vary, got variance 0; there is nothing to scale")
        return replace(self, scale=self.scale / float(np.sqrt(variance)))
