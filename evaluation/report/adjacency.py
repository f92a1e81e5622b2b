"""The adjacency matrix in block order as an image: blocks in their hues along the diagonal, all else grey."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.report.cut_graph import CutGraph
from sbgd.evaluation.report.palette import BLOCKS, INK, NUM_HUES, Scheme, rgb
from sbgd.evaluation.report.picture import RGBA, Picture, cell_picture

MAX_SIDE = 480
"""Most cells a side; larger matrices are counted in bins."""

_LEVELS = 8
_FIRST_HUE = 1 + _LEVELS
_FIRST_TINT = _FIRST_HUE + NUM_HUES * _LEVELS


def adjacency_picture(title: str, cut: CutGraph) -> Picture:
    """Returns the adjacency with nodes block after block; joined blocks stand near each other."""
    graph = cut.graph
    size = graph.num_nodes
    side = max(min(size, MAX_SIDE), 1)
    place = np.empty(size, dtype=np.int64)
    place[cut.node_order] = np.arange(size)
    bins = place * side // max(size, 1)
    cells = np.zeros((side, side), np.uint8)
    _tint_blocks(cells, bins, cut)
    left, right = graph.edges.T
    inside = cut.blocks[left] == cut.blocks[right]
    ends = bins[graph.edges]
    _fill(cells, ends[~inside], np.zeros(int((~inside).sum()), np.int64), 1)
    _fill(cells, ends[inside], cut.hues[cut.blocks[left[inside]]], _FIRST_HUE)
    share = int(inside.sum()) / max(graph.num_edges, 1)
    alt = f"{size:,} by {size:,} nodes in block order; {100 * share:.0f} % of the edges are inside blocks"
    return cell_picture(title, alt, cells, _colours)


def _tint_blocks(cells: NDArray[np.uint8], bins: NDArray[np.int64], cut: CutGraph) -> None:
    """Marks the squares of the blocks on the diagonal."""
    order = cut.node_order
    if not len(order):
        return
    blocks = cut.blocks[order]
    starts = np.flatnonzero(np.diff(blocks, prepend=-1))
    for first, last in zip(starts, np.append(starts[1:], len(order)), strict=True):
        rows = slice(int(bins[order[first]]), int(bins[order[last - 1]]) + 1)
        cells[rows, rows] = _FIRST_TINT + cut.hues[blocks[first]]


def _fill(cells: NDArray[np.uint8], ends: NDArray[np.int64], hues: NDArray[np.int64], first: int) -> None:
    """Colours the cells of edges, darker the more of them fall into one."""
    side = len(cells)
    low, high = np.sort(ends, axis=1).T
    keys, index, counts = np.unique(low * side + high, return_index=True, return_counts=True)
    if not len(keys):
        return
    top = max(int(counts.max()), 2)
    level = np.rint((_LEVELS - 1) * np.log1p(counts) / np.log1p(top)) if top > 2 else np.full(len(keys), _LEVELS - 1)
    colour = (first + hues[index] * _LEVELS + level).astype(np.uint8)
    rows, columns = np.divmod(keys, side)
    cells[rows, columns] = cells[columns, rows] = colour


def _colours(scheme: Scheme) -> Sequence[RGBA]:
    """Returns nothing, grey in levels, every hue in levels, and the tints of blocks."""
    alphas = [round(70 + 185 * level / (_LEVELS - 1)) for level in range(_LEVELS)]
    hues = [rgb(colour) for colour in BLOCKS[scheme]]
    grey = rgb(INK[scheme])
    return [
        (0, 0, 0, 0),
        *[(*grey, int(0.75 * alpha)) for alpha in alphas],
        *[(*hue, alpha) for hue in hues for alpha in alphas],
        *[(*hue, 38) for hue in hues],
    ]
