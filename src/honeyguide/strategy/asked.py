"""A strategy as people write it: its name, and parameters where they are not the usual ones.

btw
page+btw(window=40, beta=0.5)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from honeyguide.errors import InputError

Value = float | int | str | bool

_ASKED = re.compile(r"\s*([^\s(),=]+)\s*(?:\((.*)\))?\s*", re.DOTALL)
_HOW = "write it as name(parameter=value, ...)"


@dataclass(frozen=True, slots=True)
class Asked:
    """A name, and what stands in its brackets."""

    name: str
    given: Mapping[str, str]

    @classmethod
    def parse(cls, text: str, place: str = "strategy.name") -> Asked:
        """From text. Raises `InputError` for what has no name or no proper brackets."""
        found = _ASKED.fullmatch(text)
        if not found:
            raise InputError(place, f"{text!r} names no strategy", _HOW)
        given: dict[str, str] = {}
        for part in (found[2] or "").split(","):
            if not part.strip():
                continue
            name, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals or not name or not value or name in given:
                raise InputError(place, f"{part.strip()!r} is no parameter of {found[1]}", _HOW)
            given[name] = value
        return cls(found[1], given)


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a parameter of a strategy means, and which values it takes."""

    default: Value
    help: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()

    def read(self, text: str, name: str, place: str) -> Value:
        """The value of a text. Raises `InputError` when it is none."""
        value = self._converted(text)
        if value is None:
            raise InputError(place, f"{name} is {text!r}", f"write {name} as {self.kind()}, as {name}={self.default}")
        if isinstance(value, str):
            if self.choices and value not in self.choices:
                raise InputError(place, f"{name} is {text!r}", f"use one of {', '.join(self.choices)}")
        elif (self.minimum is not None and value < self.minimum) or (self.maximum is not None and value > self.maximum):
            raise InputError(place, f"{name} is {text}", f"use {self.limits()}")
        return value

    def _converted(self, text: str) -> Value | None:
        try:
            match self.default:
                case bool():
                    return {"true": True, "false": False}.get(text.lower())
                case int():
                    return int(text)
                case float():
                    value = float(text)
                    return value if abs(value) < float("inf") else None
                case _:
                    return text
        except ValueError:
            return None

    def kind(self) -> str:
        """In words."""
        kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "a name"}
        return kinds[type(self.default)]

    def limits(self) -> str:
        """In words."""
        if self.minimum is not None and self.maximum is not None:
            return f"{self.minimum:g} to {self.maximum:g}"
        return f"at least {self.minimum:g}" if self.minimum is not None else f"at most {self.maximum:g}"


def read_values(asked: Asked, parameters: Mapping[str, Parameter], place: str = "strategy.name") -> dict[str, Value]:
    """The value of every parameter, given or usual. Raises `InputError` for a name that there is not."""
    for name in asked.given:
        if name not in parameters:
            known = ", ".join(f"{known}={one.default}" for known, one in parameters.items())
            remedy = f"it takes {known}" if known else "it takes none"
            raise InputError(place, f"{asked.name} has no parameter {name}", remedy)
    return {
        name: one.read(asked.given[name], name, place) if name in asked.given else one.default
        for name, one in parameters.items()
    }
