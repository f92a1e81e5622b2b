"""Scalable graph diffusion: graphs are generated block by block, so memory follows the block and not the graph.

The names below are loaded when first used, so that `import sbgd` is fast and does not import torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from sbgd.version import __version__

if TYPE_CHECKING:
    from sbgd.data.sources import load_dataset
    from sbgd.evaluation import evaluate
    from sbgd.formats import save
    from sbgd.formats.sharded import load
    from sbgd.graph import Graph
    from sbgd.models import load_model
    from sbgd.sampling import generate

__all__ = ["Graph", "__version__", "evaluate", "generate", "load", "load_dataset", "load_model", "save"]

_HOMES = {
    "Graph": "sbgd.graph",
    "evaluate": "sbgd.evaluation",
    "generate": "sbgd.sampling",
    "load": "sbgd.formats.sharded",
    "load_dataset": "sbgd.data.sources",
    "load_model": "sbgd.models",
    "save": "sbgd.formats",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sbgd' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
