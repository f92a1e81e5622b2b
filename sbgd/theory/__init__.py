"""Exact convergence of score-based generation of node features on a fixed graph, and advice that follows from it.

For Gaussian features X | A ~ N(0, Sigma(A)) the score is linear, the sampler's output is Gaussian, and its distance to
the data is a sum over the eigenvalues of the graph: no network, no sampling noise.
"""

from sbgd.theory.advice import Advice, advise, advise_graph
from sbgd.theory.bounds import PathBound, path_bound
from sbgd.theory.covariance import (
    Covariance,
    ExponentialCovariance,
    FilterCovariance,
    LogSplineCovariance,
    PolynomialCovariance,
    ResolventCovariance,
)
from sbgd.theory.curve import ErrorCurve
from sbgd.theory.divergence import METRICS, Divergence, Metric, divergence
from sbgd.theory.error_split import ErrorParts, ExactError, exact_error
from sbgd.theory.feature_fit import FeatureFit, fit_features
from sbgd.theory.feature_model import GaussianFeatureModel
from sbgd.theory.graphs import disjoint_union, graph_of_degrees, power_law_graph, regular_graph
from sbgd.theory.lanczos import lanczos_spectrum
from sbgd.theory.law import GaussianLaw
from sbgd.theory.reasons import Recommendation
from sbgd.theory.sampler import Sampler
from sbgd.theory.score import ScoreError
from sbgd.theory.sde import SDE, SDES, VE, VP, SubVP
from sbgd.theory.search import Candidates
from sbgd.theory.solvers import SOLVERS, Solver
from sbgd.theory.spectrum import GraphMatrix, Spectrum, exact_spectrum
from sbgd.theory.time_grid import GRIDS, LogSNRGrid, PowerGrid, TimeGrid

__all__ = [
    "GRIDS",
    "METRICS",
    "SDE",
    "SDES",
    "SOLVERS",
    "VE",
    "VP",
    "Advice",
    "Candidates",
    "Covariance",
    "Divergence",
    "ErrorCurve",
    "ErrorParts",
    "ExactError",
    "ExponentialCovariance",
    "FeatureFit",
    "FilterCovariance",
    "GaussianFeatureModel",
    "GaussianLaw",
    "GraphMatrix",
    "LogSNRGrid",
    "LogSplineCovariance",
    "Metric",
    "PathBound",
    "PolynomialCovariance",
    "PowerGrid",
    "Recommendation",
    "ResolventCovariance",
    "Sampler",
    "ScoreError",
    "Solver",
    "Spectrum",
    "SubVP",
    "TimeGrid",
    "advise",
    "advise_graph",
    "disjoint_union",
    "divergence",
    "exact_error",
    "exact_spectrum",
    "fit_features",
    "graph_of_degrees",
    "lanczos_spectrum",
    "path_bound",
    "power_law_graph",
    "regular_graph",
]
