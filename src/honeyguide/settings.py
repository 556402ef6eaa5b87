"""Declaration of settings: the default, meaning and limits of each in one place.

Every package declares its settings as a frozen dataclass whose fields are made with `setting`, and strategies and
models declare theirs as `Parameter`s by name. The reader of topic files checks values against these declarations and
`honeyguide init` prints them, so a setting is never described twice.

A strategy or a model is written as its name, with the parameters that differ from their defaults in parentheses:

    btw
    page+btw(window=40, beta=0.5)
"""

from __future__ import annotations

import dataclasses
import difflib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from honeyguide.errors import InputError
from honeyguide.toml_text import toml

AUTO, ALWAYS, NEVER = "auto", "always", "never"
"""The choices of a setting that is automatic by default."""

Value = float | int | str | bool
"""Of a parameter in parentheses."""

_KINDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a string",
    tuple: "a list of strings",
}
_LARGEST = 2**63 - 1  # the integers that TOML and SQLite guarantee to support
_SHOWN = 60
_SPEC = re.compile(r"\s*([^\s(),=]+)\s*(?:\((.*)\))?\s*", re.DOTALL)
_HOW = "write it as name(parameter=value, ...)"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A setting: its default, which also determines the type of its values, its meaning, and the values it allows."""

    default: Any
    """A boolean, an integer, a float, a string or a tuple of strings."""
    help: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    """The strings that are allowed, as the value or as items of the list; empty if any string is."""
    example: str = ""
    """An example value, for settings whose default explains little."""

    @property
    def kind(self) -> str:
        """The type of its values, in words."""
        return _KINDS[type(self.default)]

    @property
    def limits(self) -> str:
        """The minimum and maximum, in words; "" if there are none."""
        if self.minimum is not None and self.maximum is not None:
            return f"{self.minimum} to {self.maximum}"
        if self.minimum is not None:
            return f"at least {self.minimum}"
        return f"at most {self.maximum}" if self.maximum is not None else ""

    def convert(self, value: object) -> Any:
        """Convert a value from TOML or Python to the type of the default; None if that is impossible.

        An integer is accepted as a float; a boolean is not accepted as a number.
        """
        match self.default:
            case tuple():
                if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
                    return tuple(value)
                return None
            case bool():
                return value if isinstance(value, bool) else None
            case float() if isinstance(value, int) and not isinstance(value, bool):
                return float(value) if abs(value) <= _LARGEST else None
            case default:
                return value if isinstance(value, type(default)) and not isinstance(value, bool) else None

    def parse(self, text: str) -> Any:
        """The value that a text represents, as on a command line; None if it is not valid."""
        try:
            match self.default:
                case bool():
                    return {"true": True, "false": False}.get(text.lower())
                case int() | float():
                    return type(self.default)(text)
                case _:
                    return text
        except ValueError:
            return None

    def problem(self, name: str, value: Any) -> tuple[str, str] | None:
        """Problem and remedy for a value of the right type that is not allowed; None if it is. Check lists by item."""
        if isinstance(value, str):
            if not self.choices or value in self.choices:
                return None
            close = difflib.get_close_matches(value, self.choices, n=1)
            remedy = f"did you mean {toml(close[0])}?" if close else f"choose {' or '.join(map(toml, self.choices))}"
            return f"{name} cannot be {show(value)}", remedy
        if isinstance(value, bool | tuple):
            return None
        if not math.isfinite(value):
            problem = f"{name} must be a finite number, not {show(value)}"
        elif isinstance(value, int) and abs(value) > _LARGEST:
            problem = f"{name} is {show(value)}"
        elif self.minimum is not None and value < self.minimum:
            problem = f"{name} must be at least {self.minimum}, not {show(value)}"
        elif self.maximum is not None and value > self.maximum:
            problem = f"{name} must be at most {self.maximum}, not {show(value)}"
        else:
            return None
        return problem, f"the default is {toml(self.default)}"


def setting(
    default: Any,
    help: str,  # noqa: A002 (the word argparse, typer and rich use for it)
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str, ...] = (),
    example: str = "",
) -> Any:
    """A dataclass field with a description. `honeyguide init` shows `example` instead of the default."""
    parameter = Parameter(default, help, minimum, maximum, choices, example)
    return field(default=default, metadata={"parameter": parameter})


def settings_of(table: type) -> dict[str, Parameter]:
    """The settings that a dataclass declares, by name, in the order of their declaration."""
    return {field.name: field.metadata["parameter"] for field in dataclasses.fields(table)}


def show(value: object) -> str:
    """A value as quoted in messages: on one line, shortened if it is long."""
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, int) and abs(value) > _LARGEST:
        return "a number beyond 64 bits"
    text = toml(value) if isinstance(value, bool | int | float | str) else " ".join(str(value).split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


@dataclass(frozen=True, slots=True)
class PartSpec:
    """A name, and the parameters in its parentheses."""

    name: str
    given: Mapping[str, str]

    @classmethod
    def parse(cls, text: str, kind: str, place: str) -> PartSpec:
        """Parse what users write; `kind` and `place` are for messages.

        Raises:
            InputError: The name is missing, or the parentheses are malformed.
        """
        found = _SPEC.fullmatch(text)
        if not found:
            raise InputError(place, f"{text!r} is not the name of a {kind}", _HOW)
        given: dict[str, str] = {}
        for part in (found[2] or "").split(","):
            if not part.strip():
                continue
            name, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals or not name or not value or name in given:
                raise InputError(place, f"{part.strip()!r} is not a parameter of {found[1]}", _HOW)
            given[name] = value
        return cls(found[1], given)


def read_values(spec: PartSpec, parameters: Mapping[str, Parameter], place: str) -> dict[str, Value]:
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


def part_name(text: str) -> str:
    """The text before the parentheses, whether or not it is a valid name."""
    return text.partition("(")[0].strip()


def split_at_colons(text: str) -> list[str]:
    """The parts of a text between its colons; one in parentheses does not count."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == ":" and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts
