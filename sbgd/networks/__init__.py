"""Networks: structural features, block denoisers, the two tiers of the pair model, feature denoisers."""

from sbgd.networks.attention import GraphAttention
from sbgd.networks.block_denoiser import BlockDenoiser, NoisyBlocks
from sbgd.networks.edge_scorer import EdgeScorer
from sbgd.networks.feature_denoiser import FeatureDenoiser, MessagePassing
from sbgd.networks.gin import GIN
from sbgd.networks.pair_denoiser import NoisyPairs, PairDenoiser
from sbgd.networks.ppgn import PPGN
from sbgd.networks.registry import build, describe

__all__ = [
    "GIN",
    "PPGN",
    "BlockDenoiser",
    "EdgeScorer",
    "FeatureDenoiser",
    "GraphAttention",
    "MessagePassing",
    "NoisyBlocks",
    "NoisyPairs",
    "PairDenoiser",
    "build",
    "describe",
]
