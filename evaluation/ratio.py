"""Average ratios: how many times larger the MMDs of generated graphs are than those of training graphs.

Three sources divide the same numbers by three rules, and print different averages. All rules hide how close to the
floor both numbers are, which is why the ratio is given beside the MMDs and never instead of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

Values = Mapping[str, float]

RatioRule = Callable[[Values, Values], dict[str, float]]


def esgg_ratios(generated: Values, train: Values) -> dict[str, float]:
    """Returns generated / (train + 1e-8): a metric whose training value is 0 counts 0 or explodes.

    References:
        Bergmeister et al., 2024, "Efficient and scalable graph generation through iterative local expansion",
        arXiv:2312.11529.
    """
    return {name: generated[name] / (train[name] + 1e-8) for name in generated}


def defog_ratios(generated: Values, train: Values) -> dict[str, float]:
    """Returns |generated| / train rounded to 4 decimals, and no ratio where that is 0.

    References:
        Qin et al., 2025, "DeFoG: discrete flow matching for graph generation", arXiv:2410.04263.
    """
    rounded = {name: round(value, 4) for name, value in train.items()}
    return {name: abs(generated[name]) / rounded[name] for name in generated if rounded[name]}


def autograph_ratios(generated: Values, train: Values) -> dict[str, float]:
    """Returns generated / train of values below 0 taken as 0, and no ratio where that is not finite.

    References:
        Chen et al., 2025, "Flatten graphs as sequences: transformers are scalable graph generators", arXiv:2502.02216.
    """
    pairs = {name: (max(generated[name], 0.0), max(train[name], 0.0)) for name in generated}
    ratios = {name: ours / theirs for name, (ours, theirs) in pairs.items() if theirs}
    return {name: ratio for name, ratio in ratios.items() if math.isfinite(ratio)}


RATIOS: Mapping[str, RatioRule] = {"esgg": esgg_ratios, "defog": defog_ratios, "autograph": autograph_ratios}
"""All rules by the name of their source."""


def average_ratio(rule: str, generated: Values, train: Values) -> float | None:
    """Returns the mean ratio by a rule of `RATIOS`, or None where the rule leaves no metric."""
    ratios = RATIOS[rule](generated, train)
    return sum(ratios.values()) / len(ratios) if ratios else None
