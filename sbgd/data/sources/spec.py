"""How a data set is asked for: `NAME`, `NAME:PART`, `NAME:PART@RECIPE`, `NAME?KEY=VALUE&KEY=VALUE:PART`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sbgd.errors import InputError

_SPEC = re.compile(r"(?P<name>[^?:@]+)(\?(?P<parameters>[^:@]*))?(:(?P<part>[^:@]+)(@(?P<recipe>[^:@]+))?)?")


@dataclass(frozen=True)
class DatasetSpec:
    """A data set by name.

    Attributes:
        name: Name of the data set.
        part: `train`, `val`, `test` or `all`.
        recipe: Name of the stored split, the first one if none.
        parameters: Parameters of a generator, as text.
    """

    name: str
    part: str = "all"
    recipe: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> DatasetSpec:
        """Reads a spec.

        Raises:
            InputError: The text has another form.
        """
        match = _SPEC.fullmatch(text)
        if match is None:
            raise InputError(f"expected NAME, NAME:PART or NAME:PART@RECIPE, got {text!r}")
        pairs = [pair.partition("=") for pair in (match["parameters"] or "").split("&") if pair]
        bad = next((key for key, sign, value in pairs if not (key and sign and value)), None)
        if bad is not None:
            raise InputError(f"expected parameters as KEY=VALUE, got {bad!r} in {text!r}")
        parameters = {key: value for key, _, value in pairs}
        return cls(match["name"], match["part"] or "all", match["recipe"], parameters)
