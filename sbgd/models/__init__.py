"""Models: the Lightning module, the bare model it trains, and model folders."""

from sbgd.models.block_diffusion import BlockDiffusion
from sbgd.models.model_folder import TrainedModel, load_model, save_model
from sbgd.models.sbgd import SBGD

__all__ = ["SBGD", "BlockDiffusion", "TrainedModel", "load_model", "save_model"]
