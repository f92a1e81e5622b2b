"""Where graphs come from: bundled, drawn by a recipe, published under a name, or a path."""

from sbgd.data.sources.datasets import BUNDLED, RECIPES, dataset_names, load_dataset
from sbgd.data.sources.published import published

__all__ = ["BUNDLED", "RECIPES", "dataset_names", "load_dataset", "published"]
