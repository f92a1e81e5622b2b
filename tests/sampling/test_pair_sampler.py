from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from sbgd.data.blocks import BlockTable, Ints
from sbgd.models import TrainedModel
from sbgd.sampling import SolverOptions
from sbgd.sampling.block_sampler import sample_blocks
from sbgd.sampling.pair_sampler import open_stubs, sample_pairs
from sbgd.sampling.plan import GenerationPlan

MakeModel = Callable[..., TrainedModel]
CPU = torch.device("cpu")
# Every way to split pairs between the tiers.
TIERS = [
    {"tiers": "scorer"},
    {"tiers": "denoiser"},
    {"tiers": "both", "max_scored_edges": 0},
    {"tiers": "both", "max_scored_edges": 2},
    {"tiers": "both", "max_scored_edges": 1000},
]


def _planned(trained: TrainedModel, copies: int = 1) -> tuple[GenerationPlan, BlockTable]:
    plan = GenerationPlan.of(list(trained.quotients) * copies)
    edges, offsets, features = sample_blocks(
        trained.diffusion,
        plan.blocks,
        plan.block_ids,
        seed=0,
        options=SolverOptions(2),
        device=CPU,
        advance=lambda count: None,
    )
    return plan, replace(plan.blocks, inner_edges=edges, inner_offsets=offsets, features=features)


def _sample(
    trained: TrainedModel, plan: GenerationPlan, blocks: BlockTable, seed: int = 0, **options: Any
) -> tuple[Ints, Ints]:
    return sample_pairs(
        trained.diffusion,
        blocks,
        plan.pairs,
        plan.counts,
        plan.pair_ids,
        seed=seed,
        options=SolverOptions(**{"num_steps": 3, **options}),
        device=CPU,
        advance=lambda count: None,
    )


@pytest.mark.parametrize("degree_lists", [False, True])
@pytest.mark.parametrize("tiers", TIERS, ids=str)
@pytest.mark.parametrize("data", ["several sizes", "heavy tail", "clique", "star"])
def test_every_pair_gets_exactly_its_edges_and_none_twice(
    make_model: MakeModel, data: str, tiers: dict[str, Any], degree_lists: bool
) -> None:
    trained = make_model(data, degree_lists=degree_lists, random_readout=True, **tiers)
    plan, blocks = _planned(trained)
    edges, offsets = _sample(trained, plan, blocks)
    assert np.array_equal(np.diff(offsets), plan.counts)
    owner = np.repeat(np.arange(len(plan.pairs)), np.diff(offsets))
    assert (edges >= 0).all()
    assert (edges < blocks.sizes[plan.pairs[owner]]).all()
    assert len(np.unique(np.column_stack([owner, edges]), axis=0)) == len(edges)


@pytest.mark.parametrize("process", ["categorical", "gaussian"])
def test_a_gaussian_pair_denoiser_meets_the_counts_as_well(make_model: MakeModel, process: str) -> None:
    trained = make_model(process=process, tiers="denoiser", random_readout=True)
    plan, blocks = _planned(trained)
    assert np.array_equal(np.diff(_sample(trained, plan, blocks)[1]), plan.counts)


@pytest.mark.parametrize("tiers", TIERS, ids=str)
@pytest.mark.parametrize("degree_lists", [False, True])
def test_batch_size_does_not_change_a_bit(make_model: MakeModel, degree_lists: bool, tiers: dict[str, Any]) -> None:
    trained = make_model(degree_lists=degree_lists, random_readout=True, **tiers)
    plan, blocks = _planned(trained, copies=2)
    results = [_sample(trained, plan, blocks, batch_size=size) for size in (1, 5, 64)]
    assert all(np.array_equal(edges, results[0][0]) for edges, _ in results)


@pytest.mark.parametrize("tiers", ["scorer", "denoiser"])
def test_the_seed_decides_the_pairs(make_model: MakeModel, tiers: str) -> None:
    trained = make_model(tiers=tiers, random_readout=True)
    plan, blocks = _planned(trained)
    first, again, other = (_sample(trained, plan, blocks, seed=seed)[0] for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_edges_missing_inside_a_block_come_back_as_stubs(make_model: MakeModel) -> None:
    trained = make_model("one graph")
    plan, blocks = _planned(trained)
    block = np.repeat(np.arange(blocks.num_blocks), np.diff(blocks.inner_offsets))
    inner = np.bincount((blocks.inner_edges + blocks.offsets[block][:, None]).ravel(), minlength=48)
    wanted = trained.quotients[0].inner_degree + trained.quotients[0].outer_degree
    assert open_stubs(blocks).tolist() == [max(int(w - i), 0) for w, i in zip(wanted, inner, strict=True)]
    assert open_stubs(plan.blocks).tolist() == wanted.tolist()


def test_an_untrained_scorer_spends_stubs_and_hardly_anything_else(make_model: MakeModel) -> None:
    trained = make_model("heavy tail", tiers="scorer", degree_lists=True)
    plan, blocks = _planned(trained, copies=30)
    edges, offsets = _sample(trained, plan, blocks, batch_size=256)
    owner = np.repeat(np.arange(len(plan.pairs)), np.diff(offsets))
    ends = (edges + blocks.offsets[plan.pairs[owner]]).ravel()
    sent = np.bincount(ends, minlength=blocks.offsets[-1])
    beyond = np.maximum(sent - open_stubs(blocks), 0).sum()
    # A block never has fewer stubs than edges to come, so one without stubs is drawn with at most 9 e^-8 a side.
    share = 9 * np.exp(-8)
    assert beyond / len(ends) < share + 5 * np.sqrt(share / len(ends))


def test_an_untrained_scorer_without_degree_lists_draws_uniformly(make_model: MakeModel) -> None:
    trained = make_model("one graph", tiers="scorer")
    copies, quotient = 300, trained.quotients[0]
    plan, blocks = _planned(trained, copies=copies)
    edges, offsets = _sample(trained, plan, blocks, batch_size=512)
    p, (i, j) = quotient.num_pairs, quotient.pairs[0]
    first = np.concatenate([edges[offsets[q * p] : offsets[q * p + 1]] for q in range(copies)])
    n, m = quotient.num_nodes[[i, j]].tolist()
    seen = np.bincount(first @ np.array([m, 1]), minlength=n * m) / copies
    share = quotient.pair_edges[0] / (n * m)
    assert np.abs(seen - share).max() < 5 * np.sqrt(share * (1 - share) / copies)


def test_progress_counts_every_pair_once(make_model: MakeModel) -> None:
    trained = make_model()
    plan, blocks = _planned(trained)
    done: list[int] = []
    sample_pairs(
        trained.diffusion,
        blocks,
        plan.pairs,
        plan.counts,
        plan.pair_ids,
        seed=0,
        options=SolverOptions(1, batch_size=1),
        device=CPU,
        advance=done.append,
    )
    assert sum(done) == len(plan.pairs)
