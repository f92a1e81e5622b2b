"""`sbgd sample`: graphs of any size from a trained model."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sbgd.commands.sample_files import check_place, digest, manifest_start, write_graphs

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import torch
    from numpy.typing import NDArray

    from sbgd.diffusion.solvers import Solver
    from sbgd.graph import Graph
    from sbgd.models.model_folder import Trained, TrainedModel
    from sbgd.models.trained_graphs import TrainedGraphModel

    Progress = Callable[[str, int, int], None]

EXAMPLE = """\
examples:
  sbgd sample --checkpoint cora --num-nodes x1 --out samples
  sbgd sample --checkpoint runs/mine --num-nodes 500:2000 --num-graphs 20 --seed 7 --out samples --format graphml
  sbgd sample --checkpoint cora --num-nodes 1000000 --format parquet --out big    # the same again goes on where it was
  torchrun --nproc-per-node 2 -m sbgd.cli sample --checkpoint cora --num-nodes 1000000 --format parquet --out big
"""
SOLVERS = (
    "ancestral",
    "posterior",
    "euler_maruyama",
    "reverse_diffusion",
    "predictor_corrector",
    "s4",
    "heun",
    "adaptive_heun",
)
FORMATS = ("npz", "edgelist", "graphml", "parquet")


def add_parser(verbs: argparse._SubParsersAction[Any]) -> None:
    """Adds the verb."""
    parser = verbs.add_parser(
        "sample",
        help="generate graphs of any size",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--checkpoint", required=True, help="run or model folder, or the name of a bundled model: cora")
    parser.add_argument(
        "--num-nodes",
        metavar="SPEC",
        help="1000, or lo:hi, or xN (times the training size), or a histogram file; training sizes by default",
    )
    parser.add_argument("--num-graphs", type=int, default=1, help="number of graphs (default 1)")
    parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same bytes (default 0)")
    parser.add_argument(
        "--out",
        required=True,
        help="folder for the graphs and manifest.json; for parquet also an address such as s3://bucket/name",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="npz",
        help="file format (default npz); parquet is written in shards, goes on when interrupted, and may be generated "
        "by many processes",
    )
    parser.add_argument("--shard-edges", type=int, help="parquet: edges of a file, about (default 1048576)")
    parser.add_argument(
        "--work-dir",
        type=Path,
        help="parquet: folder for unfinished work (default .work in --out), the same one for all machines",
    )
    parser.add_argument(
        "--steps", type=int, help="steps of the reverse process (default 20, for models of whole graphs 100)"
    )
    parser.add_argument(
        "--solver",
        choices=SOLVERS,
        help="for models of whole graphs (sggm): how the reverse SDE is solved (default ancestral)",
    )
    parser.add_argument(
        "--calibrate",
        action="store_true",
        help="for binary features given structure: holds the training share of every feature in every step; for graphs "
        "of hundreds of nodes and more",
    )
    parser.add_argument(
        "--given",
        metavar="DATA",
        help="for models of features given structure, or structure given features: graphs by name or path",
    )
    parser.add_argument(
        "--batch-size",
        type=int,
        default=16,
        help="blocks of 32 nodes denoised together (default 16); changes memory and speed, not the result",
    )
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda (default auto)")
    parser.add_argument("--overwrite", action="store_true", help="replace samples that are in the folder already")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Generates graphs and writes them with a manifest."""
    from sbgd.errors import InputError

    for name in ("steps", "batch_size", "num_graphs", "shard_edges"):
        value = getattr(arguments, name)
        if value is not None and value < 1:
            raise InputError(f"expected --{name.replace('_', '-')} of at least 1, got {value}")
    if not 0 <= arguments.seed < 2**63:
        raise InputError(f"expected --seed in 0 .. 2^63 - 1, got {arguments.seed}")
    arguments.out = arguments.out.removeprefix("file://")
    if arguments.format != "parquet":
        _check_no_shards(arguments)
        check_place(Path(arguments.out), arguments.overwrite)

    from sbgd.models.bundled import find_model
    from sbgd.models.model_folder import TrainedModel, load_any_model

    folder = find_model(arguments.checkpoint)
    trained = load_any_model(folder)
    if arguments.format == "parquet":
        if isinstance(trained, TrainedModel) and not trained.diffusion.independent:
            if sys.platform == "win32":  # no flock
                raise InputError("expected Linux or macOS for --format parquet, got Windows; choose another format")
            _check_blocks(arguments)
            sizes = _sizes(trained, arguments)
            from sbgd.commands.sample_job import sample_shards

            return sample_shards(trained, sizes, folder, arguments, _device(arguments.device))
        _check_no_shards(arguments)
        check_place(Path(arguments.out), arguments.overwrite)
    return _sample_files(trained, folder, arguments)


def _sample_files(trained: Trained, folder: Path, arguments: argparse.Namespace) -> int:
    """Generates graphs in memory and writes them."""
    from sbgd.commands.outputs import write_json
    from sbgd.commands.progress import stage_progress
    from sbgd.models.model_folder import TrainedModel

    with stage_progress() as progress:
        if isinstance(trained, TrainedModel):
            graphs, steps, block_sizes = _blocks(trained, arguments, progress)
        else:
            graphs, steps = _whole(trained, arguments, progress)
            block_sizes = None
    out = Path(arguments.out)
    written = write_graphs(graphs, out, arguments.format)
    manifest = {
        **manifest_start(folder, arguments, steps),
        "num_nodes": [graph.num_nodes for graph in graphs],
        "num_edges": [graph.num_edges for graph in graphs],
        **({} if block_sizes is None else {"block_sizes": block_sizes}),
        "training": trained.metadata,
        "files": {file.name: digest(file) for file in written},
    }
    write_json(out / "manifest.json", manifest)
    nodes, edges = sum(graph.num_nodes for graph in graphs), sum(graph.num_edges for graph in graphs)
    print(f"{len(graphs)} graph(s), {nodes} nodes, {edges} edges in {out}")
    return 0


def _check_no_shards(arguments: argparse.Namespace) -> None:
    """Refuses what only samples in shards can have."""
    from sbgd.errors import InputError

    wanted = [f"--{name.replace('_', '-')}" for name in ("shard_edges", "work_dir") if getattr(arguments, name)]
    if "://" in arguments.out:
        wanted.append("a store as --out")
    if wanted:
        raise InputError(
            f"expected {wanted[0]} with --format parquet and a block model of the quotient factorisation only; "
            "leave it out"
        )


def _check_blocks(arguments: argparse.Namespace) -> None:
    """Refuses what only models of whole graphs can have."""
    from sbgd.errors import InputError

    for name in ("solver", "given", "calibrate"):
        if getattr(arguments, name) not in (None, False):
            raise InputError(f"expected no --{name} for a model of blocks (sbgd), got {getattr(arguments, name)}")


def _sizes(trained: TrainedModel, arguments: argparse.Namespace) -> NDArray[np.int64]:
    """Returns the number of nodes of every graph of a block model."""
    import numpy as np

    from sbgd.sampling import requested_sizes

    training = np.array([quotient.total_nodes for quotient in trained.quotients])
    degrees = np.array([2 * quotient.total_edges / quotient.total_nodes for quotient in trained.quotients])
    return requested_sizes(arguments.num_nodes, training, arguments.num_graphs, arguments.seed, mean_degrees=degrees)


def _blocks(
    trained: TrainedModel, arguments: argparse.Namespace, progress: Progress | None
) -> tuple[list[Graph], int, list[list[int]]]:
    """Samples a model of blocks; returns graphs, steps, and the sizes of the blocks of every graph."""
    from sbgd.sampling import SolverOptions, generate

    _check_blocks(arguments)
    sizes = _sizes(trained, arguments)
    steps = arguments.steps or 20
    options = SolverOptions(num_steps=steps, batch_size=arguments.batch_size)
    device = _device(arguments.device)
    samples = generate(trained, sizes, seed=arguments.seed, options=options, device=device, progress=progress)
    return samples.graphs, steps, [sizes.tolist() for sizes in samples.block_sizes]


def _whole(
    trained: TrainedGraphModel, arguments: argparse.Namespace, progress: Progress | None
) -> tuple[list[Graph], int]:
    """Samples a model of whole graphs; returns graphs and steps."""
    import numpy as np

    from sbgd.data.sources import load_dataset
    from sbgd.diffusion.coupled import DivergedError
    from sbgd.errors import InputError
    from sbgd.sampling import GraphSolverOptions, generate_graphs, requested_sizes

    given = None
    if arguments.given is None:
        sizes = requested_sizes(
            arguments.num_nodes, trained.sizes, arguments.num_graphs, arguments.seed, mean_degrees=trained.degrees
        )
    else:
        if arguments.num_nodes is not None:
            raise InputError("expected --given or --num-nodes, got both; sizes are those of the given graphs")
        found = load_dataset(arguments.given).graphs
        given = [found[index % len(found)] for index in range(max(arguments.num_graphs, len(found)))]
        sizes = np.array([graph.num_nodes for graph in given], dtype=np.int64)
    steps = arguments.steps or 100
    solver = _solver(arguments.solver or "ancestral")
    options = GraphSolverOptions(steps, arguments.batch_size, solver, arguments.calibrate)
    device = _device(arguments.device)
    try:
        graphs = generate_graphs(
            trained, sizes, given=given, seed=arguments.seed, options=options, device=device, progress=progress
        )
    except DivergedError as error:
        raise InputError(str(error)) from error
    return graphs, steps


def _solver(name: str) -> Solver:
    from sbgd.diffusion import solvers

    makers: dict[str, Callable[[], Solver]] = {
        "ancestral": solvers.Ancestral,
        "posterior": solvers.PosteriorSampling,
        "euler_maruyama": solvers.EulerMaruyama,
        "reverse_diffusion": solvers.ReverseDiffusion,
        "predictor_corrector": lambda: solvers.PredictorCorrector(solvers.ReverseDiffusion()),
        "s4": lambda: solvers.S4(snr=0.1),
        "heun": solvers.Heun,
        "adaptive_heun": solvers.AdaptiveHeun,
    }
    return makers[name]()


def _device(name: str) -> torch.device:
    """Returns the device to run on; `auto` takes a GPU where there is one."""
    import torch

    from sbgd.errors import InputError

    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name.split(":")[0] not in ("cpu", "cuda"):
        raise InputError(f"expected --device auto, cpu or cuda, got {name}")
    if name.startswith("cuda") and not torch.cuda.is_available():
        raise InputError(f"expected a CUDA device for --device {name}, got none; use --device cpu")
    try:
        return torch.device(name)
    except RuntimeError as error:
        raise InputError(f"expected --device auto, cpu, cuda or cuda:NUMBER, got {name}") from error
