"""Sampling: plan, quotient prior, block and pair samplers, assembly."""

from sbgd.sampling.block_sampler import SolverOptions
from sbgd.sampling.denoising import BlockPath, block_path
from sbgd.sampling.generate import Samples, generate
from sbgd.sampling.graph_sampler import GraphSolverOptions, generate_graphs
from sbgd.sampling.quotient_prior import QuotientPrior
from sbgd.sampling.request import requested_sizes

__all__ = [
    "BlockPath",
    "GraphSolverOptions",
    "QuotientPrior",
    "Samples",
    "SolverOptions",
    "block_path",
    "generate",
    "generate_graphs",
    "requested_sizes",
]
