"""Named sets of metrics, each as its source has it, and the recommended one."""

from collections.abc import Mapping
from types import MappingProxyType

from sbgd.errors import InputError
from sbgd.evaluation.presets.ggm import EDGE, GGM
from sbgd.evaluation.presets.gran import GRAN
from sbgd.evaluation.presets.graphrnn import GDSS, GRAPHRNN
from sbgd.evaluation.presets.obray import OBRAY
from sbgd.evaluation.presets.polygraph import POLYGRAPH
from sbgd.evaluation.presets.preset import EMBEDDING_SCORES, EmbeddingDefinition, Preset
from sbgd.evaluation.presets.sbgd import SBGD
from sbgd.evaluation.presets.spectre import AUTOGRAPH, DEFOG, DIGRESS, ESGG, SPECTRE

PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        preset.name: preset
        for preset in (
            SBGD,
            GRAPHRNN,
            GDSS,
            GRAN,
            SPECTRE,
            DIGRESS,
            ESGG,
            DEFOG,
            AUTOGRAPH,
            GGM,
            EDGE,
            POLYGRAPH,
            OBRAY,
        )
    }
)
"""All presets by name, the recommended one first."""


def find_preset(name: str) -> Preset:
    """Returns a preset by name.

    Raises:
        InputError: There is none of that name.
    """
    if name not in PRESETS:
        raise InputError(f"expected a preset among {', '.join(PRESETS)}, got {name!r}")
    return PRESETS[name]


__all__ = ["EMBEDDING_SCORES", "PRESETS", "EmbeddingDefinition", "Preset", "find_preset"]
