"""Generates graphs: plan, blocks, pairs, assembly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from sbgd.data.blocks import BlockTable
from sbgd.graph import Graph
from sbgd.models.model_folder import TrainedModel
from sbgd.partition import assemble_blocks
from sbgd.sampling.block_sampler import SolverOptions, sample_blocks
from sbgd.sampling.independent import sample_independent
from sbgd.sampling.limits import check_limits
from sbgd.sampling.pair_sampler import sample_pairs
from sbgd.sampling.plan import GenerationPlan
from sbgd.sampling.quotient_prior import QuotientPrior

Ints = NDArray[np.int64]
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Samples:
    """Generated graphs and the blocks they were made of.

    Attributes:
        graphs: The graphs; nodes are in block order.
        block_sizes: For each graph, int64 (k,) nodes of its blocks in order.
    """

    graphs: list[Graph]
    block_sizes: list[Ints]


def generate(
    trained: TrainedModel,
    sizes: Ints,
    *,
    seed: int = 0,
    options: SolverOptions | None = None,
    device: torch.device | str = "cpu",
    progress: Progress | None = None,
) -> Samples:
    """Generates one graph for every requested number of nodes.

    The same trained model, sizes, seed and steps give the same graphs, whatever the batch size.

    Args:
        trained: A trained model.
        sizes: int64 (g,) nodes of each graph, at least 1.
        seed: Seed of the run.
        options: Steps and batch size.
        device: Where the networks run.
        progress: Called with (stage, done, total) as blocks and pairs are finished.

    Returns:
        Graphs with exactly the requested numbers of nodes, nodes in block order, features in their original scale.

    Raises:
        InputError: The graphs cannot fit into memory, see `sbgd.sampling.limits`.
    """
    check_limits(sizes, trained.quotients, trained.scaler.num_features)
    solver = SolverOptions() if options is None else options
    target = torch.device(device)
    model = trained.diffusion.to(target).eval()
    prior = QuotientPrior(trained.quotients)
    if model.independent:
        made = sample_independent(trained, sizes, seed=seed, options=solver, device=target, progress=progress)
        return Samples([graph for graph, _ in made], [block_sizes for _, block_sizes in made])
    plan = GenerationPlan.of(prior.sample_all(sizes, seed))
    inner_edges, inner_offsets, features = sample_blocks(
        model,
        plan.blocks,
        plan.block_ids,
        seed=seed,
        options=solver,
        device=target,
        advance=_counter(progress, "blocks", plan.blocks.num_blocks),
    )
    blocks = replace(plan.blocks, inner_edges=inner_edges, inner_offsets=inner_offsets, features=features)
    pair_edges, pair_offsets = sample_pairs(
        model,
        blocks,
        plan.pairs,
        plan.counts,
        plan.pair_ids,
        seed=seed,
        options=solver,
        device=target,
        advance=_counter(progress, "pairs", len(plan.pairs)),
    )
    numbers = range(plan.num_graphs)
    return Samples(
        [_assemble(trained, plan, blocks, pair_edges, pair_offsets, graph) for graph in numbers],
        [blocks.sizes[plan.graph_blocks[graph] : plan.graph_blocks[graph + 1]] for graph in numbers],
    )


def _assemble(
    trained: TrainedModel, plan: GenerationPlan, blocks: BlockTable, pair_edges: Ints, pair_offsets: Ints, graph: int
) -> Graph:
    first, last = plan.graph_blocks[graph], plan.graph_blocks[graph + 1]
    low, high = plan.graph_pairs[graph], plan.graph_pairs[graph + 1]
    offsets = blocks.offsets[first : last + 1]
    inner_offsets = blocks.inner_offsets[first : last + 1]
    edges = assemble_blocks(
        offsets - offsets[0],
        blocks.inner_edges[inner_offsets[0] : inner_offsets[-1]],
        inner_offsets - inner_offsets[0],
        plan.pairs[low:high] - first,
        pair_edges[pair_offsets[low] : pair_offsets[high]],
        pair_offsets[low : high + 1] - pair_offsets[low],
    )
    standardised = blocks.features[offsets[0] : offsets[-1]]
    features = trained.scaler.restore(standardised) if trained.scaler.num_features else None
    return Graph(int(offsets[-1] - offsets[0]), edges, features)


def _counter(progress: Progress | None, stage: str, total: int) -> Callable[[int], None]:
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None:
            progress(stage, done, total)

    return advance
