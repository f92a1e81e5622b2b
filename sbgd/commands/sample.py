"""`sbgd sample`: graphs of any size from a trained model."""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import torch

    from sbgd.diffusion.solvers import Solver
    from sbgd.graph import Graph
    from sbgd.models.model_folder import TrainedModel
    from sbgd.models.trained_graphs import TrainedGraphModel

    Progress = Callable[[str, int, int], None]

EXAMPLE = """\
examples:
  sbgd sample --checkpoint cora --num-nodes x1 --out samples
  sbgd sample --checkpoint runs/mine --num-nodes 500:2000 --num-graphs 20 --seed 7 --out samples --format graphml
"""
SOLVERS = (
    "ancestral",
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
    parser.add_argument("--out", required=True, type=Path, help="folder for the graphs and manifest.json")
    parser.add_argument("--format", choices=FORMATS, default="npz", help="file format (default npz)")
    parser.add_argument(
        "--steps", type=int, help="steps of the reverse process (default 20, for models of whole graphs 100)"
    )
    parser.add_argument(
        "--solver",
        choices=SOLVERS,
        help="for models of whole graphs (sggm): how the reverse SDE is solved (default ancestral)",
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
    from sbgd.commands.outputs import check_folder
    from sbgd.errors import InputError

    for name in ("steps", "batch_size", "num_graphs"):
        value = getattr(arguments, name)
        if value is not None and value < 1:
            raise InputError(f"expected --{name.replace('_', '-')} of at least 1, got {value}")
    check_folder(arguments.out)
    if not 0 <= arguments.seed < 2**63:
        raise InputError(f"expected --seed in 0 .. 2^63 - 1, got {arguments.seed}")
    if (arguments.out / "manifest.json").exists() and not arguments.overwrite:
        raise InputError(
            f"expected an empty folder, got samples in {arguments.out}; choose another or pass --overwrite"
        )
    foreign = set(arguments.out.glob("graph*")) - set(_listed(arguments.out))
    if foreign:
        raise InputError(
            f"expected no graph files of another origin, got {min(foreign)}; move it or choose another --out"
        )

    import torch

    from sbgd.commands.outputs import write_json
    from sbgd.commands.progress import stage_progress
    from sbgd.models.bundled import find_model
    from sbgd.models.model_folder import WEIGHTS, TrainedModel, load_any_model
    from sbgd.version import __version__

    folder = find_model(arguments.checkpoint)
    trained = load_any_model(folder)
    with stage_progress() as progress:
        if isinstance(trained, TrainedModel):
            graphs, steps, block_sizes = _blocks(trained, arguments, progress)
        else:
            graphs, steps = _whole(trained, arguments, progress)
            block_sizes = None
    written = _write(graphs, arguments.out, arguments.format)
    manifest = {
        "schema": 1,
        "version": __version__,
        "torch": torch.__version__,
        "checkpoint": {"name": arguments.checkpoint, "sha256": _digest(folder / WEIGHTS)},
        "request": {"num_nodes": arguments.num_nodes, "num_graphs": arguments.num_graphs, "steps": steps},
        "seed": arguments.seed,
        "num_nodes": [graph.num_nodes for graph in graphs],
        "num_edges": [graph.num_edges for graph in graphs],
        **({} if block_sizes is None else {"block_sizes": block_sizes}),
        "training": trained.metadata,
        "files": {file.name: _digest(file) for file in written},
    }
    write_json(arguments.out / "manifest.json", manifest)
    nodes, edges = sum(graph.num_nodes for graph in graphs), sum(graph.num_edges for graph in graphs)
    print(f"{len(graphs)} graph(s), {nodes} nodes, {edges} edges in {arguments.out}")
    return 0


def _blocks(
    trained: TrainedModel, arguments: argparse.Namespace, progress: Progress | None
) -> tuple[list[Graph], int, list[list[int]]]:
    """Samples a model of blocks; returns graphs, steps, and the sizes of the blocks of every graph."""
    import numpy as np

    from sbgd.errors import InputError
    from sbgd.sampling import SolverOptions, generate, requested_sizes

    for name in ("solver", "given"):
        if getattr(arguments, name) is not None:
            raise InputError(f"expected no --{name} for a model of blocks (sbgd), got {getattr(arguments, name)}")
    training = np.array([quotient.total_nodes for quotient in trained.quotients])
    degrees = np.array([2 * quotient.total_edges / quotient.total_nodes for quotient in trained.quotients])
    sizes = requested_sizes(arguments.num_nodes, training, arguments.num_graphs, arguments.seed, mean_degrees=degrees)
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
    options = GraphSolverOptions(steps, arguments.batch_size, _solver(arguments.solver or "ancestral"))
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


def _write(graphs: Sequence[Graph], folder: Path, name: str) -> list[Path]:
    """Writes one file for formats that hold many graphs, else one file a graph; files of an older run go."""
    from sbgd.errors import InputError
    from sbgd.formats import save

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in _listed(folder):
            old.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"expected a folder to write to, got {error.strerror}: {folder}") from error
    if name in ("npz", "parquet"):
        save(graphs, folder / f"graphs.{name}", name)
        return [path for path in (folder / f"graphs.{name}", folder / f"graphs.nodes.{name}") if path.exists()]
    width = len(str(len(graphs) - 1))
    written = [folder / f"graph_{number:0{width}d}.{name}" for number in range(len(graphs))]
    for graph, path in zip(graphs, written, strict=True):
        save([graph], path, name)
    return written


def _listed(folder: Path) -> list[Path]:
    """Returns what an older run wrote by its own account: other files of the user stay."""
    path = folder / "manifest.json"
    try:
        files = json.loads(path.read_text(encoding="utf-8"))["files"] if path.is_file() else {}
    except (ValueError, KeyError, TypeError):
        files = {}
    return [*(folder / Path(name).name for name in files), path]


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


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
