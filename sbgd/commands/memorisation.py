"""Which generated blocks are copies of training blocks: the manifest says how both were cut."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sbgd.errors import InputError
from sbgd.graph import Graph
from sbgd.partition import BlockGraph, Partition, build_partitioner, cached_partition

if TYPE_CHECKING:
    from sbgd.evaluation.novelty import IdenticalShare

MIN_NODES = 9


def block_memorisation(folder: Path, generated: Sequence[Graph], train: Sequence[Graph]) -> IdenticalShare | None:
    """Compares the blocks of samples with the training blocks, exactly and up to the order of nodes.

    Args:
        folder: What `sbgd sample` wrote; anything without a manifest has no known blocks.
        generated: Its graphs.
        train: The training graphs.

    Returns:
        The counts over generated blocks of at least 9 nodes, or None where the blocks are not known.
    """
    from sbgd.evaluation.novelty import identical_share

    manifest = read_manifest(folder)
    training = manifest.get("training") or {}
    sizes, description = manifest.get("block_sizes"), training.get("partitioner")
    if sizes is None or description is None:
        return None
    if [sum(blocks) for blocks in sizes] != [graph.num_nodes for graph in generated]:
        raise InputError(f"expected the graphs that {folder}/manifest.json describes, got others; sample again")
    partitioner = build_partitioner(description)
    blocks = [block for graph, cut in zip(generated, sizes, strict=True) for block in _blocks(graph, cut)]
    training_blocks = []
    for seed in training["partition_seeds"]:
        for graph in train:
            cut = BlockGraph.split(graph, cached_partition(graph, partitioner, seed=seed))
            training_blocks += [cut.block(index) for index in range(cut.num_blocks)]
    return identical_share(blocks, training_blocks, min_nodes=MIN_NODES)


def read_manifest(folder: Path) -> dict[str, Any]:
    """Returns what `sbgd sample` wrote beside its graphs, or nothing where there is no manifest.

    Raises:
        InputError: It is damaged.
    """
    path = folder / "manifest.json"
    if not path.is_file():
        return {}
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"expected JSON in {path}, got a damaged file: {error}") from error
    return manifest if isinstance(manifest, dict) else {}


def _blocks(graph: Graph, sizes: Sequence[int]) -> list[Graph]:
    """Cuts a generated graph into its blocks; its nodes are in block order."""
    assignment = np.repeat(np.arange(len(sizes)), sizes)
    cut = BlockGraph.split(graph, Partition(assignment))
    return [cut.block(index) for index in range(cut.num_blocks)]
