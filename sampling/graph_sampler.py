"""Generates whole graphs by running a system of coupled SDEs backwards, many graphs of like size at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sbgd.data.batch import GraphBatch
from sbgd.data.blocks import padded_size
from sbgd.diffusion import CounterNoise
from sbgd.diffusion.solvers import Ancestral, Solver, solve
from sbgd.errors import InputError
from sbgd.graph import Graph
from sbgd.models.graph_diffusion import CATEGORIES, EDGES, FEATURES
from sbgd.models.trained_graphs import TrainedGraphModel

Ints = NDArray[np.int64]

STAGE = 21
REFERENCE_SIZE = 32


@dataclass(frozen=True)
class GraphSolverOptions:
    """How the reverse process of whole graphs is run.

    Attributes:
        num_steps: Steps of the solver, at least 1.
        batch_size: Graphs of 32 nodes that are denoised together; of larger ones fewer. Changes memory and speed only.
        solver: Makes the steps.
        calibrate: Whether binary features are held to their training shares, see `GraphDiffusion.system`.
    """

    num_steps: int = 100
    batch_size: int = 16
    solver: Solver = field(default_factory=Ancestral)
    calibrate: bool = False

    def rows(self, padded: int) -> int:
        """Returns how many graphs of a padded size make a batch, at least 1."""
        return max(1, self.batch_size * REFERENCE_SIZE**2 // padded**2)


@torch.no_grad()
def generate_graphs(
    trained: TrainedGraphModel,
    sizes: Ints,
    *,
    given: Sequence[Graph] | None = None,
    seed: int = 0,
    options: GraphSolverOptions | None = None,
    device: torch.device | str = "cpu",
    progress: Callable[[str, int, int], None] | None = None,
) -> list[Graph]:
    """Generates one graph for every requested number of nodes.

    Args:
        trained: A trained model.
        sizes: int64 (g,) nodes of each graph, from 1 to the largest training graph.
        given: For the paradigms `features` and `structure` the graphs whose structure or features are kept, of these
            sizes; not for `joint`.
        seed: Seed of the run; the same graphs come out whatever the batch size.
        options: Solver, steps and batch size.
        device: Where the network runs.
        progress: Called with (stage, done, total).

    Returns:
        Graphs with features in their original scale.

    Raises:
        InputError: A size is above the largest of training, or what the paradigm is given is missing or unfit.
        DivergedError: A score or a state is not finite.
    """
    solver = GraphSolverOptions() if options is None else options
    if solver.calibrate and not trained.diffusion.generates_binary_features:
        raise InputError(
            "expected a model that generates binary features for calibration, got another; leave --calibrate out"
        )
    _check(trained, sizes, given)
    trained.diffusion.to(torch.device(device)).eval()
    graphs: list[Graph | None] = [None] * len(sizes)
    padded = _padded(trained, sizes)
    done = 0
    for size in np.unique(padded).tolist():
        ids, rows = np.flatnonzero(padded == size), solver.rows(size)
        for start in range(0, len(ids), rows):
            chosen = ids[start : start + rows]
            known = None if given is None else [given[i] for i in chosen]
            batch = _batch(trained, sizes[chosen], known, size).to(device)
            for index, graph in zip(chosen, _denoised(trained, batch, known, chosen, seed, solver), strict=True):
                graphs[index] = graph
            done += len(chosen)
            if progress is not None:
                progress("graphs", done, len(sizes))
    return [graph for graph in graphs if graph is not None]


def _check(trained: TrainedGraphModel, sizes: Ints, given: Sequence[Graph] | None) -> None:
    largest = int(trained.sizes.max())
    # messages along edges know no size
    if EDGES in trained.diffusion.fields and len(sizes) and int(sizes.max()) > largest:
        raise InputError(
            f"expected at most {largest} nodes, the largest training graph of this model of whole graphs, got "
            f"{int(sizes.max())}; use an SBGD model for other sizes"
        )
    paradigm = trained.diffusion.paradigm
    if paradigm == "joint":
        if given is not None:
            raise InputError("expected nothing given for a model of the paradigm joint, got graphs; leave --given out")
        return
    what = "structures" if paradigm == "features" else "features"
    if given is None:
        raise InputError(f"expected {what} for a model of the paradigm {paradigm}, got none; name graphs with --given")
    if [graph.num_nodes for graph in given] != sizes.tolist():
        raise InputError("expected given graphs of the requested sizes, got others; leave --num-nodes out")


def _padded(trained: TrainedGraphModel, sizes: Ints) -> Ints:
    """Returns to how many nodes each graph is padded, in every batch alike."""
    padded = np.array([padded_size(size) for size in sizes.tolist()], np.int64)
    return np.maximum(np.minimum(padded, int(trained.sizes.max())), sizes)


def _batch(trained: TrainedGraphModel, sizes: Ints, given: Sequence[Graph] | None, padded: int) -> GraphBatch:
    """Returns masks of the graphs and what of them is given, zeros elsewhere."""
    paradigm = trained.diffusion.paradigm
    graphs = [Graph.from_edges([], int(size)) for size in sizes] if given is None else given
    return trained.schema.batch(
        graphs,
        padded,
        nodes=paradigm == "structure",
        edges=paradigm == "features",
        is_dense=EDGES in trained.diffusion.fields,
    )


def _denoised(
    trained: TrainedGraphModel,
    batch: GraphBatch,
    given: Sequence[Graph] | None,
    ids: Ints,
    seed: int,
    options: GraphSolverOptions,
) -> list[Graph]:
    model = trained.diffusion
    noise = CounterNoise(seed, torch.from_numpy(ids).to(batch.mask.device), STAGE)
    system = model.system(batch, noise, calibrate=options.calibrate)
    clean = model.clean_fields(batch)
    x = {**clean, **system.prior(clean)}
    x |= solve(options.solver, system, x, model.sampling_times(options.num_steps))
    values = {name: value.cpu().numpy() for name, value in model.values(x).items()}
    features = values.get(FEATURES, np.zeros((*batch.mask.shape, 0), np.float32))
    classes = values.get(CATEGORIES, np.zeros(batch.mask.shape, np.int64)).astype(np.int64)
    graphs = []
    for row, size in enumerate(batch.mask.sum(1).long().tolist()):
        made: dict[str, Any] = {}
        if model.paradigm != "structure":
            made |= trained.schema.node_attributes(features[row, :size], classes[row, :size])
        if model.paradigm != "features":
            made |= trained.schema.structure(values[EDGES][row, :size, :size].astype(np.int64))
        base = Graph.from_edges([], size) if given is None else given[row]
        graphs.append(base.replace(**made))
    return graphs
