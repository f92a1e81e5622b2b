"""How many nodes each generated graph should have: an int, `lo:hi`, `xN` or a histogram file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sbgd.errors import InputError
from sbgd.sampling.limits import MAX_GRAPHS

Ints = NDArray[np.int64]
MAX_NODES = 1 << 53  # beyond, a number of nodes is no longer exact as a float


def requested_sizes(
    spec: str | None,
    training_sizes: Ints,
    count: int,
    seed: int,
    *,
    mean_degrees: NDArray[np.float64] | None = None,
) -> Ints:
    """Draws the number of nodes of every graph.

    Args:
        spec: `1000` for that size; `500:2000` for sizes uniform in that closed range; `x4` or `x0.5` for times the size
            of a training graph; a path to a histogram, a JSON object or lines `size count`; None for training sizes.
        training_sizes: int64 (g,), nodes of the training graphs.
        count: Number of graphs, at least 1.
        seed: Seed of the draws.
        mean_degrees: float64 (g,), mean degree of the training graphs. Where sizes follow the training graphs, these
            are drawn evenly along it: in a small sample the mix of sparse and dense graphs is the largest source of
            chance in every statistic. By default they are drawn evenly along their size.

    Raises:
        InputError: The specification is none of these or asks for graphs without nodes.
    """
    if not 1 <= count <= MAX_GRAPHS:
        raise InputError(f"expected --num-graphs of 1 .. {MAX_GRAPHS}, got {count}")
    rng = np.random.default_rng([seed, 1])
    order = training_sizes if mean_degrees is None else mean_degrees
    if spec is None:
        return _drawn_evenly(training_sizes, order, count, rng)
    text = spec.strip()
    if text.startswith("x") and not _is_file(text):
        factor = _number(text[1:], spec)
        sizes = np.rint(_drawn_evenly(training_sizes, order, count, rng) * factor)
        return _checked(sizes, spec)
    if ":" in text and not Path(text).exists():
        low, _, high = text.partition(":")
        bounds = _integer(low, spec), _integer(high, spec)
        if bounds[0] > bounds[1]:
            raise InputError(f"expected --num-nodes lo:hi with lo at most hi, got {spec}")
        _checked(np.array(bounds), spec)
        return _checked(rng.integers(bounds[0], bounds[1] + 1, count), spec)
    if text.lstrip("+-").isdecimal():
        return _checked(np.full(count, _integer(text, spec), np.int64), spec)
    return _checked(_from_histogram(Path(text), count, rng), spec)


def _drawn_evenly(
    sizes: Ints, order: NDArray[np.int64] | NDArray[np.float64], count: int, rng: np.random.Generator
) -> Ints:
    """Draws sizes by systematic sampling: every (g / count)-th training graph along `order`, from a random start."""
    ordered = sizes[np.lexsort((rng.random(len(sizes)), order))]
    quantiles = (np.arange(count) + rng.random()) / count
    return rng.permutation(ordered[(quantiles * len(ordered)).astype(np.int64)])


def _from_histogram(path: Path, count: int, rng: np.random.Generator) -> Ints:
    if not _is_file(str(path)):
        raise InputError(f"expected --num-nodes as 1000, 500:2000, x4 or a histogram file, got {path}")
    try:
        text = path.read_text()
        lines = [line.split() for line in text.splitlines() if line.strip()]
        rows = json.loads(text).items() if text.lstrip().startswith("{") else lines
        table = np.array([(float(int(size)), float(weight)) for size, weight in rows]).reshape(-1, 2)
    except (ValueError, TypeError, OverflowError, OSError) as error:
        raise InputError(
            f"expected a histogram {{size: count}} or lines 'size count' in {path}, got {error}"
        ) from error
    if not (table[:, 1] >= 0).all() or not 0 < table[:, 1].sum() < np.inf:
        raise InputError(f"expected counts of at least 0 and not all 0 in {path}")
    return rng.choice(table[:, 0], count, p=table[:, 1] / table[:, 1].sum())


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except OSError:  # a name longer than the system allows
        return False


def _checked(sizes: Ints | NDArray[np.float64], spec: str) -> Ints:
    if sizes.max() > MAX_NODES:
        raise InputError(f"expected graphs of at most {MAX_NODES} nodes, got --num-nodes {spec}")
    if sizes.min() < 1:
        raise InputError(f"expected graphs of at least 1 node, got --num-nodes {spec}")
    return sizes.astype(np.int64)


def _number(text: str, spec: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not np.isfinite(value):
        raise InputError(f"expected --num-nodes xN with a number N, got {spec}")
    return value


def _integer(text: str, spec: str) -> int:
    try:
        return int(np.int64(int(text)))
    except (ValueError, OverflowError) as error:
        raise InputError(f"expected --num-nodes as an integer or lo:hi with integers, got {spec}") from error
