"""Fits the variance profile h of features over graph frequencies.

The energy of a standardised column x at frequency i, (u_i . x)^2, is h(lambda_i) chi^2_1 under X | A ~ N(0, h(M)). With
energies e_i averaged over columns, the negative log-likelihood per column, up to a constant
sum_i (ln h(lambda_i) + e_i / h(lambda_i)) / 2, is convex in ln h. That is piecewise linear, with as many knots as give
the least BIC. The sums are integrals against the spectral density and the energy measure, so that Lanczos quadrature
serves for large graphs. Polynomials for ln h would do for S, but explode at the few large eigenvalues that hubs give A.

References:
    Whittle (1953), "Estimation and information in stationary time series", for the likelihood over frequencies;
    Perraudin & Vandergheynst (2017), arXiv 1601.02522, for stationary signals on graphs. The spline, its knots and its
    prior are our own instantiation.
"""

from __future__ import annotations

import numpy as np

from sbgd.theory.covariance import LogSplineCovariance
from sbgd.theory.lanczos import Measure
from sbgd.theory.law import Array

KNOTS = (1, 2, 3, 5, 9, 17)
# logs at neighbouring knots differ by a standard deviation of 2 a priori, which decides where there is no data
PRIOR_PRECISION = 0.25
LEAST_RATIO = 1e-8
# copies of one eigenvalue differ by rounding, and by more after 60 Lanczos steps: no knot must fall between them
CELLS = 200


def fit_profile(density: Measure, energy: Measure, *, num_columns: float) -> tuple[LogSplineCovariance, float]:
    """Fits ln h to energies at graph frequencies.

    Args:
        density: Graph frequencies and how many degrees of freedom the features have there.
        energy: Graph frequencies and the energy there, averaged over columns.
        num_columns: Number of independent columns averaged over, for the choice of knots.

    Returns:
        The profile of least BIC, at least 1e-8 of its largest value, and its gain over a constant one in nats an entry.
    """
    entries = float(density[1].sum()) * num_columns
    fits = [_fit(density, energy, knots, entries) for knots in _knot_choices(density)]
    scores = [loss * entries + 0.5 * np.log(entries) * len(profile.knots) for profile, loss in fits]
    profile, loss = fits[int(np.argmin(scores))]
    return profile, fits[0][1] - loss


def _knot_choices(density: Measure) -> list[Array]:
    """Knots that are even in the average of eigenvalue and rank, and so reach both bulk and outliers."""
    order = np.argsort(density[0])
    values, weights = density[0][order], np.maximum(density[1][order], 0.0)
    low, high = values[0], values[-1]
    if high - low < 1e-9:
        return [np.array([low])]
    units = (values - low) / (high - low)
    places = 0.5 * np.cumsum(weights) / weights.sum() + 0.5 * units
    shares = (np.linspace(0, 1, count) if count > 1 else np.array([0.5]) for count in KNOTS)
    cells = (np.unique(np.round(np.interp(share, places, units) * CELLS)) for share in shares)
    return [low + (high - low) * cell / CELLS for cell in cells]


def _fit(density: Measure, energy: Measure, knots: Array, entries: float) -> tuple[LogSplineCovariance, float]:
    """Minimises the convex loss by damped Newton steps; returns the profile and its loss per entry."""
    freedom = density[1].sum()
    hats, pull = _hats(energy[0], knots), density[1] @ _hats(density[0], knots) / freedom
    shares = energy[1] / freedom
    jumps = np.diff(np.eye(len(knots)), axis=0)
    prior = 2 * PRIOR_PRECISION / entries * jumps.T @ jumps

    def loss(logs: Array) -> float:
        return 0.5 * float(pull @ logs + shares @ np.exp(-hats @ logs) + 0.5 * logs @ prior @ logs)

    logs = np.full(len(knots), np.log(shares.sum()))
    for _ in range(100):
        ratios = shares * np.exp(-hats @ logs)
        gradient = pull - hats.T @ ratios + prior @ logs
        hessian = hats.T @ (ratios[:, None] * hats) + prior
        direction = np.asarray(np.linalg.lstsq(hessian, gradient, rcond=None)[0], np.float64)
        step = direction / max(1.0, float(np.abs(direction).max()))
        while loss(logs - step) > loss(logs) and np.abs(step).max() > 1e-12:
            step = step / 2
        logs = logs - step
        if np.abs(step).max() < 1e-9:
            break
    logs = np.maximum(logs, logs.max() + np.log(LEAST_RATIO))
    return LogSplineCovariance(tuple(knots.tolist()), tuple(logs.tolist())), loss(logs)


def _hats(eigenvalues: Array, knots: Array) -> Array:
    return np.stack([np.interp(eigenvalues, knots, unit) for unit in np.eye(len(knots))], axis=1)
