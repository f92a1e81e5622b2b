"""What a preset is: the metrics of one source under their names, as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from sbgd.errors import InputError
from sbgd.evaluation.defects import DEFECTS
from sbgd.evaluation.descriptors import RandomGIN
from sbgd.evaluation.metric import MMDDefinition
from sbgd.evaluation.node_features import uses_features

EMBEDDING_SCORES = (
    "frechet",
    "precision",
    "recall",
    "f1_pr",
    "density",
    "coverage",
    "f1_dc",
    "mmd_rbf",
    "mmd_linear",
)
"""What can be measured between two sets of embeddings."""


@dataclass(frozen=True)
class EmbeddingDefinition:
    """Embedding of graphs by a network with random weights, and what is measured between embeddings.

    Attributes:
        descriptor: The network; its seed is replaced where several are asked for.
        scores: Names among `EMBEDDING_SCORES`.
        standardise: Whether columns are centred and scaled by the reference first.
        swapped: Defect of EDGE: generated and reference embeddings change places.
    """

    descriptor: RandomGIN
    scores: tuple[str, ...] = EMBEDDING_SCORES
    standardise: bool = True
    swapped: bool = False


@dataclass(frozen=True)
class Preset:
    """The metrics of one source.

    Attributes:
        name: What it is called.
        summary: What it repeats, with the reference, in a sentence or two.
        mmds: MMDs that are computed unless others are asked for, by name.
        variants: MMDs of the source that are computed when asked for by name.
        embeddings: Embeddings that are computed unless others are asked for, by name.
        discrepancy: Whether the PolyGraph Discrepancy is computed.
        ratio: Rule of `ratio.RATIOS` by which the source averages, or None.
        defects: Names of the errors that the source has, see `defects.DEFECTS`.
    """

    name: str
    summary: str
    mmds: Mapping[str, MMDDefinition]
    variants: Mapping[str, MMDDefinition] = field(default_factory=lambda: MappingProxyType({}))
    embeddings: Mapping[str, EmbeddingDefinition] = field(default_factory=lambda: MappingProxyType({}))
    discrepancy: bool = False
    ratio: str | None = None
    defects: tuple[str, ...] = ()

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of all metrics of the source, variants last."""
        discrepancy = ("pgd",) if self.discrepancy else ()
        return (*self.mmds, *self.embeddings, *discrepancy, *self.variants)

    @property
    def default(self) -> tuple[str, ...]:
        """Names of the metrics that are computed unless others are asked for."""
        return tuple(name for name in self.metrics if name not in self.variants)

    def without_features(self) -> Preset:
        """Returns the preset without the metrics that read node features."""
        reading = {
            *(name for name, definition in self.mmds.items() if uses_features(definition.descriptor)),
            *(name for name, definition in self.embeddings.items() if uses_features(definition.descriptor)),
        }
        return self.select(name for name in self.default if name not in reading)

    def select(self, names: Iterable[str]) -> Preset:
        """Returns the preset with these metrics only, in this order; variants too have to be named.

        Raises:
            InputError: A name is unknown.
        """
        chosen = tuple(dict.fromkeys(names))
        unknown = [name for name in chosen if name not in self.metrics]
        if unknown:
            raise InputError(
                f"expected metrics of the preset {self.name} among {', '.join(self.metrics)}, got {unknown[0]!r}"
            )
        mmds = {**self.mmds, **self.variants}
        return replace(
            self,
            mmds={name: mmds[name] for name in chosen if name in mmds},
            variants={},
            embeddings={name: self.embeddings[name] for name in chosen if name in self.embeddings},
            discrepancy="pgd" in chosen,
        )

    def with_defects(self, names: Iterable[str]) -> Preset:
        """Returns the preset as its source has it, with these errors.

        Raises:
            InputError: The source does not have such an error.
        """
        preset = self
        for name in names:
            if name not in self.defects:
                known = ", ".join(self.defects) or "none"
                raise InputError(f"expected defects of the preset {self.name} ({known}), got {name!r}")
            defect = DEFECTS[name]
            swap = defect.swaps_arguments
            preset = replace(
                preset,
                mmds={key: defect.change(value) for key, value in preset.mmds.items()},
                variants={key: defect.change(value) for key, value in preset.variants.items()},
                embeddings={
                    key: replace(value, swapped=value.swapped or swap) for key, value in preset.embeddings.items()
                },
            )
        return preset
