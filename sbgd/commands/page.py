"""The page of an evaluation with all that the command line knows: blocks, the denoising of one, and the run record."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sbgd.commands.memorisation import read_manifest
from sbgd.commands.run_record import run_record
from sbgd.evaluation.baselines.communities import louvain_communities
from sbgd.evaluation.report import DenoisingStrip, ShownSet, html_report
from sbgd.evaluation.report.drawing import MAX_DRAWN_NODES
from sbgd.partition import MetisPartitioner, Partitioner, build_partitioner, describe_partitioner

if TYPE_CHECKING:
    from sbgd.commands.evaluate import Measured
    from sbgd.graph import Graph

Ints = NDArray[np.int64]

MAX_SHOWN_BLOCKS = 600
"""Most blocks of a drawing; graphs of more are cut into larger ones for it."""

_COMMUNITIES = "communities, Louvain"
_SAMPLED = "as they were sampled"
_STEPS = 20


def report_page(args: argparse.Namespace, measured: Measured, *, checkpoint: str | None = None) -> str:
    """Returns the page.

    Args:
        args: The command line: names of the data and how they were measured.
        measured: Graphs and numbers.
        checkpoint: The model whose denoising is shown.
    """
    manifest = read_manifest(Path(args.generated))
    partitioner = _partitioner(manifest)
    sizes = manifest.get("block_sizes") if isinstance(manifest.get("block_sizes"), list) else None
    strip = None if checkpoint is None else _denoising(checkpoint, manifest, args.seed)
    cut_by = _COMMUNITIES if partitioner is None else _described(partitioner)
    origin = {"reference graphs": cut_by, "generated graphs": cut_by if sizes is None else _SAMPLED}
    return html_report(
        measured.result,
        ShownSet(measured.generated, _blocks(measured.generated, partitioner, sizes)),
        ShownSet(measured.reference, _blocks(measured.reference, partitioner, None)),
        denoising=strip,
        record=run_record(args, measured, manifest, checkpoint, blocks=origin),
        seed=args.seed,
    )


def check_checkpoint(name: str) -> None:
    """Makes sure that a model can be read whose denoising of a block can be shown.

    Raises:
        InputError: There is none of that name, or it is one of whole graphs.
    """
    from sbgd.models.bundled import find_model
    from sbgd.models.model_folder import load_model

    load_model(find_model(name))


def _partitioner(manifest: Mapping[str, Any]) -> Partitioner | None:
    """Returns how the training graphs were cut, None where that is not known."""
    training = manifest.get("training")
    description = training.get("partitioner") if isinstance(training, dict) else None
    return None if description is None else build_partitioner(description)


def _described(partitioner: Partitioner) -> str:
    description = describe_partitioner(partitioner) or {"name": type(partitioner).__name__}
    settings = [f"{name} {value}" for name, value in description.items() if name != "name" and value is not None]
    return ", ".join([str(description["name"]), *settings])


def _blocks(
    graphs: Sequence[Graph], partitioner: Partitioner | None, sizes: Sequence[Sequence[int]] | None
) -> Callable[[int], Ints]:
    """Returns a function that gives the block of every node of the graph with a number."""

    def cut(number: int) -> Ints:
        graph = graphs[number]
        if sizes is not None:
            found = np.repeat(np.arange(len(sizes[number])), sizes[number])
        elif partitioner is not None:
            found = partitioner(graph).assignment
        elif graph.num_nodes <= MAX_DRAWN_NODES:
            found = louvain_communities(graph) if graph.num_edges else np.zeros(graph.num_nodes, np.int64)
        else:
            found = MetisPartitioner()(graph).assignment
        if int(found.max(initial=0)) >= MAX_SHOWN_BLOCKS:
            larger = -(-2 * graph.num_nodes // MAX_SHOWN_BLOCKS)
            return MetisPartitioner(block_size=larger, connected=False, merge_below=larger // 2)(graph).assignment
        return found

    return cut


def _denoising(checkpoint: str, manifest: Mapping[str, Any], seed: int) -> DenoisingStrip:
    """Runs the denoising of the largest block of the first graph again, or of a like one where the model is another."""
    from sbgd.commands.run_record import model_digest
    from sbgd.models.bundled import find_model
    from sbgd.models.model_folder import load_model
    from sbgd.sampling import SolverOptions, block_path

    folder = find_model(checkpoint)
    trained = load_model(folder)
    again = _sampled_by(manifest, model_digest(folder)) and not trained.diffusion.independent
    if again:
        num_nodes, steps, seed = manifest["num_nodes"][0], manifest["request"]["steps"], manifest["seed"]
    else:
        num_nodes, steps = trained.quotients[0].total_nodes, _STEPS
    path = block_path(trained, num_nodes, seed=seed, options=SolverOptions(num_steps=steps))
    which = f"Block {path.block} of generated graph 0, run again" if again else "A block of the model's own"
    caption = f"{which}: {len(path.adjacency)} nodes, {steps} steps, seed {seed}."
    return DenoisingStrip(caption, path.times, path.states, path.estimates, path.adjacency)


def _sampled_by(manifest: Mapping[str, Any], digest: str) -> bool:
    """Says whether a model made the graphs that a manifest describes, so that their blocks can be run again."""
    checkpoint, request = manifest.get("checkpoint"), manifest.get("request")
    return (
        isinstance(checkpoint, dict)
        and checkpoint.get("sha256") == digest
        and isinstance(request, dict)
        and isinstance(request.get("steps"), int)
        and isinstance(manifest.get("seed"), int)
        and bool(manifest.get("num_nodes"))
    )
