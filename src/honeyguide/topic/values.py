"""Checks values against the declarations made with `honeyguide.settings.setting`.

Nothing here knows a single setting: names, types, limits and choices all come from the dataclasses.
"""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

from honeyguide.errors import InputError
from honeyguide.settings import Meaning, meaning
from honeyguide.topic.places import Key, Place, dotted
from honeyguide.topic.write import toml

STRINGS = tuple[str, ...]
_KINDS: dict[object, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a string",
    STRINGS: "a list of strings",
}
_LARGEST = 2**63 - 1  # what TOML promises to carry and SQLite to keep
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Declared:
    """One setting as its dataclass declares it."""

    name: str
    kind: Any
    default: object
    meaning: Meaning


def settings_of(table: type) -> tuple[Declared, ...]:
    """The settings of a table, in the order of their declaration."""
    hints = get_type_hints(table)
    return tuple(
        Declared(field.name, hints[field.name], field.default, meaning(field)) for field in dataclasses.fields(table)
    )


def plain(settings: Any) -> dict[str, Any]:
    """The fields of a dataclass by name, not copied and not looked into."""
    return {field.name: getattr(settings, field.name) for field in dataclasses.fields(settings)}


def read_table(table: type, name: str, raw: object, place: Place) -> Any:
    """The settings of a table; what is not given keeps its default. See `refuse_unknown` for names."""
    if isinstance(raw, table):
        raw = plain(raw)
    if not isinstance(raw, Mapping):
        raise InputError(
            place((name,)), f"{name} must be a table, not {show(raw)}", f"write [{name}] on a line of its own"
        )
    given = {
        declared.name: _checked(declared, raw[declared.name], (name, declared.name), place)
        for declared in settings_of(table)
        if declared.name in raw
    }
    return table(**given)


def refuse_unknown(raw: Mapping[str, object], table: str, known: Mapping[str, Iterable[str]], place: Place) -> None:
    """Refuse names that nobody reads. `known` has the names of every table; "" is the top of the file."""
    for name, value in raw.items():
        if name not in known[table]:
            key: Key = (table, name) if table else (name,)
            what = "table" if isinstance(value, Mapping) else "setting"
            raise InputError(place(key), f"unknown {what} {dotted(key)}", _right_name(name, table, known))


def check_text(value: object, what: str, key: Key, place: Place) -> str:
    """A string that can be written into a file."""
    if not isinstance(value, str):
        raise InputError(place(key), f"{what} must be a string, not {show(value)}", "put it in quotes")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InputError(place(key), f"{what} is not valid Unicode text: {show(value)}", "write it as UTF-8") from None
    return value


def check_texts(values: Iterable[object], what: str, key: Key, place: Place) -> list[str]:
    """The same for each of several, with the place of the one that is wrong."""
    return [check_text(value, what, (*key, index), place) for index, value in enumerate(values)]


def show(value: object) -> str:
    """A value as a message quotes it: one line, not long."""
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, int) and abs(value) > _LARGEST:
        return "a number beyond 64 bits"
    text = toml(value) if isinstance(value, bool | int | float | str) else " ".join(str(value).split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _checked(declared: Declared, value: object, key: Key, place: Place) -> object:
    converted = _converted(declared.kind, value)
    if converted is None:
        problem = f"{declared.name} must be {_KINDS[declared.kind]}, not {show(value)}"
        raise InputError(place(key), problem, f"write {declared.name} = {_suggestion(declared, value)}")
    if isinstance(converted, str):
        check_text(converted, declared.name, key, place)
        _check_choice(declared, converted, key, place)
    elif isinstance(converted, tuple):
        for index, item in enumerate(check_texts(converted, declared.name, key, place)):
            _check_choice(declared, item, (*key, index), place)
    elif isinstance(value, int | float):
        _check_range(declared, value, key, place)
    return converted


def _converted(kind: Any, value: object) -> object | None:
    """The value as the declared type, or None. Booleans are no numbers; whole numbers are."""
    if kind == STRINGS:
        fits = isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
        return tuple(value) if fits else None  # type: ignore[arg-type]  # fits says so
    if isinstance(value, bool) != (kind is bool):
        return None
    if kind is float and isinstance(value, int):
        return float(value) if abs(value) <= _LARGEST else None
    return value if isinstance(value, kind) else None


def _suggestion(declared: Declared, value: object) -> str:
    """What was probably meant, in the declared type; else the default or, if that is empty, the example."""
    if declared.kind == STRINGS and isinstance(value, str):
        return f"[{show(value)}]"
    if declared.kind is int and isinstance(value, float) and value.is_integer():
        return toml(int(value))
    if declared.kind in {int, float} and isinstance(value, str):
        with contextlib.suppress(ValueError):
            return toml(declared.kind(value))
    return toml(declared.default) if declared.default not in {"", ()} else example(declared)


def example(declared: Declared) -> str:
    """The declared example as TOML, the default where there is none."""
    text = declared.meaning.example
    if not text:
        return toml(declared.default)
    return toml(text) if declared.kind is str else text


def _check_choice(declared: Declared, text: str, key: Key, place: Place) -> None:
    choices = declared.meaning.choices
    if choices and text not in choices:
        close = difflib.get_close_matches(text, choices, n=1)
        remedy = f"did you mean {toml(close[0])}?" if close else f"choose {' or '.join(map(toml, choices))}"
        raise InputError(place(key), f"{declared.name} cannot be {show(text)}", remedy)


def _check_range(declared: Declared, number: float, key: Key, place: Place) -> None:
    low, high = declared.meaning.minimum, declared.meaning.maximum
    if not math.isfinite(number):
        problem = f"{declared.name} must be a finite number, not {show(number)}"
    elif isinstance(number, int) and abs(number) > _LARGEST:
        problem = f"{declared.name} is {show(number)}"
    elif low is not None and number < low:
        problem = f"{declared.name} must be at least {low}, not {show(number)}"
    elif high is not None and number > high:
        problem = f"{declared.name} must be at most {high}, not {show(number)}"
    else:
        return
    raise InputError(place(key), problem, f"the default is {toml(declared.default)}")


def _right_name(name: str, table: str, known: Mapping[str, Iterable[str]]) -> str:
    """The remedy for a name that is not known in this table."""
    for other, names in known.items():
        if name in names:
            return f"it belongs under [{other}]" if other else f"put {name} above the first [table]"
    close = difflib.get_close_matches(name, known[table], n=1)
    if close:
        return f"did you mean {close[0]}?"
    for other, names in known.items():
        close = difflib.get_close_matches(name, names, n=1, cutoff=0.75)
        if close:
            return f"did you mean {f'{other}.{close[0]}' if other else close[0]}?"
    return "`honeyguide init` writes a file with every setting"
