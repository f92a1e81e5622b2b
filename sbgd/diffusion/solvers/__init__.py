"""Solvers of reverse SDEs and of the probability flow ODE, one a file."""

from sbgd.diffusion.solvers.ancestral import Ancestral
from sbgd.diffusion.solvers.euler_maruyama import EulerMaruyama
from sbgd.diffusion.solvers.langevin import PredictorCorrector
from sbgd.diffusion.solvers.likelihood import log_likelihood
from sbgd.diffusion.solvers.posterior import PosteriorSampling
from sbgd.diffusion.solvers.probability_flow import AdaptiveHeun, Heun
from sbgd.diffusion.solvers.reverse_diffusion import ReverseDiffusion
from sbgd.diffusion.solvers.solver import Solver, solve
from sbgd.diffusion.solvers.splitting import S4

__all__ = [
    "S4",
    "AdaptiveHeun",
    "Ancestral",
    "EulerMaruyama",
    "Heun",
    "PosteriorSampling",
    "PredictorCorrector",
    "ReverseDiffusion",
    "Solver",
    "log_likelihood",
    "solve",
]
