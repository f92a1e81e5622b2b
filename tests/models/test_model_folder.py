import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from sbgd.errors import InputError
from sbgd.models import BlockDiffusion, TrainedModel, load_model, save_model
from sbgd.partition import Quotient
from sbgd.sampling import SolverOptions, generate

WEIGHTS, DESCRIPTION = "model.safetensors", "model.json"
KEYS = [
    "block_denoiser",
    "edge_scorer",
    "pair_denoiser",
    "process",
    "feature_process",
    "factorisation",
    "degree_lists",
    "max_scored_edges",
]


@pytest.fixture
def folder(trained: TrainedModel, tmp_path: Path) -> Path:
    save_model(tmp_path / "model", trained)
    return tmp_path / "model"


def _edit_description(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    description = json.loads((folder / DESCRIPTION).read_text())
    changed = change(description)
    (folder / DESCRIPTION).write_text(json.dumps(description if changed is None else changed))


def _edit_tensors(folder: Path, change: Callable[[dict[str, torch.Tensor]], object]) -> None:
    tensors = load_file(folder / WEIGHTS)
    change(tensors)
    save_file(tensors, folder / WEIGHTS)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_loaded_model_generates_what_the_saved_one_does(trained: TrainedModel, folder: Path, seed: int) -> None:
    sizes, options = np.array([45, 60, 7]), SolverOptions(3)
    saved, loaded = (generate(each, sizes, seed=seed, options=options).graphs for each in (trained, load_model(folder)))
    for first, second in zip(saved, loaded, strict=True):
        assert np.array_equal(first.edges, second.edges)
        assert np.array_equal(first.features, second.features)


@pytest.mark.parametrize("process", ["categorical", "gaussian"])
@pytest.mark.parametrize("network", ["ppgn", "gin"])
@pytest.mark.parametrize(
    "options", [{"tiers": "scorer"}, {"tiers": "denoiser", "factorisation": "independent"}, {"max_scored_edges": 3}]
)
def test_every_kind_of_model_comes_back_as_it_was(
    make_diffusion: Callable[..., BlockDiffusion],
    trained: TrainedModel,
    tmp_path: Path,
    process: str,
    network: str,
    options: dict[str, Any],
) -> None:
    diffusion = make_diffusion(process=process, network=network, num_features=2, **options)
    save_model(tmp_path / "a", replace(trained, diffusion=diffusion))
    loaded = load_model(tmp_path / "a")
    assert loaded.diffusion.factorisation == diffusion.factorisation
    assert loaded.diffusion.max_scored_edges == diffusion.max_scored_edges
    assert loaded.diffusion.process.schedule == diffusion.process.schedule
    assert type(loaded.diffusion.process) is type(diffusion.process)
    weights = loaded.diffusion.state_dict()
    assert weights.keys() == diffusion.state_dict().keys()
    assert all(torch.equal(value, weights[name]) for name, value in diffusion.state_dict().items())
    save_model(tmp_path / "b", loaded)
    for name in (WEIGHTS, DESCRIPTION):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_quotients_scaler_and_metadata_come_back(trained: TrainedModel, folder: Path) -> None:
    loaded = load_model(folder)
    for first, second in zip(trained.quotients, loaded.quotients, strict=True):
        for name, array in first.to_arrays().items():
            assert np.array_equal(array, second.to_arrays()[name])
    assert loaded.scaler.mean.tolist() == [1000.0, -2.0]
    assert loaded.scaler.scale.tolist() == [5.0, 0.1]
    assert loaded.metadata == {"steps": 7}


@pytest.mark.parametrize("largest", [255, 256, 32_768, 2**31])
def test_counts_of_any_size_survive_their_narrow_types(trained: TrainedModel, tmp_path: Path, largest: int) -> None:
    side = 70_000
    sizes = np.array([side, side])
    outer = np.zeros(2 * side, np.int64)
    outer[0] = outer[side] = largest
    quotient = Quotient(sizes, np.zeros(2, np.int64), np.array([[0, 1]]), np.array([largest]), 0 * outer, outer)
    save_model(tmp_path, replace(trained, quotients=[quotient]))
    assert load_model(tmp_path).quotients[0].pair_edges.tolist() == [largest]


def test_saving_twice_gives_the_same_bytes(trained: TrainedModel, folder: Path) -> None:
    before = [(folder / name).read_bytes() for name in (WEIGHTS, DESCRIPTION)]
    save_model(folder, trained)
    assert [(folder / name).read_bytes() for name in (WEIGHTS, DESCRIPTION)] == before


def test_the_description_holds_primitive_values_alone(folder: Path) -> None:
    text = (folder / DESCRIPTION).read_text()
    assert json.loads(text)["schema"] == 1
    assert "sbgd." not in text
    assert "torch" not in text


def test_loading_never_unpickles(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> NoReturn:
        raise AssertionError("a file was unpickled")

    for name in ("torch.load", "pickle.load", "pickle.loads", "pickle.Unpickler"):
        monkeypatch.setattr(name, refuse)
    assert load_model(folder).diffusion.degree_lists


@pytest.mark.parametrize("name", [WEIGHTS, DESCRIPTION])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(InputError, match=f"got no {name} in"):
        load_model(folder)


@pytest.mark.parametrize("name", [WEIGHTS, DESCRIPTION])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99])
def test_a_truncated_file_is_refused(folder: Path, name: str, share: float) -> None:
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: int(share * len(content))])
    with pytest.raises(InputError, match="got a damaged one"):
        load_model(folder)


@pytest.mark.parametrize("name", [WEIGHTS, DESCRIPTION])
def test_other_bytes_are_refused(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"\x80\x02\xff\xfe" * 100)
    with pytest.raises(InputError, match="got a damaged one"):
        load_model(folder)


def test_another_schema_is_refused_with_both_numbers(folder: Path) -> None:
    _edit_description(folder, lambda description: {**description, "schema": 2})
    with pytest.raises(InputError, match=r"expected a model of schema 1, got schema 2 in .*model.json"):
        load_model(folder)


def test_another_model_is_refused(folder: Path) -> None:
    _edit_description(folder, lambda description: {**description, "model": "other"})
    with pytest.raises(InputError, match="got another kind of file"):
        load_model(folder)


def test_a_list_is_no_description(folder: Path) -> None:
    (folder / DESCRIPTION).write_text("[1]")
    with pytest.raises(InputError, match="got another kind of file"):
        load_model(folder)


@pytest.mark.parametrize("key", KEYS)
def test_a_missing_key_is_named(folder: Path, key: str) -> None:
    _edit_description(folder, lambda description: {k: v for k, v in description.items() if k != key})
    with pytest.raises(InputError, match=f"expected the key '{key}'"):
        load_model(folder)


@pytest.mark.parametrize("value", [3, "name", []], ids=str)
@pytest.mark.parametrize("key", ["block_denoiser", "edge_scorer", "process", "feature_process", "factorisation"])
def test_a_value_of_another_type_is_refused(folder: Path, key: str, value: object) -> None:
    _edit_description(folder, lambda description: {**description, key: value})
    with pytest.raises(InputError):
        load_model(folder)


@pytest.mark.parametrize(
    ("key", "change", "message"),
    [
        ("block_denoiser", {"name": "unheard_of", "arguments": {}}, "unheard_of"),
        ("block_denoiser", {"name": "edge_scorer", "arguments": {}}, "each network in its own role"),
        ("edge_scorer", {"name": "pair_denoiser", "arguments": {}}, "each network in its own role"),
        ("block_denoiser", {"name": "ppgn", "arguments": {"depth": 3}}, "depth"),
        ("process", {"name": "poisson", "schedule": {"name": "cosine"}}, "categorical.*poisson"),
        ("process", {"name": "categorical", "schedule": {"name": "linear"}}, "vp or cosine.*linear"),
        ("process", {"name": "categorical", "schedule": {"name": "vp"}}, "the key 'beta_min'"),
        ("feature_process", {"name": "categorical", "schedule": {"name": "cosine"}}, "each network in its own role"),
    ],
)
def test_a_part_that_is_not_known_is_named(folder: Path, key: str, change: dict[str, Any], message: str) -> None:
    _edit_description(folder, lambda description: {**description, key: change})
    with pytest.raises(InputError, match=message):
        load_model(folder)


def test_weights_of_another_width_are_listed(folder: Path) -> None:
    def widen(description: dict[str, Any]) -> None:
        description["block_denoiser"]["arguments"]["width"] = 9

    _edit_description(folder, widen)
    with pytest.raises(InputError, match=r"expected weights that fit model.json .*size mismatch for block_denoiser"):
        load_model(folder)


def test_missing_and_unexpected_weights_are_listed(folder: Path) -> None:
    tensors = load_file(folder / WEIGHTS)
    gone = next(name for name in tensors if name.startswith("weights.edge_scorer"))
    _edit_tensors(folder, lambda tensors: tensors.pop(gone))
    with pytest.raises(InputError, match=f"Missing key.*{gone.removeprefix('weights.')}"):
        load_model(folder)


def test_unexpected_weights_are_listed(folder: Path) -> None:
    _edit_tensors(folder, lambda tensors: tensors.update({"weights.extra": torch.zeros(1)}))
    with pytest.raises(InputError, match=r"Unexpected key.*extra"):
        load_model(folder)


@pytest.mark.parametrize("name", ["quotients.blocks", "quotients.pairs", "quotients.num_nodes", "scaler.mean"])
def test_a_missing_array_is_named(folder: Path, name: str) -> None:
    _edit_tensors(folder, lambda tensors: tensors.pop(name))
    with pytest.raises(InputError, match=f"got: '{name.removeprefix('quotients.')}'|named {name.split('.')[1]}"):
        load_model(folder)


@pytest.mark.parametrize("name", ["num_edges", "pair_edges", "inner_degree"])
def test_quotients_that_contradict_themselves_are_refused(folder: Path, name: str) -> None:
    _edit_tensors(folder, lambda tensors: tensors[f"quotients.{name}"].add_(1))
    with pytest.raises(InputError, match="in a quotient"):
        load_model(folder)
