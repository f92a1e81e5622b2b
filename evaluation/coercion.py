"""Takes graphs as their users hold them: of sbgd, NetworkX, PyG, SciPy or NumPy, one or many, mixed at will."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sbgd.errors import InputError
from sbgd.formats import LoadedGraphs
from sbgd.graph import Graph

_REMEDY = "convert it with sbgd.Graph.from_edges"


def as_graphs(graphs: object) -> list[Graph]:
    """Converts one graph or an iterable of graphs.

    Args:
        graphs: A `Graph`, an undirected NetworkX graph, a PyG `Data` with both directions of every edge, a PyG `Batch`,
            which stands for its graphs, a symmetric 0-1 adjacency of SciPy or NumPy (N, N), what `sbgd.load` returns,
            or an iterable of these, such as a list, a data set, a data loader or an array (G, N, N).

    Returns:
        The graphs in order; `Graph`s are the same objects.

    Raises:
        InputError: Something is none of these, or a graph is directed, weighted or has self-loops; the message names
            its position and type.
    """
    if isinstance(graphs, LoadedGraphs):
        return list(graphs.graphs)
    if _is_graph(graphs):
        return _converted(graphs)
    if isinstance(graphs, str | bytes):
        raise InputError("expected graphs, got text; read files with sbgd.load")
    if not _is_collection(graphs):
        raise InputError(f"expected graphs or a list of them, got {_kind(graphs)}; {_REMEDY}")
    return [graph for position, item in enumerate(_items(graphs)) for graph in _at(position, item)]


def _is_collection(graphs: object) -> bool:
    if isinstance(graphs, Mapping) or _is_a(graphs, "torch_geometric", "BaseData"):
        return False
    return isinstance(graphs, Iterable) or hasattr(graphs, "__getitem__")


def _items(graphs: object) -> Iterable[object]:
    """Iterates; what has only `__getitem__` and `__len__`, as torch's data sets do, ends at its length."""
    if isinstance(graphs, Iterable):
        return graphs
    indexed = cast(Any, graphs)
    return (indexed[index] for index in range(len(indexed)))


def _at(position: int, item: object) -> list[Graph]:
    if not _is_graph(item):
        known = "sbgd, NetworkX, PyG, SciPy or NumPy"
        raise InputError(f"expected a graph of {known}, got {_kind(item)} at position {position}; {_REMEDY}")
    try:
        return _converted(item)
    except InputError as error:
        raise InputError(f"{error} (position {position}, {_kind(item)})") from None


def _is_graph(item: object) -> bool:
    is_matrix = sparse.issparse(item) or (isinstance(item, np.ndarray) and item.ndim == 2)
    return isinstance(item, Graph) or is_matrix or _is_a(item, "networkx", "Graph") or _is_pyg(item)


def _converted(item: Any) -> list[Graph]:
    if isinstance(item, Graph):
        return [item]
    if _is_a(item, "networkx", "Graph"):
        return [Graph.from_networkx(item)]
    if _is_a(item, "torch_geometric", "Batch"):
        return [Graph.from_pyg(data) for data in item.to_data_list()]
    if _is_pyg(item):
        return [Graph.from_pyg(item)]
    return [_from_adjacency(item)]


def _from_adjacency(adjacency: NDArray[Any] | sparse.csr_array[Any]) -> Graph:
    if isinstance(adjacency, np.ndarray) and adjacency.dtype.kind not in "biuf":
        raise InputError(f"expected adjacency entries 0 or 1, got {adjacency.dtype}")
    # boolean matrices cannot be subtracted, unsigned ones wrap around
    return Graph.from_scipy(sparse.csr_array(adjacency).astype(np.float64))


def _is_pyg(item: object) -> bool:
    return _is_a(item, "torch_geometric", "Data")


def _is_a(item: object, package: str, name: str) -> bool:
    """Whether a base class has this name in this package, which is not imported for the question."""
    return any(base.__name__ == name and base.__module__.split(".")[0] == package for base in type(item).__mro__)


def _kind(item: object) -> str:
    """Names a type with its package."""
    kind = type(item)
    package = kind.__module__.split(".")[0]
    shape = f" of shape {item.shape}" if isinstance(item, np.ndarray) else ""
    return f"{kind.__name__}{shape}" if package == "builtins" else f"{package}.{kind.__name__}{shape}"
