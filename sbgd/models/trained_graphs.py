"""A trained SGGM as sampling needs it, and its form in a model folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sbgd.data.graph_schema import GraphSchema
from sbgd.data.scaler import FeatureScaler
from sbgd.diffusion.sde import SDE, VE, VP, SubVP
from sbgd.errors import InputError
from sbgd.models.graph_diffusion import GraphDiffusion
from sbgd.networks import BlockDenoiser, FeatureDenoiser, build, describe

_SDES: Mapping[str, type[VP] | type[SubVP] | type[VE]] = {"vp": VP, "subvp": SubVP, "ve": VE}


@dataclass(frozen=True)
class TrainedGraphModel:
    """Everything that sampling of whole graphs needs.

    Attributes:
        diffusion: Network and SDEs.
        schema: What of a graph is modelled, and how values are encoded.
        sizes: Number of nodes of every training graph, int64 (g,).
        degrees: Mean degree of every training graph, float64 (g,).
        metadata: Primitive values about the run: data set, version, digests.
    """

    diffusion: GraphDiffusion
    schema: GraphSchema
    sizes: NDArray[np.int64]
    degrees: NDArray[np.float64]
    metadata: dict[str, Any] = field(default_factory=dict)

    def description(self) -> dict[str, Any]:
        """Returns names and primitive arguments."""
        model = self.diffusion
        return {
            "denoiser": describe(model.denoiser),
            "paradigm": model.paradigm,
            "edge_sde": _describe(model.edge_sde),
            "feature_sde": _describe(model.feature_sde),
            "is_binary": self.schema.is_binary,
            "categories": self.schema.categories,
            "metadata": self.metadata,
        }

    def tensors(self) -> dict[str, torch.Tensor]:
        """Returns all arrays by name."""
        return {
            **{f"weights.{name}": value.contiguous() for name, value in self.diffusion.state_dict().items()},
            "graphs.sizes": torch.from_numpy(self.sizes),
            "graphs.degrees": torch.from_numpy(self.degrees),
            "scaler.mean": torch.from_numpy(self.schema.scaler.mean),
            "scaler.scale": torch.from_numpy(self.schema.scaler.scale),
            "schema.classes": torch.from_numpy(self.schema.classes),
            "schema.edge_types": torch.from_numpy(self.schema.edge_types),
        }

    @classmethod
    def from_parts(cls, description: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> TrainedGraphModel:
        """Builds a model from what `description` and `tensors` returned.

        Raises:
            InputError: A network or SDE is unknown or of the wrong kind, or its widths are not those of the schema.
            KeyError: A key or tensor is missing.
            RuntimeError: Weights do not fit.
        """
        denoiser = build(description["denoiser"])
        if not isinstance(denoiser, BlockDenoiser | FeatureDenoiser):
            raise InputError("expected a block or feature denoiser in an SGGM, got another; the file is damaged")
        schema = GraphSchema(
            FeatureScaler(tensors["scaler.mean"].numpy(), tensors["scaler.scale"].numpy()),
            description["is_binary"],
            description["categories"],
            tensors["schema.classes"].numpy(),
            tensors["schema.edge_types"].numpy(),
        )
        types = denoiser.num_edge_types if isinstance(denoiser, BlockDenoiser) else schema.num_edge_types
        if denoiser.num_features != schema.num_features + schema.num_classes or types != schema.num_edge_types:
            raise InputError("expected a network of the width of its data, got another; the model file is damaged")
        diffusion = GraphDiffusion(
            denoiser,
            paradigm=description["paradigm"],
            edge_sde=_build(description["edge_sde"]),
            feature_sde=_build(description["feature_sde"]),
            num_classes=schema.num_classes,
            is_binary=schema.is_binary,
        )
        weights = {key.removeprefix("weights."): value for key, value in tensors.items() if key.startswith("weights.")}
        diffusion.load_state_dict(weights)
        sizes, degrees = tensors["graphs.sizes"].numpy(), tensors["graphs.degrees"].numpy()
        if not len(sizes) or len(sizes) != len(degrees) or sizes.min() < 1:
            raise InputError("expected the sizes of training graphs, got none; the model file is damaged")
        return cls(diffusion.eval(), schema, sizes, degrees, dict(description.get("metadata", {})))


def _describe(sde: SDE) -> dict[str, Any]:
    if not isinstance(sde, VP | VE):
        raise InputError(f"expected an SDE out of {', '.join(_SDES)}, got {type(sde).__name__}")
    return {"name": sde.name, **asdict(sde)}


def _build(description: Mapping[str, Any]) -> SDE:
    arguments = {key: value for key, value in description.items() if key != "name"}
    try:
        return _SDES[description["name"]](**arguments)
    except (KeyError, TypeError) as error:
        raise InputError(f"expected an SDE out of {', '.join(_SDES)}, got {description}") from error
