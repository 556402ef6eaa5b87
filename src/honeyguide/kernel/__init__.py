"""Compiled twins of the functions that take most of the time of a crawl.

Each function is defined in Python, in its own module, and decorated with `twin`; the compiled one, with the same name
in a module of this package, gives the same result. If the package was installed without a C compiler, or if the
variable HONEYGUIDE_KERNEL is "off", only the Python versions are used, which are slower.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any, Final, TypeVar

SWITCH: Final = "HONEYGUIDE_KERNEL"

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Twins:
    """A function and its compiled twin."""

    plain: Callable[..., Any]
    compiled: Callable[..., Any] | None
    """None if it was not compiled."""


TWINS: Final[dict[str, Twins]] = {}
"""All functions with twins, by module and name, as far as their modules have been imported. For tests."""


def compiled(module: str) -> ModuleType | None:
    """A compiled module of this package; None if there is none, or it is switched off."""
    if os.environ.get(SWITCH) == "off" or sys.byteorder != "little":
        return None
    try:
        return import_module(f"{__name__}.{module}")
    except ModuleNotFoundError:
        return None


def is_compiled() -> bool:
    """Whether the compiled functions are used."""
    return compiled("words") is not None


def twin(module: str) -> Callable[[Function], Function]:
    """A decorator that replaces a function by its compiled twin in a module of this package, if there is one."""

    def decorate(plain: Function) -> Function:
        found = compiled(module)
        name = plain.__name__.lstrip("_")
        other: Function | None = getattr(found, name) if found else None
        TWINS[f"{module}.{name}"] = Twins(plain, other)
        return other or plain

    return decorate
