r"""Planetoid citation graphs: eight files `ind.NAME.*`, seven of them pickles of Python 2.

A pickle can call any function it names, so these are read by an unpickler that knows six names and nothing else:
`find_class` never imports. Arrays and dictionaries are what NumPy and Python make of them; the name `csr_matrix` stands
for a plain holder of attributes, from which the matrix is rebuilt and checked. A file that names anything else is
refused before that name is looked up.

The rows of `allx` and `ally` are the first nodes, those of `tx` and `ty` the nodes that `test.index` lists; `graph`
maps every node to its neighbours. Reference: Yang, Cohen, Salakhutdinov, 2016, arXiv:1603.08861.
"""

from __future__ import annotations

import io
import pickle  # noqa: TID251 - only _RestrictedUnpickler below uses it, see the module docstring
import re
import warnings
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sbgd.errors import InputError
from sbgd.formats.files import Source, read_source
from sbgd.formats.raw import RawGraphs
from sbgd.formats.report import ReadReport

PARTS = ("allx", "ally", "graph", "test.index", "tx", "ty", "y")
NUM_VALIDATION = 500
_FILE_NAME = re.compile(r"ind\.(\w+)\.(x|y|tx|ty|allx|ally|graph|test\.index)")


class _CsrState:
    """Receives the attributes of a pickled CSR matrix; runs nothing."""

    def matrix(self) -> sparse.csr_array[Any]:
        state = vars(self)
        shape = state.get("_shape", state.get("shape"))
        matrix = sparse.csr_array((state["data"], state["indices"], state["indptr"]), shape=shape)
        matrix.check_format(full_check=True)
        return matrix


class _RestrictedUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        known = ALLOWED.get((module, name))
        if known is None:
            raise pickle.UnpicklingError(f"the forbidden name {module}.{name}")
        return known

    def persistent_load(self, pid: Any) -> NoReturn:
        raise pickle.UnpicklingError(f"a persistent id {pid!r}")


# The one private function that every pickled array names; NumPy itself looks it up under this path.
_reconstruct = np.zeros(0).__reduce__()[0]

ALLOWED: Mapping[tuple[str, str], Any] = {
    ("scipy.sparse.csr", "csr_matrix"): _CsrState,
    ("numpy.core.multiarray", "_reconstruct"): _reconstruct,
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    ("collections", "defaultdict"): defaultdict,
    ("__builtin__", "list"): list,
}


def is_part(name: str) -> bool:
    """Whether a file name is that of a Planetoid part."""
    return _FILE_NAME.fullmatch(name) is not None


def read(source: Source) -> RawGraphs:
    """Reads the graph whose parts lie beside the given one.

    Raises:
        InputError: A part is missing, damaged or names something that is not allowed.
    """
    match = _FILE_NAME.fullmatch(source.path.name)
    if match is None:
        raise InputError(f"expected a file called ind.NAME.graph, got {source.path}")
    return _parse(source.path.parent, match[1])


def read_folder(path: Path) -> RawGraphs:
    """Reads the one Planetoid graph in a folder.

    Raises:
        InputError: The folder holds the parts of several graphs.
    """
    names = sorted({match[1] for file in path.iterdir() if (match := _FILE_NAME.fullmatch(file.name))})
    if len(names) != 1:
        raise InputError(f"expected one Planetoid graph, got {', '.join(names)} in {path}; name one ind.NAME.graph")
    return _parse(path, names[0])


def files_of(path: Path) -> list[Path]:
    """Lists the parts in the folder of a part, or in a folder."""
    folder = path if path.is_dir() else path.parent
    match = _FILE_NAME.fullmatch(path.name)
    prefix = f"ind.{match[1]}." if match else "ind."
    return sorted(file for file in folder.iterdir() if is_part(file.name) and file.name.startswith(prefix))


def _parse(folder: Path, name: str) -> RawGraphs:
    files = {part: read_source(folder / f"ind.{name}.{part}") for part in PARTS}
    values = {part: _unpickled(file) for part, file in files.items() if part != "test.index"}
    test_index = _test_index(files["test.index"])
    neighbours = values["graph"]
    if not _is_adjacency(neighbours):
        raise InputError(f"expected a dictionary of neighbours, got another value in {files['graph'].path}")
    counts = [len(targets) for targets in neighbours.values()]
    sources = np.repeat(np.array(list(neighbours), np.int64), counts)
    targets = np.array([target for listed in neighbours.values() for target in listed], np.int64)
    num_nodes = len(neighbours)
    features, labels = _attributes(values, test_index, num_nodes, folder / f"ind.{name}.allx")
    return RawGraphs.single(
        np.stack([sources, targets], axis=1),
        num_nodes,
        both_directions=True,
        features=features,
        labels=labels,
        splits={"public": _public_split(len(values["y"]), test_index, num_nodes)},
        report=ReadReport(),
    )


def _is_adjacency(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(node, int) and isinstance(listed, list) and all(isinstance(target, int) for target in listed)
        for node, listed in value.items()
    )


def _unpickled(source: Source) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            value = _RestrictedUnpickler(io.BytesIO(source.data), encoding="latin1").load()
        return value.matrix() if isinstance(value, _CsrState) else value
    except pickle.UnpicklingError as error:
        raise InputError(f"expected a Planetoid part, got {error} in {source.path}; do not trust this file") from None
    except (EOFError, ValueError, TypeError, KeyError, AttributeError, IndexError, UnicodeDecodeError) as error:
        raise InputError(f"expected a complete Planetoid part, got {error} in {source.path}; fetch it again") from None


def _test_index(source: Source) -> NDArray[np.int64]:
    try:
        return np.array(source.data.split(), np.str_).astype(np.int64)
    except ValueError as error:
        raise InputError(f"expected one node a line, got {error} in {source.path}") from None


def _attributes(
    values: Mapping[str, Any], test_index: NDArray[np.int64], num_nodes: int, path: Path
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Puts the test rows where `test.index` says; nodes without a row keep zero features and label -1."""
    allx, tx, ally, ty = (values[part] for part in ("allx", "tx", "ally", "ty"))
    num_known = allx.shape[0]
    if len(test_index) != tx.shape[0] or max(num_known - 1, test_index.max(initial=-1)) >= num_nodes:
        raise InputError(
            f"expected rows for {num_nodes} nodes, got {num_known} in allx, {tx.shape[0]} in tx and "
            f"{len(test_index)} test nodes beside {path}"
        )
    features = np.zeros((num_nodes, allx.shape[1]))
    features[:num_known], features[test_index] = allx.toarray(), tx.toarray()
    one_hot = np.zeros((num_nodes, ally.shape[1]), np.int64)
    one_hot[:num_known], one_hot[test_index] = ally, ty
    return features, np.where(one_hot.any(axis=1), one_hot.argmax(axis=1), -1)


def _public_split(num_train: int, test_index: NDArray[np.int64], num_nodes: int) -> NDArray[np.int8]:
    split = np.full(num_nodes, -1, np.int8)
    split[:num_train] = 0
    split[num_train : num_train + NUM_VALIDATION] = 1
    split[test_index] = 2
    return split
