"""A picture as a piece of HTML, and how images and figures of matplotlib become one."""

from __future__ import annotations

import base64
import io
import re
import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sbgd.evaluation.report.palette import SCHEMES, Scheme

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK = "#123456"
"""Stands for the colour of the text around a figure of matplotlib, which the page sets."""
STAND_INS = {INK: "currentColor", "#123457": "var(--reference)", "#123458": "var(--generated)"}
"""Colours in a figure that stand for those of the page."""
SET_COLOURS = {"reference": "#123457", "generated": "#123458"}

RGBA = tuple[int, int, int, int]


@dataclass(frozen=True)
class Picture:
    """A picture of a page.

    Attributes:
        title: What stands above it.
        alt: What it shows, for readers who do not see it.
        markup: An svg, img or picture element that needs nothing else, its alternative text inside.
        caption: What stands below it; `alt` by default.
    """

    title: str
    alt: str
    markup: str
    caption: str | None = None


def svg_picture(title: str, alt: str, shapes: Sequence[str], view_box: str = "-1040 -1040 2080 2080") -> Picture:
    """Returns a picture of hand-written SVG shapes."""
    head = f'<svg role="img" aria-label="{escape(alt)}" viewBox="{view_box}" xmlns="http://www.w3.org/2000/svg">'
    return Picture(title, alt, f"{head}{''.join(shapes)}</svg>")


def figure_picture(title: str, alt: str, figure: Figure, key: str) -> Picture:
    """Returns a figure of matplotlib as an svg element, the same for the same figure.

    Args:
        title: What stands above it.
        alt: What it shows.
        figure: A figure whose colours are among `STAND_INS`.
        key: Put before its ids, so that those of several figures on a page differ.
    """
    from matplotlib import rc_context

    file = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "sbgd"}):
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    svg = file.getvalue()
    # what matplotlib says in a style element would hold for the whole page
    svg = re.sub(r"<(metadata|style)\b.*?</\1>", "", svg[svg.index("<svg") :], flags=re.S)
    svg = re.sub(r'(\bid="|url\(#|xlink:href="#)', rf"\g<1>{key}-", svg).replace("xlink:href", "href")
    for colour, meant in STAND_INS.items():
        svg = svg.replace(colour, meant)
    head = f'<svg role="img" aria-label="{escape(alt)}" stroke-linejoin="round"'
    return Picture(title, alt, svg.replace("<svg", head, 1).strip())


def cell_picture(
    title: str, alt: str, cells: NDArray[np.uint8], colours: Callable[[Scheme], Sequence[RGBA]]
) -> Picture:
    """Returns a picture of coloured cells, with one image for light and one for dark ground.

    Args:
        title: What stands above it.
        alt: What it shows.
        cells: Number of the colour of every cell, uint8 (h, w).
        colours: The colours on a ground, at most 256.
    """
    light, dark = (_data_address(indexed_png(cells, colours(scheme))) for scheme in SCHEMES)
    height, width = cells.shape
    return Picture(
        title,
        alt,
        f'<picture><source media="(prefers-color-scheme: dark)" srcset="{dark}">'
        f'<img class="cells" src="{light}" width="{width}" height="{height}" alt="{escape(alt)}"></picture>',
    )


def indexed_png(cells: NDArray[np.uint8], colours: Sequence[RGBA]) -> bytes:
    """Returns a PNG file of cells (h, w) that number the colours of a palette of at most 256.

    References:
        W3C, "Portable Network Graphics (PNG) specification", third edition, sections 5 and 11.
    """
    height, width = cells.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), cells], axis=1)  # each row starts with its filter: none
    chunks = {
        b"IHDR": struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0),
        b"PLTE": bytes(part for colour in colours for part in colour[:3]),
        b"tRNS": bytes(colour[3] for colour in colours),
        b"IDAT": zlib.compress(rows.tobytes(), 9),
        b"IEND": b"",
    }
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks.items()
    )


def _data_address(png: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"
