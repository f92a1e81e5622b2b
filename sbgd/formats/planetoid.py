r"""Planetoid citation graphs: eight files `ind.NAME.*`, seven of them pickles of Python 2.

A pickle can call any function it names, and even NumPy's own classes can be driven into foreign memory by a forged
state. So these files are read by an unpickler that knows six names and imports nothing: two are Python's `defaultdict`
and `list`, the other four stand for holders below that only keep what they are given. Arrays are built afterwards from
the bytes that the holders kept, of a short list of number types and with every index checked. A file that names
anything else is refused before that name is looked up.

The rows of `allx` and `ally` are the first nodes, those of `tx` and `ty` the nodes that `test.index` lists; `graph`
maps every node to its neighbours. Reference: Yang, Cohen, Salakhutdinov, 2016, arXiv:1603.08861.
"""

from __future__ import annotations

import io
import pickle  # noqa: TID251 - only _RestrictedUnpickler uses it, see the module docstring
import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.formats.dense_rows import dense_rows
from sbgd.formats.files import Source, read_source
from sbgd.formats.raw import RawGraphs

PARTS = ("allx", "ally", "graph", "test.index", "tx", "ty", "y")
NUM_VALIDATION = 500
NUMBER_TYPES = {"f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"}
_FILE_NAME = re.compile(r"ind\.(\w+)\.(x|y|tx|ty|allx|ally|graph|test\.index)")


class _DtypeHolder:
    """Keeps the code and byte order of a number type."""

    def __init__(self, code: str, *_: Any) -> None:
        self.code, self.order = code, "="

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.order = state[1]

    def dtype(self) -> np.dtype[Any]:
        if self.code not in NUMBER_TYPES or self.order not in ("<", ">", "|", "="):
            raise ValueError(f"numbers of type {self.order!r} {self.code!r}")
        return np.dtype(f"{self.order}{self.code}")


class _ArrayHolder:
    """Keeps the shape, type and bytes of an array."""

    state: tuple[Any, ...] = ()

    def __init__(self, *_: Any) -> None:
        pass

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.state = state

    def array(self) -> NDArray[Any]:
        _, shape, dtype, is_fortran, raw = self.state
        data = raw.encode("latin1") if isinstance(raw, str) else raw
        array = np.frombuffer(data, dtype.dtype()).reshape(shape, order="F" if is_fortran else "C")
        return array.astype(array.dtype.newbyteorder("="))


class _CsrHolder:
    """Keeps the three arrays and the shape of a CSR matrix."""

    def array(self) -> NDArray[np.float64]:
        kept = vars(self)
        data, indices, indptr = (kept[name].array() for name in ("data", "indices", "indptr"))
        return dense_rows(data, indices, indptr, kept["_shape"] if "_shape" in kept else kept["shape"])


class _RestrictedUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in ALLOWED:
            raise pickle.UnpicklingError(f"the forbidden name {module}.{name}")
        return ALLOWED[module, name]

    def persistent_load(self, pid: Any) -> NoReturn:
        raise pickle.UnpicklingError(f"a persistent id {pid!r}")


ALLOWED: Mapping[tuple[str, str], Any] = {
    ("scipy.sparse.csr", "csr_matrix"): _CsrHolder,
    ("numpy.core.multiarray", "_reconstruct"): _ArrayHolder,
    ("numpy", "ndarray"): _ArrayHolder,
    ("numpy", "dtype"): _DtypeHolder,
    ("collections", "defaultdict"): defaultdict,
    ("__builtin__", "list"): list,
}
# What a damaged pickle, or a forged state given to a holder, can raise.
DAMAGE = (
    EOFError,
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    IndexError,
    OverflowError,
    SystemError,
    MemoryError,
)


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
    values = {part: _unpickled(file, part) for part, file in files.items() if part != "test.index"}
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
    )


def _is_adjacency(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(node, int) and isinstance(listed, list) and all(isinstance(target, int) for target in listed)
        for node, listed in value.items()
    )


def _unpickled(source: Source, part: str) -> Any:
    """Returns the dictionary `graph`, or an array of two dimensions."""
    try:
        value = _RestrictedUnpickler(io.BytesIO(source.data), encoding="latin1").load()
        if part == "graph":
            return value
        made = value.array()
        if made.ndim != 2:
            raise ValueError(f"{made.ndim} dimensions")
        return made
    except pickle.UnpicklingError as error:
        raise InputError(f"expected a Planetoid part, got {error} in {source.path}; do not trust this file") from None
    except DAMAGE as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"expected a complete Planetoid part, got {reason} in {source.path}; fetch it again") from None


def _test_index(source: Source) -> NDArray[np.int64]:
    try:
        return np.array([int(word) for word in source.data.split()], np.int64)
    except (ValueError, OverflowError) as error:
        raise InputError(f"expected one node a line, got {error} in {source.path}") from None


def _attributes(
    values: Mapping[str, Any], test_index: NDArray[np.int64], num_nodes: int, path: Path
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Puts the test rows where `test.index` says; nodes without a row keep zero features and label -1."""
    allx, tx, ally, ty = (values[part] for part in ("allx", "tx", "ally", "ty"))
    num_known, num_test = allx.shape[0], tx.shape[0]
    rows_match = (len(ally), len(ty), len(test_index)) == (num_known, num_test, num_test)
    columns_match = allx.shape[1] == tx.shape[1] and ally.shape[1] == ty.shape[1]
    nodes_exist = test_index.min(initial=0) >= 0 and max(num_known - 1, test_index.max(initial=-1)) < num_nodes
    if not (rows_match and columns_match and nodes_exist):
        raise InputError(
            f"expected rows for {num_nodes} nodes, got {num_known} in allx, {num_test} in tx and {len(test_index)} "
            f"test nodes beside {path}"
        )
    features = np.zeros((num_nodes, allx.shape[1]))
    features[:num_known], features[test_index] = allx, tx
    one_hot = np.zeros((num_nodes, ally.shape[1]), np.int64)
    one_hot[:num_known], one_hot[test_index] = ally, ty
    return features, np.where(one_hot.any(axis=1), one_hot.argmax(axis=1), -1)


def _public_split(num_train: int, test_index: NDArray[np.int64], num_nodes: int) -> NDArray[np.int8]:
    split = np.full(num_nodes, -1, np.int8)
    split[:num_train] = 0
    split[num_train : num_train + NUM_VALIDATION] = 1
    split[test_index] = 2
    return split
