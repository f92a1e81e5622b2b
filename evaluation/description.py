"""Describes sets of graphs by several descriptors at once, in chunks that share work and may run in other processes.

Chunks depend on the sizes of the graphs only, so that the numbers are the same for any number of processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.descriptors.descriptor import Descriptor, UndescribedError, Vectors
from sbgd.evaluation.graph_set import GraphSet
from sbgd.graph import Graph

Description = Mapping[Descriptor, Vectors | UndescribedError]
"""Vectors of every descriptor, or why there are none."""


CHUNK_NODES = 4096
"""Nodes in a chunk, unless a single graph has more: few enough to stay in cache, many enough to spread the overhead."""


@dataclass(frozen=True)
class Described:
    """A set of graphs as vectors.

    Attributes:
        sizes: Number of nodes of every graph (G,).
        vectors: For every descriptor float64 (G, K), or why there are none.
    """

    sizes: NDArray[np.int64]
    vectors: Description

    def __len__(self) -> int:
        return len(self.sizes)

    def rows(self, positions: NDArray[np.int64]) -> Described:
        """Returns some of the graphs."""
        vectors = {
            descriptor: found if isinstance(found, UndescribedError) else found[positions]
            for descriptor, found in self.vectors.items()
        }
        return Described(self.sizes[positions], vectors)

    def by(self, descriptor: Descriptor) -> Vectors:
        """Returns the vectors by one descriptor.

        Raises:
            UndescribedError: There are none.
        """
        found = self.vectors[descriptor]
        if isinstance(found, UndescribedError):
            raise found
        return found


def describe(
    graphs: Sequence[Graph], descriptors: Iterable[Descriptor], *, executor: Executor | None = None
) -> Description:
    """Describes every graph by every descriptor; equal descriptors are computed once.

    Args:
        graphs: Any number of graphs.
        descriptors: What to describe them by.
        executor: Where the chunks run; None for this process.

    Returns:
        For each descriptor float64 (G, K), or the error with which it refused a graph for its cost.
    """
    wanted = tuple(dict.fromkeys(descriptors))
    chunks = list(_chunks(graphs))
    run: Callable[..., Iterable[Any]] = map if executor is None else executor.map
    parts = list(run(_describe_chunk, chunks, [wanted] * len(chunks)))
    return {descriptor: _joined([part[index] for part in parts]) for index, descriptor in enumerate(wanted)}


@contextmanager
def workers(jobs: int) -> Iterator[Executor | None]:
    """Yields an executor of `jobs` processes, or None for one; processes are spawned, since threads do not fork."""
    if jobs <= 1:
        yield None
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as executor:
        yield executor


def _chunks(graphs: Sequence[Graph]) -> Iterator[tuple[Graph, ...]]:
    chunk: list[Graph] = []
    nodes = 0
    for graph in graphs:
        if chunk and nodes + graph.num_nodes > CHUNK_NODES:
            yield tuple(chunk)
            chunk, nodes = [], 0
        chunk.append(graph)
        nodes += graph.num_nodes
    yield tuple(chunk)


def _describe_chunk(graphs: tuple[Graph, ...], descriptors: tuple[Descriptor, ...]) -> list[Vectors | UndescribedError]:
    described = GraphSet(graphs, eigenvectors=any(descriptor.uses_eigenvectors for descriptor in descriptors))
    return [_described(descriptor, described) for descriptor in descriptors]


def _described(descriptor: Descriptor, graphs: GraphSet) -> Vectors | UndescribedError:
    try:
        return descriptor(graphs)
    except UndescribedError as error:
        return error


def _joined(parts: list[Vectors | UndescribedError]) -> Vectors | UndescribedError:
    for part in parts:
        if isinstance(part, UndescribedError):
            return part
    vectors = [part for part in parts if not isinstance(part, UndescribedError)]
    width = max(part.shape[1] for part in vectors)
    return np.concatenate([np.pad(part, ((0, 0), (0, width - part.shape[1]))) for part in vectors])
