"""The rule of SPECTRE and its descendants for stochastic block models, through graph-tool in a process of its own.

Blocks are found by minimising the description length, then refined by a random search; the rest is arithmetic. Kept to
check published numbers: the test does not know how many pairs are behind a density, it multiplies matrices where it
means their entries, and the search depends on its seed and finds other blocks now and then even with the same one.
`BlockModel` is the rule to use.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from sbgd.errors import InputError
from sbgd.evaluation.validity.rule import VALID, Verdict
from sbgd.graph import Graph

PYTHON_VARIABLE = "SBGD_GRAPH_TOOL_PYTHON"

_PROGRAM = """
import json, sys
import graph_tool.all as gt
import numpy as np
job = json.load(sys.stdin)
found = []
for num_nodes, edges in job["graphs"]:
    gt.seed_rng(job["seed"])
    g = gt.Graph()
    g.add_vertex(num_nodes)
    g.add_edge_list([edge for u, v in edges for edge in ((u, v), (v, u))])
    state = gt.minimize_blockmodel_dl(g)
    for _ in range(job["sweeps"]):
        state.multiflip_mcmc_sweep(beta=np.inf, niter=10)
    found.append([int(block) for block in state.get_blocks().a[:num_nodes]])
json.dump(found, sys.stdout)
"""
_PROBE = "import importlib.util, sys; sys.exit(importlib.util.find_spec('graph_tool') is None)"

_EPSILON = 1e-6


@dataclass(frozen=True)
class LegacyBlockModel:
    """The published rule: 2 to 5 blocks of 20 to 40 nodes, whose densities are near enough to 0.3 and 0.005.

    Attributes:
        sweeps: Rounds of the random search: 1000 in SPECTRE, ESGG and AutoGraph, 100 in DeFoG and GruM.
        seed: Seed of the search of every graph, on which the verdict depends.
        strict: Whether numbers and sizes of blocks are checked.
        python: Interpreter that has graph-tool; by default that of $SBGD_GRAPH_TOOL_PYTHON, or the first python3 of
            the search path that has it.
        time_limit_s: Seconds for a whole list of graphs.

    References:
        Martinkus et al., 2022, "SPECTRE", arXiv:2204.01613. graph-tool: Peixoto, 2014,
        doi 10.6084/m9.figshare.1164194.
    """

    sweeps: int = 1000
    seed: int = 0
    strict: bool = True
    python: str | None = None
    time_limit_s: float = 3600.0
    name: str = "sbm_legacy"

    def __call__(self, graphs: Sequence[Graph]) -> list[Verdict]:
        """Returns one verdict a graph.

        Raises:
            InputError: graph-tool cannot be run, or does not finish in time.
        """
        searched = [graph for graph in graphs if graph.num_edges]
        found = iter(self._assignments(searched) if searched else [])
        return [self._verdict(graph, next(found)) if graph.num_edges else _without_edges(graph) for graph in graphs]

    def _verdict(self, graph: Graph, assignment: Sequence[int]) -> Verdict:
        sizes, counts = block_counts(graph, assignment)
        if self.strict and not 2 <= len(sizes) <= 5:
            return Verdict(False, f"{len(sizes)} blocks")
        if self.strict and (sizes.min() < 20 or sizes.max() > 40):
            return Verdict(False, f"blocks of {sizes.min()} to {sizes.max()} nodes")
        score = legacy_score(sizes, counts)
        return VALID if score > 0.9 else Verdict(False, f"score {score:.3f}, not above 0.9")

    def _assignments(self, graphs: Sequence[Graph]) -> list[list[int]]:
        python = self.python or os.environ.get(PYTHON_VARIABLE) or next(filter(_has_graph_tool, _pythons()), "python3")
        job: dict[str, Any] = {"seed": self.seed, "sweeps": self.sweeps}
        # the source passes edges alone, so that isolated nodes after the last end of an edge are in no block
        job["graphs"] = [[int(graph.edges.max()) + 1, graph.edges.tolist()] for graph in graphs]
        if shutil.which(python) is None:
            raise _missing(python, "no such program")
        try:
            done = subprocess.run(  # noqa: S603 - the interpreter that the user has named
                [python, "-c", _PROGRAM],
                input=json.dumps(job),
                capture_output=True,
                text=True,
                timeout=self.time_limit_s,
                env={**os.environ, "OMP_NUM_THREADS": "1"},  # every thread has random numbers of its own
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise InputError(
                f"expected graph-tool to finish in {self.time_limit_s:g} s, got no answer; allow more or use rule sbm"
            ) from error
        if done.returncode:
            lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
            raise _missing(python, lines[-1])
        return _parsed(done.stdout, python, len(graphs))


def block_counts(graph: Graph, assignment: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the sizes of the blocks (k,) and the arcs between them (k, k), both directions of an edge counted."""
    blocks = np.unique(np.asarray(assignment, dtype=np.int64), return_inverse=True)[1]
    counts = np.zeros((int(blocks.max()) + 1,) * 2, dtype=np.int64)
    u, v = blocks[graph.edges].T
    np.add.at(counts, (u, v), 1)
    np.add.at(counts, (v, u), 1)
    return np.bincount(blocks), counts


def legacy_score(
    sizes: NDArray[np.int64], arcs: NDArray[np.int64], *, inner: float = 0.3, outer: float = 0.005
) -> float:
    """Returns the mean over all pairs of blocks of 1 - F(W), F the law chi-squared with 1 degree of freedom.

    W = (p - p0)^2 / (p (1 - p) + 1e-6) is called a Wald statistic there, but lacks the number of pairs. Between blocks
    the source holds p in an `np.matrix`, whose square and product are those of matrices; the published numbers are
    made of these.

    Args:
        sizes: Number of nodes of every block (k,).
        arcs: Arcs between blocks, both directions of an edge counted (k, k).
        inner: Wanted density inside blocks.
        outer: Wanted density between blocks.
    """
    inside = np.diag(arcs) / (sizes * (sizes - 1) + _EPSILON)
    between = (arcs - np.diag(np.diag(arcs))) / (np.outer(sizes, sizes) + _EPSILON)
    statistic = (between - outer) @ (between - outer) / (between @ (1 - between) + _EPSILON)
    np.fill_diagonal(statistic, (inside - inner) ** 2 / (inside * (1 - inside) + _EPSILON))
    return float(stats.chi2.sf(np.abs(statistic), 1).mean())


def _without_edges(graph: Graph) -> Verdict:
    return Verdict(False, "no edges" if graph.num_nodes else "no nodes")


def _pythons() -> Iterator[str]:
    """Yields the python3 of every folder of the search path: that of a virtual environment has no system packages."""
    found = (shutil.which("python3", path=folder) for folder in os.get_exec_path())
    return (python for python in found if python is not None)


def _has_graph_tool(python: str) -> bool:
    return subprocess.run([python, "-c", _PROBE], capture_output=True, check=False).returncode == 0  # noqa: S603


def _parsed(answer: str, python: str, num_graphs: int) -> list[list[int]]:
    try:
        assignments: list[list[int]] = json.loads(answer)
    except json.JSONDecodeError as error:
        raise _missing(python, f"an answer that is not JSON ({error})") from error
    if len(assignments) != num_graphs:
        raise _missing(python, f"{len(assignments)} answers for {num_graphs} graphs")
    return assignments


def _missing(python: str, problem: str) -> InputError:
    return InputError(
        f"expected graph-tool under {python}, got: {problem}; install it (Debian: python3-graph-tool), name its "
        f"interpreter in ${PYTHON_VARIABLE}, or use rule sbm"
    )
