"""Times the metrics of sbgd beside those of polygraph-benchmark on two sets of graphs, and prints values and ratios.

    python -m venv peer && peer/bin/pip install torch polygraph-benchmark
    python scripts/benchmark_evaluation.py --peer-python peer/bin/python

polygraph-benchmark pins other versions of NumPy than sbgd allows, hence the environment of its own; without it sbgd is
timed alone. Either side runs in a process of its own with one thread. A time is CPU seconds, user and system, children
included, of describing both sets and comparing them, the best of several repetitions; graphs are handed over in either
side's own type, so that conversions do not count. The random network of `rbf_gin` has the peer's weights on both sides.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

SHARED = ("degree", "clustering", "orbit", "spectral")
ROWS = (*SHARED, "rbf_gin", "wavelet", "esgg")
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA", "NUMEXPR", "VECLIB")}

Metric = Callable[[], float]
Measured = dict[str, tuple[float, float]]
"""CPU seconds and value by metric."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs both sides and prints the table, or one side where the script calls itself."""
    args = _parser().parse_args(arguments)
    if args.side:
        _run_side(args.side, args.folder, args.repetitions)
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sets = _sets(args.graphs)
        _write_sets(folder, sets)
        theirs = _measured("peer", args.peer_python, folder, args.repetitions) if args.peer_python else {}
        ours = _measured("ours", sys.executable, folder, args.repetitions)
    _print(ours, theirs, {split: len(graphs) for split, graphs in sets.items()}, args.repetitions)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer-python", metavar="PATH", help="interpreter that has polygraph-benchmark")
    parser.add_argument(
        "--graphs",
        type=Path,
        metavar="FILE",
        help='JSON {"ref": [{"n": N, "edges": [[u, v], ...]}, ...], "gen": [...]} (default: 2 x 200 of the recipe sbm)',
    )
    parser.add_argument("--repetitions", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--side", choices=("ours", "peer"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    return parser


def _our_metrics(reference: list[Any], generated: list[Any], weights: Mapping[str, Any] | None) -> dict[str, Metric]:
    """The one place that knows the interface of sbgd.evaluation."""
    from sbgd.evaluation.collection import MetricCollection
    from sbgd.evaluation.descriptors import GINWeights, RandomGIN
    from sbgd.evaluation.distances import Euclidean
    from sbgd.evaluation.kernels import GaussianRange
    from sbgd.evaluation.metric import MMDDefinition, MMDMetric
    from sbgd.evaluation.presets import PRESETS

    definitions = {name: PRESETS["polygraph"].variants[f"{name}_tv"] for name in SHARED}
    definitions["wavelet"] = PRESETS["esgg"].mmds["wavelet"]
    network = RandomGIN(weights=None if weights is None else GINWeights.from_state(weights))
    definitions["rbf_gin"] = MMDDefinition(network, GaussianRange(Euclidean()), standardise=True)

    def metric(definition: MMDDefinition) -> Metric:
        return lambda: float(MMDMetric(reference, definition).value(generated) or 0.0)

    def all_at_once() -> float:
        return float(np.mean(list(MetricCollection(reference, preset="esgg").values(generated).values())))

    return {**{name: metric(definition) for name, definition in definitions.items()}, "esgg": all_at_once}


def _peer_metrics(reference: list[Any], generated: list[Any]) -> dict[str, Metric]:
    from polygraph.metrics import gaussian_tv_mmd, rbf_mmd

    classes = {
        "degree": gaussian_tv_mmd.GaussianTVDegreeMMD2,
        "clustering": gaussian_tv_mmd.GaussianTVClusteringMMD2,
        "orbit": gaussian_tv_mmd.GaussianTVOrbitMMD2,
        "spectral": gaussian_tv_mmd.GaussianTVSpectralMMD2,
        "rbf_gin": rbf_mmd.RBFGraphNeuralNetworkMMD2,
    }

    def metric(kind: Any) -> Metric:
        return lambda: float(kind(reference).compute(generated))

    return {name: metric(kind) for name, kind in classes.items()}


def _run_side(side: str, folder: Path, repetitions: int) -> None:
    """Measures one side on the graphs in the folder and leaves the numbers there."""
    weights_path = folder / "weights.npz"
    if side == "peer":
        from polygraph.utils.descriptors import RandomGIN

        state = RandomGIN(seed=42).model.state_dict()
        np.savez(weights_path, **{name: tensor.numpy() for name, tensor in state.items()})
        metrics = _peer_metrics(*_read_sets(folder, _networkx_graph))
    else:
        weights = dict(np.load(weights_path)) if weights_path.is_file() else None
        metrics = _our_metrics(*_read_sets(folder, _our_graph), weights)
    measured = {name: _best(metric, repetitions) for name, metric in metrics.items()}
    (folder / f"{side}.json").write_text(json.dumps(measured))


def _best(metric: Metric, repetitions: int) -> tuple[float, float]:
    seconds, value = [], 0.0
    for _ in range(repetitions):
        before = _cpu_seconds()
        value = metric()
        seconds.append(_cpu_seconds() - before)
    return min(seconds), value


def _cpu_seconds() -> float:
    # os.times counts in hundredths of a second, which is longer than some metrics take
    children = os.times()
    return time.process_time() + children.children_user + children.children_system


def _measured(side: str, python: str, folder: Path, repetitions: int) -> Measured:
    command = [python, __file__, "--side", side, "--folder", str(folder), "--repetitions", str(repetitions)]
    done = subprocess.run(  # noqa: S603 - the user names the interpreter
        command,
        env={**os.environ, **ONE_THREAD, "LOGURU_LEVEL": "WARNING", "PYTHONWARNINGS": "ignore"},
        check=False,
    )
    if done.returncode:
        sys.exit(f"expected {python} to run the {side} side, got exit code {done.returncode}; see the message above")
    return {name: tuple(pair) for name, pair in json.loads((folder / f"{side}.json").read_text()).items()}


def _sets(path: Path | None) -> dict[str, list[tuple[int, np.ndarray]]]:
    """Returns number of nodes and edges (M, 2) of every graph of `ref` and `gen`."""
    if path is not None:
        document = json.loads(path.read_text())
        return {split: [(g["n"], np.reshape(g["edges"], (-1, 2))) for g in document[split]] for split in ("ref", "gen")}
    from sbgd.data.sources import load_dataset

    graphs = [(graph.num_nodes, graph.edges) for graph in load_dataset("sbm?num_graphs=400").graphs]
    return {"ref": graphs[:200], "gen": graphs[200:]}


def _write_sets(folder: Path, sets: Mapping[str, list[tuple[int, np.ndarray]]]) -> None:
    for split, graphs in sets.items():
        np.savez(
            folder / f"{split}.npz",
            num_nodes=[num_nodes for num_nodes, _ in graphs],
            num_edges=[len(edges) for _, edges in graphs],
            edges=np.concatenate([edges for _, edges in graphs]).astype(np.int64),
        )


def _read_sets(folder: Path, build: Callable[[int, np.ndarray], Any]) -> tuple[list[Any], list[Any]]:
    sets = []
    for split in ("ref", "gen"):
        file = np.load(folder / f"{split}.npz")
        parts = np.split(file["edges"], np.cumsum(file["num_edges"])[:-1])
        sets.append([build(size, edges) for size, edges in zip(file["num_nodes"].tolist(), parts, strict=True)])
    return sets[0], sets[1]


def _our_graph(num_nodes: int, edges: np.ndarray) -> Any:
    from sbgd.graph import Graph

    return Graph.from_edges(edges, num_nodes)


def _networkx_graph(num_nodes: int, edges: np.ndarray) -> Any:
    import networkx as nx

    graph = nx.empty_graph(num_nodes)
    graph.add_edges_from(edges.tolist())
    return graph


def _print(ours: Measured, theirs: Measured, sizes: Mapping[str, int], repetitions: int) -> None:
    print(
        f"{sizes['ref']} reference and {sizes['gen']} generated graphs; CPU seconds, one thread, best of {repetitions}"
    )
    if not theirs:
        print("sbgd alone; name an interpreter that has polygraph-benchmark with --peer-python to compare")
    print(f"{'metric':28} {'sbgd s':>9} {'peer s':>9} {'ratio':>7} {'sbgd value':>12} {'peer value':>12}")
    for name in ROWS:
        label = "all five of ESGG, at once" if name == "esgg" else name
        print(_row(label, ours.get(name), theirs.get(name), has_value=name != "esgg"))
    four = [_sum(side) for side in (ours, theirs)]
    print(_row("sum of the four shared", *four, has_value=False))


def _sum(measured: Measured) -> tuple[float, float] | None:
    return (sum(measured[name][0] for name in SHARED), 0.0) if measured else None


def _row(
    label: str, ours: tuple[float, float] | None, theirs: tuple[float, float] | None, *, has_value: bool = True
) -> str:
    seconds = [f"{side[0]:9.4f}" if side else f"{'-':>9}" for side in (ours, theirs)]
    values = [f"{side[1]:12.8f}" if side and has_value else f"{'-':>12}" for side in (ours, theirs)]
    ratio = f"{theirs[0] / ours[0]:6.1f}x" if ours and theirs and ours[0] > 0 else f"{'-':>7}"
    return " ".join([f"{label:28}", *seconds, ratio, *values])


if __name__ == "__main__":
    sys.exit(main())
