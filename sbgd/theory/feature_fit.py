"""A Gaussian feature model of a real graph with features: its spectrum, its columns, and the profile between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sbgd.errors import InputError
from sbgd.graph import Graph
from sbgd.theory.columns import Columns
from sbgd.theory.covariance import LogSplineCovariance
from sbgd.theory.feature_model import GaussianFeatureModel
from sbgd.theory.lanczos import Measure, energy_measure, lanczos_spectrum
from sbgd.theory.profile_fit import fit_profile
from sbgd.theory.spectrum import GraphMatrix, Spectrum, graph_matrix

MAX_EXACT_NODES = 2000
NUM_PROBES = 32


@dataclass(frozen=True, eq=False)
class FeatureFit:
    """A Gaussian feature model of a graph with features.

    Attributes:
        matrix: Graph matrix whose spectrum is used.
        spectrum: Its eigenvalues.
        covariance: Fitted profile of a standardised column.
        columns: Standardised columns and what was dropped.
        gain: Log-likelihood per entry above that of white features, in nats: what the graph tells of the features.
    """

    matrix: GraphMatrix
    spectrum: Spectrum
    covariance: LogSplineCovariance
    columns: Columns
    gain: float

    def model(self, *, standardised: bool, correlated: bool = True) -> GaussianFeatureModel:
        """Returns the law of the features, as they came or with every column scaled to unit variance.

        Args:
            standardised: Whether columns are scaled.
            correlated: Whether correlations of columns count; above 2,000 columns they do not.
        """
        variances = self.columns.eigenvalues(standardised=standardised, correlated=correlated)
        return GaussianFeatureModel(self.spectrum, self.covariance, self.columns.num_columns, variances)

    def summary(self) -> dict[str, Any]:
        """Returns what was fitted and what was dropped, as plain data."""
        profile = self.covariance(self.spectrum.eigenvalues)
        return {
            "matrix": self.matrix,
            "spectral_radius": self.spectrum.radius,
            "smallest_variance": float(profile.min()),
            "largest_variance": float(profile.max()),
            "log_likelihood_gain_per_entry": self.gain,
            "num_columns": self.columns.num_columns,
            "num_constant_columns": self.columns.num_constant,
            "num_missing_entries": self.columns.num_missing,
        }


def fit_features(
    graph: Graph,
    features: ArrayLike | None = None,
    matrix: GraphMatrix = "normalised",
    *,
    rng: np.random.Generator | None = None,
) -> FeatureFit:
    """Fits the profile of variances over graph frequencies.

    Args:
        graph: A graph with N nodes; above 2,000 its spectrum is estimated by Lanczos quadrature.
        features: Real-valued (N, F), the features of the graph by default; entries may be missing (not finite).
        matrix: Graph matrix whose eigenvectors are the frequencies.
        rng: Generator for the quadrature; a fixed seed by default.

    Raises:
        InputError: There are no features, they do not fit the nodes, or no column varies.
    """
    given = graph.features if features is None else features
    if given is None:
        raise InputError("expected a graph with node features, got none; pass features (N, F)")
    columns = Columns.of(given)
    if len(columns.values) != graph.num_nodes:
        raise InputError(f"expected {graph.num_nodes} feature rows, one a node, got {len(columns.values)}")
    if graph.num_nodes <= MAX_EXACT_NODES:
        spectrum, density, energy, count = _decomposed(graph, columns, matrix)
    else:
        spectrum, density, energy, count = _estimated(graph, columns, matrix, rng or np.random.default_rng(0))
    covariance, gain = fit_profile(density, energy, num_columns=count)
    return FeatureFit(matrix, spectrum, covariance, columns, gain)


def _decomposed(graph: Graph, columns: Columns, matrix: GraphMatrix) -> tuple[Spectrum, Measure, Measure, float]:
    eigenvalues, vectors = np.linalg.eigh(graph_matrix(graph, matrix).toarray())
    # centred columns have nothing along the constant vector, whose frequencies must not count as empty
    freedom = 1 - vectors.sum(axis=0) ** 2 / graph.num_nodes
    energies = ((vectors.T @ columns.values) ** 2).mean(axis=1)
    return Spectrum.of(eigenvalues), (eigenvalues, freedom), (eigenvalues, energies), columns.effective_number


def _estimated(
    graph: Graph, columns: Columns, matrix: GraphMatrix, rng: np.random.Generator
) -> tuple[Spectrum, Measure, Measure, float]:
    sparse_matrix, spectrum = graph_matrix(graph, matrix), lanczos_spectrum(graph, matrix, rng=rng)
    constant = np.full((1, graph.num_nodes), graph.num_nodes**-0.5)
    nodes, weights = energy_measure(sparse_matrix, constant)
    density = np.concatenate([spectrum.eigenvalues, nodes]), np.concatenate([spectrum.weights, -weights])
    # random mixtures of columns have the mean energy measure of the columns
    probes = columns.values.T
    if columns.num_columns > NUM_PROBES:
        mixture = rng.standard_normal((NUM_PROBES, columns.num_columns)) / np.sqrt(columns.num_columns)
        probes = mixture @ probes
    places, energies = energy_measure(sparse_matrix, probes)
    return spectrum, density, (places, energies / len(probes)), min(columns.effective_number, NUM_PROBES)
