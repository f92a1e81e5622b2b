"""One way to ask for graphs: a path, a bundled graph, a synthetic recipe or a published data set by name."""

from __future__ import annotations

import difflib
from importlib import resources
from pathlib import Path

from sbgd.data.sources.planar import PlanarRecipe
from sbgd.data.sources.published import find_npz, load_published, published
from sbgd.data.sources.recipe import Recipe
from sbgd.data.sources.sbm import SbmRecipe
from sbgd.data.sources.spec import DatasetSpec
from sbgd.data.sources.tree import TreeRecipe
from sbgd.errors import InputError
from sbgd.formats import LoadedGraphs, ReadOptions, load

RECIPES: dict[str, type[Recipe]] = {"planar": PlanarRecipe, "sbm": SbmRecipe, "tree": TreeRecipe}
BUNDLED = ("cora",)


def load_dataset(spec: str, *, options: ReadOptions | None = None) -> LoadedGraphs:
    """Loads graphs by name or path.

    Args:
        spec: `NAME`, `NAME:PART` or `NAME:PART@RECIPE` with PART one of train, val, test, all; parameters of a
            generator go behind its name, as in `sbm?num_graphs=20&seed=3:train`. A path to a file or folder may stand
            for the name and wins where it exists.
        options: Policies for input that is not simple, undirected and finite.

    Raises:
        InputError: Name, part or parameters are unknown, or the data cannot be read or fetched.
    """
    options = options or ReadOptions()
    if spec and Path(spec).exists():
        return load(spec, options=options)
    path, colon, selection = spec.rpartition(":")
    if path and colon and Path(path).exists():
        part, _, recipe = selection.partition("@")
        return load(path, options=options).part(part, recipe or None)
    parsed = DatasetSpec.parse(spec)
    if parsed.parameters and parsed.name not in RECIPES:
        raise InputError(f"expected parameters for {', '.join(RECIPES)} only, got some for {parsed.name}")
    return _load_named(parsed, options).part(parsed.part, parsed.recipe)


def dataset_names() -> list[str]:
    """Lists every known name."""
    return sorted([*BUNDLED, *RECIPES, *published()])


def _load_named(spec: DatasetSpec, options: ReadOptions) -> LoadedGraphs:
    if spec.name in BUNDLED:
        with resources.as_file(resources.files("sbgd.data") / "bundled" / f"{spec.name}.npz") as path:
            return load(path, options=options)
    if spec.name in RECIPES:
        return RECIPES[spec.name].from_text(spec.parameters).load()
    if spec.name in published():
        return load_published(spec.name, options)
    placed = find_npz(spec.name)
    if placed is not None:
        return load(placed, options=options)
    raise InputError(_unknown(spec.name))


def _unknown(name: str) -> str:
    if "." in name or "/" in name or "\\" in name:
        return f"expected an existing file or folder, got none at {name!r}; check the path (or `sbgd data --list`)"
    close = difflib.get_close_matches(name, dataset_names(), n=3)
    hint = f"did you mean {' or '.join(close)}?" if close else f"known names: {', '.join(dataset_names())}"
    return f"expected a data set name or an existing path, got {name!r}; {hint}"
