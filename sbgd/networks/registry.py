"""Names of networks, so that a model file can say what it holds without pickles or import paths.

A registered class remembers the primitive arguments it was built with; `describe` writes them, `build` reads them.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from torch import nn

from sbgd.errors import InputError

_CLASSES: dict[str, type[nn.Module]] = {}
_ARGUMENTS = "registered_arguments"
Module = TypeVar("Module", bound=nn.Module)


def register(name: str) -> Callable[[type[Module]], type[Module]]:
    """Registers a network class whose constructor takes only primitive values."""

    def decorate(cls: type[Module]) -> type[Module]:
        original = cls.__init__
        signature = inspect.signature(original)

        @functools.wraps(original)
        def recording(self: nn.Module, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            bound = signature.bind(self, *args, **kwargs)
            bound.apply_defaults()
            self.__dict__[_ARGUMENTS] = {key: value for key, value in bound.arguments.items() if key != "self"}

        cls.__init__ = recording  # type: ignore[method-assign]
        _CLASSES[name] = cls
        return cls

    return decorate


def describe(network: nn.Module) -> dict[str, Any]:
    """Returns the name and the constructor arguments of a registered network."""
    name = next((name for name, cls in _CLASSES.items() if type(network) is cls), None)
    if name is None:
        raise InputError(
            f"expected a network out of {sorted(_CLASSES)}, got {type(network).__name__}; decorate it with register"
        )
    return {"name": name, "arguments": dict(network.__dict__[_ARGUMENTS])}


def build(description: dict[str, Any]) -> nn.Module:
    """Builds a network from what `describe` returned.

    Raises:
        InputError: The name is not registered or the arguments do not fit its constructor.
    """
    name = description.get("name")
    if not isinstance(name, str) or name not in _CLASSES:
        raise InputError(
            f"expected a network out of {sorted(_CLASSES)}, got {name!r}; is the model from a newer version?"
        )
    try:
        return _CLASSES[name](**description["arguments"])
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise InputError(
            f"expected arguments that fit network {name!r}, got {error}; the model file is damaged"
        ) from error
