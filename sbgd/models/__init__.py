"""Models: the Lightning modules, the bare models they train, and model folders."""

from sbgd.models.block_diffusion import BlockDiffusion
from sbgd.models.graph_diffusion import GraphDiffusion
from sbgd.models.model_folder import TrainedModel, load_any_model, load_model, save_model
from sbgd.models.module import DiffusionModule
from sbgd.models.sbgd import SBGD
from sbgd.models.sggm import SGGM
from sbgd.models.trained_graphs import TrainedGraphModel

__all__ = [
    "SBGD",
    "SGGM",
    "BlockDiffusion",
    "DiffusionModule",
    "GraphDiffusion",
    "TrainedGraphModel",
    "TrainedModel",
    "load_any_model",
    "load_model",
    "save_model",
]
