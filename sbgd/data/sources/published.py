"""Published benchmarks by name: in `$SBGD_DATA`, in the cache, or from their canonical place with a digest."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sbgd.data.sources.download import fetch_verified
from sbgd.errors import InputError
from sbgd.formats import LoadedGraphs, ReadOptions, load
from sbgd.partition.cache import default_cache_dir


@dataclass(frozen=True)
class Published:
    """A published data set.

    Attributes:
        about: One line for people.
        load: Name of the file to read, empty where the data set is placed by hand.
        files: Name and SHA-256 of every file.
        url: Folder of the files.
        by_hand: What to convert to `NAME.npz` where nothing can be downloaded with a digest.
        self_loops: `drop` where the data set is known to hold some.
        split_seeds: Recipe name to the seed of its permutation.
    """

    about: str
    load: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    by_hand: str = ""
    self_loops: Literal["error", "drop"] = "error"
    split_seeds: Mapping[str, int] = field(default_factory=dict)


@cache
def published() -> dict[str, Published]:
    """Returns every published data set by name."""
    text = resources.files("sbgd.data").joinpath("bundled", "published.json").read_text(encoding="utf-8")
    return {name: Published(**entry) for name, entry in json.loads(text).items()}


def find_npz(name: str) -> Path | None:
    """Returns `NAME.npz` in `$SBGD_DATA`, else in the cache, else nothing."""
    folders = [Path(os.environ["SBGD_DATA"])] if os.environ.get("SBGD_DATA") else []
    candidates = [folder / f"{name}.npz" for folder in (*folders, default_cache_dir() / "data")]
    return next((path for path in candidates if path.is_file()), None)


def load_published(name: str, options: ReadOptions) -> LoadedGraphs:
    """Loads a published data set.

    Args:
        name: One of `published()`.
        options: Policies; self-loops are dropped where the data set is known to hold some.

    Raises:
        InputError: The data set is not here and cannot be fetched; the message says where to place it.
    """
    entry = published()[name]
    if entry.self_loops == "drop":
        options = replace(options, self_loops="drop")
    path = find_npz(name)
    if path is not None:
        return _with_splits(load(path, options=options), entry)
    folder = default_cache_dir() / "data" / name
    if not entry.files:
        raise InputError(
            f"expected {name}.npz in $SBGD_DATA or {folder.parent}, got no such file; get {entry.by_hand} and convert "
            f"it with sbgd data FILE --convert {name}.npz"
        )
    for file_name, digest in entry.files.items():
        fetch_verified(entry.url + file_name, folder / file_name, digest)
    return _with_splits(load(folder / entry.load, options=options), entry)


def _with_splits(loaded: LoadedGraphs, entry: Published) -> LoadedGraphs:
    """Adds the seeded splits that the files do not hold."""
    drawn = {
        recipe: random_split(len(loaded.graphs), seed)
        for recipe, seed in entry.split_seeds.items()
        if recipe not in loaded.splits
    }
    return replace(loaded, splits={**loaded.splits, **drawn})


def random_split(num_graphs: int, seed: int) -> NDArray[np.int8]:
    """Cuts a permutation that torch draws from `seed`, as SPECTRE does.

    The first round(.8 (n - T)) graphs are for training, the last T = round(.2 n) for testing, the rest for validation.
    """
    import torch

    order = torch.randperm(num_graphs, generator=torch.Generator().manual_seed(seed)).numpy()
    num_test = round(0.2 * num_graphs)
    num_train = round(0.8 * (num_graphs - num_test))
    split = np.full(num_graphs, 1, np.int8)
    split[order[:num_train]] = 0
    split[order[num_graphs - num_test :]] = 2
    return split
