"""A trained model on disk: `model.safetensors` and `model.json`, readable without unpickling anything.

The tensors hold the weights and the training quotients, the JSON holds names and primitive arguments.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load_file, save

from sbgd.data.scaler import FeatureScaler
from sbgd.diffusion import CategoricalProcess, CosineSchedule, GaussianProcess, Process, Schedule, VPSchedule
from sbgd.errors import InputError
from sbgd.models.block_diffusion import BlockDiffusion
from sbgd.models.trained_graphs import TrainedGraphModel
from sbgd.networks import BlockDenoiser, EdgeScorer, PairDenoiser, build, describe
from sbgd.partition import Quotient

SCHEMA = 1
WEIGHTS, DESCRIPTION = "model.safetensors", "model.json"


@dataclass(frozen=True)
class TrainedModel:
    """Everything that sampling needs.

    Attributes:
        diffusion: Networks and processes.
        quotients: Training quotients, from which the quotients of new graphs are drawn.
        scaler: Undoes the standardisation of node features.
        metadata: Primitive values about the run: data set, version, digests.
    """

    diffusion: BlockDiffusion
    quotients: Sequence[Quotient]
    scaler: FeatureScaler
    metadata: dict[str, Any] = field(default_factory=dict)


Trained = TrainedModel | TrainedGraphModel
"""A model of either family."""


def save_model(folder: Path, trained: Trained) -> None:
    """Writes a model into a folder, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    if isinstance(trained, TrainedGraphModel):
        tensors, description = trained.tensors(), {"schema": SCHEMA, "model": "sggm", **trained.description()}
    else:
        tensors, description = _tensors(trained), _description(trained)
    (folder / WEIGHTS).write_bytes(save(tensors))
    (folder / DESCRIPTION).write_text(json.dumps(description, indent=2, sort_keys=True) + "\n")


def load_model(folder: Path | str) -> TrainedModel:
    """Reads the folder of a block model.

    Raises:
        InputError: As in `load_any_model`, or the model is of whole graphs.
    """
    trained = load_any_model(folder)
    if not isinstance(trained, TrainedModel):
        raise InputError(f"expected a block model (sbgd) in {folder}, got one of whole graphs (sggm)")
    return trained


def load_any_model(folder: Path | str) -> Trained:
    """Reads a model folder.

    Raises:
        InputError: Files are missing or damaged, or the model is of another kind or version.
    """
    folder = Path(folder)
    for name in (DESCRIPTION, WEIGHTS):
        if not (folder / name).is_file():
            raise InputError(f"expected a model folder with {DESCRIPTION} and {WEIGHTS}, got no {name} in {folder}")
    try:
        description = json.loads((folder / DESCRIPTION).read_text())
        tensors = load_file(folder / WEIGHTS)
    except (json.JSONDecodeError, UnicodeDecodeError, SafetensorError) as error:
        raise InputError(f"expected a whole model in {folder}, got a damaged one: {error}") from error
    if isinstance(description, dict) and description.get("schema") not in (None, SCHEMA):
        raise InputError(
            f"expected a model of schema {SCHEMA}, got schema {description['schema']} in {folder / DESCRIPTION}; "
            "use the version of sbgd that wrote it"
        )
    known = isinstance(description, dict) and description.get("model") in ("sbgd", "sggm")
    if not known or description.get("schema") != SCHEMA:
        raise InputError(
            f"expected an sbgd model of schema {SCHEMA} in {folder / DESCRIPTION}, got another kind of file"
        )
    _check_finite(tensors, folder)
    if description["model"] == "sggm":
        return _graph_model(description, tensors, folder)
    diffusion = _build(description)
    try:
        diffusion.load_state_dict(_under(tensors, "weights."))
        quotients = _unpack({name: tensor.numpy() for name, tensor in _under(tensors, "quotients.").items()})
        scaler = FeatureScaler(tensors["scaler.mean"].numpy(), tensors["scaler.scale"].numpy())
    except (RuntimeError, KeyError, ValueError, IndexError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"expected weights that fit {DESCRIPTION} in {folder}, got: {reason}") from error
    if not quotients:
        raise InputError(f"expected training quotients in {folder / WEIGHTS}, got none; the model file is damaged")
    return TrainedModel(diffusion.eval(), quotients, scaler, description.get("metadata", {}))


def _graph_model(description: dict[str, Any], tensors: dict[str, torch.Tensor], folder: Path) -> TrainedGraphModel:
    try:
        return TrainedGraphModel.from_parts(description, tensors)
    except KeyError as error:
        raise InputError(f"expected the key {error} in the model of {folder}, got none; it is damaged") from error
    except (RuntimeError, AttributeError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        reason = " ".join(str(error).split())
        raise InputError(f"expected weights that fit {DESCRIPTION} in {folder}, got: {reason}") from error


def _check_finite(tensors: dict[str, torch.Tensor], folder: Path) -> None:
    broken = [name for name, tensor in tensors.items() if not bool(torch.isfinite(tensor).all())]
    if broken:
        raise InputError(f"expected finite weights in {folder / WEIGHTS}, got others in {broken[0]}; train again")


def _tensors(trained: TrainedModel) -> dict[str, torch.Tensor]:
    tensors = {f"weights.{name}": value.contiguous() for name, value in trained.diffusion.state_dict().items()}
    for name, array in _pack(trained.quotients).items():
        tensors[f"quotients.{name}"] = torch.from_numpy(array)
    tensors["scaler.mean"] = torch.from_numpy(trained.scaler.mean)
    tensors["scaler.scale"] = torch.from_numpy(trained.scaler.scale)
    return tensors


def _description(trained: TrainedModel) -> dict[str, Any]:
    model = trained.diffusion
    networks = {
        name: None if network is None else describe(network)
        for name, network in (
            ("block_denoiser", model.block_denoiser),
            ("edge_scorer", model.edge_scorer),
            ("pair_denoiser", model.pair_denoiser),
        )
    }
    return {
        "schema": SCHEMA,
        "model": "sbgd",
        **networks,
        "process": _describe_process(model.process),
        "feature_process": _describe_process(model.feature_process),
        "factorisation": model.factorisation,
        "degree_lists": model.degree_lists,
        "max_scored_edges": model.max_scored_edges,
        "metadata": trained.metadata,
    }


def _build(description: dict[str, Any]) -> BlockDiffusion:
    try:
        networks = {
            name: None if description[name] is None else build(description[name])
            for name in ("block_denoiser", "edge_scorer", "pair_denoiser")
        }
        block_denoiser, edge_scorer, pair_denoiser = networks.values()
        feature_process = _build_process(description["feature_process"])
        if (
            not isinstance(block_denoiser, BlockDenoiser)
            or not isinstance(edge_scorer, EdgeScorer | None)
            or not isinstance(pair_denoiser, PairDenoiser | None)
            or not isinstance(feature_process, GaussianProcess)
        ):
            raise InputError("expected each network in its own role, got them mixed up; the model file is damaged")
        return BlockDiffusion(
            block_denoiser,
            edge_scorer,
            pair_denoiser,
            process=_build_process(description["process"]),
            feature_process=feature_process,
            factorisation=description["factorisation"],
            degree_lists=description["degree_lists"],
            max_scored_edges=description["max_scored_edges"],
        )
    except KeyError as error:
        raise InputError(f"expected the key {error} in {DESCRIPTION}, got none; the model file is damaged") from error
    except (TypeError, AttributeError) as error:
        raise InputError(f"expected values as saved in {DESCRIPTION}, got another type: {error}") from error


def _describe_process(process: Process) -> dict[str, Any]:
    schedule = process.schedule
    if isinstance(schedule, VPSchedule):
        arguments = {"name": "vp", "beta_min": schedule.beta_min, "beta_max": schedule.beta_max}
    else:
        arguments = {"name": "cosine"}
    described: dict[str, Any] = {"name": process.name, "schedule": arguments}
    if isinstance(process, GaussianProcess):
        described["variance"] = process.variance
    return described


def _build_process(description: dict[str, Any]) -> Process:
    name, schedule = description["name"], description["schedule"]
    if name not in ("categorical", "gaussian") or schedule["name"] not in ("vp", "cosine"):
        raise InputError(
            f"expected a process out of categorical and gaussian with schedule vp or cosine, got {description}"
        )
    kind: Schedule = CosineSchedule()
    if schedule["name"] == "vp":
        kind = VPSchedule(schedule["beta_min"], schedule["beta_max"])
    return GaussianProcess(kind, description["variance"]) if name == "gaussian" else CategoricalProcess(kind)


def _pack(quotients: Sequence[Quotient]) -> dict[str, NDArray[Any]]:
    """Concatenates quotients into arrays of the smallest integer types."""
    arrays = [quotient.to_arrays() for quotient in quotients]
    packed = {name: np.concatenate([each[name] for each in arrays]) for name in arrays[0]}
    packed["blocks"] = np.array([quotient.num_blocks for quotient in quotients], np.int64)
    packed["links"] = np.array([quotient.num_pairs for quotient in quotients], np.int64)
    return {name: _narrow(array) for name, array in packed.items()}


def _narrow(array: NDArray[np.int64]) -> NDArray[Any]:
    largest = int(array.max(initial=0))
    dtype = next(kind for kind in (np.uint8, np.int16, np.int32, np.int64) if largest <= np.iinfo(kind).max)
    return np.ascontiguousarray(array.astype(dtype))


def _unpack(packed: dict[str, NDArray[Any]]) -> list[Quotient]:
    wide = {name: array.astype(np.int64) for name, array in packed.items()}
    blocks = np.concatenate([[0], np.cumsum(wide["blocks"])])
    links = np.concatenate([[0], np.cumsum(wide["links"])])
    nodes = np.concatenate([[0], np.cumsum(wide["num_nodes"])])[blocks]
    quotients = []
    for row in range(len(wide["blocks"])):
        of_blocks, of_links = slice(blocks[row], blocks[row + 1]), slice(links[row], links[row + 1])
        of_nodes = slice(nodes[row], nodes[row + 1])
        cuts = {
            "num_nodes": of_blocks,
            "num_edges": of_blocks,
            "pairs": of_links,
            "pair_edges": of_links,
            "inner_degree": of_nodes,
            "outer_degree": of_nodes,
        }
        quotients.append(Quotient.from_arrays({name: wide[name][cut] for name, cut in cuts.items()}))
    return quotients


def _under(tensors: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
