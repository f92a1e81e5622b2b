"""Colours of a page, each once for light and once for dark ground, as CSS variables and as numbers for images.

Blocks take ten hues that keep three to one against both grounds; the two sets keep the pair blue and red throughout.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")

GROUND: Mapping[Scheme, str] = {"light": "#ffffff", "dark": "#14171c"}
"""What pictures stand on."""

INK: Mapping[Scheme, str] = {"light": "#1d2430", "dark": "#e3e7ee"}

SETS: Mapping[Scheme, Mapping[str, str]] = {
    "light": {"reference": "#2f6fb3", "generated": "#c8414f"},
    "dark": {"reference": "#79b4f2", "generated": "#ff8d94"},
}
"""Colours of reference and generated graphs, a pair that colour-blind readers tell apart by lightness and hue."""

BLOCKS: Mapping[Scheme, tuple[str, ...]] = {
    "light": (
        "#2f6fb3", "#c8414f", "#2b8653", "#ad7114", "#8248ab", "#16808f", "#bf4d97", "#66791b", "#7f5b3a", "#5a6576",
    ),
    "dark": (
        "#79b4f2", "#ff8d94", "#6bcf96", "#e6b455", "#c79be8", "#5ccadb", "#f097cf", "#b5ca58", "#cfa57f", "#aab5c4",
    ),
}  # fmt: skip

DENSITIES: Mapping[Scheme, tuple[str, ...]] = {
    "light": ("#dbe7f4", "#a9c9e6", "#6fa5d3", "#3b7fbb", "#205c97", "#103c6b"),
    "dark": ("#34506f", "#3f6c9f", "#5089c4", "#78aee4", "#aed2f6", "#e8f3fe"),
}
"""Steps from sparse to dense."""

NUM_HUES = len(BLOCKS["light"])


def block_colour(hue: int) -> str:
    """Returns the CSS colour of a block hue, right on either ground."""
    return f"var(--block-{hue})"


def density_colour(step: int) -> str:
    """Returns the CSS colour of a density step."""
    return f"var(--density-{step})"


def rgb(colour: str) -> tuple[int, int, int]:
    """Returns the three bytes of `#rrggbb`."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def css_variables(scheme: Scheme) -> str:
    """Returns the declarations of all colours on one ground."""
    named = {
        "ground": GROUND[scheme],
        "ink": INK[scheme],
        **SETS[scheme],
        **{f"block-{hue}": colour for hue, colour in enumerate(BLOCKS[scheme])},
        **{f"density-{step}": colour for step, colour in enumerate(DENSITIES[scheme])},
    }
    return " ".join(f"--{name}: {colour};" for name, colour in named.items())
