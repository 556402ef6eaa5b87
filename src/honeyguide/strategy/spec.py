"""A strategy as users write it: its name, and parameters that differ from their defaults.

btw
page+btw(window=40, beta=0.5)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from honeyguide.errors import InputError
from honeyguide.settings import Parameter, show
from honeyguide.toml_text import toml

Value = float | int | str | bool

_SPEC = re.compile(r"\s*([^\s(),=]+)\s*(?:\((.*)\))?\s*", re.DOTALL)
_HOW = "write it as name(parameter=value, ...)"


@dataclass(frozen=True, slots=True)
class StrategySpec:
    """A name, and the parameters in its parentheses."""

    name: str
    given: Mapping[str, str]

    @classmethod
    def parse(cls, text: str, place: str = "strategy.name") -> StrategySpec:
        """Parse a specification. Raises `InputError` if the name is missing or the parentheses are malformed."""
        found = _SPEC.fullmatch(text)
        if not found:
            raise InputError(place, f"{text!r} is not the name of a strategy", _HOW)
        given: dict[str, str] = {}
        for part in (found[2] or "").split(","):
            if not part.strip():
                continue
            name, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals or not name or not value or name in given:
                raise InputError(place, f"{part.strip()!r} is not a parameter of {found[1]}", _HOW)
            given[name] = value
        return cls(found[1], given)


def read_values(
    spec: StrategySpec, parameters: Mapping[str, Parameter], place: str = "strategy.name"
) -> dict[str, Value]:
    """The value of every parameter, as given or by default. Raises `InputError` for an unknown parameter."""
    for name in spec.given:
        if name not in parameters:
            known = ", ".join(f"{known}={one.default}" for known, one in parameters.items())
            remedy = f"it takes {known}" if known else "it takes none"
            raise InputError(place, f"{spec.name} has no parameter {name}", remedy)
    return {
        name: _value(name, one, spec.given[name], place) if name in spec.given else one.default
        for name, one in parameters.items()
    }


def _value(name: str, parameter: Parameter, text: str, place: str) -> Value:
    value: Value | None = parameter.parse(text)
    if value is None:
        problem = f"{name} must be {parameter.kind}, not {show(text)}"
        raise InputError(place, problem, f"write {name}={toml(parameter.default)}")
    if wrong := parameter.problem(name, value):
        raise InputError(place, *wrong)
    return value
