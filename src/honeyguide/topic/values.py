"""Checks values against the declarations made with `honeyguide.settings.setting`.

This module knows no particular setting: names, types, limits and choices all come from the dataclasses.
"""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from honeyguide.errors import InputError
from honeyguide.settings import Parameter, settings_of, show
from honeyguide.toml_text import toml
from honeyguide.topic.source_location import Key, SourceLocation, dotted


def plain(settings: Any) -> dict[str, Any]:
    """The fields of a dataclass by name; the values are neither copied nor converted."""
    return {field.name: getattr(settings, field.name) for field in dataclasses.fields(settings)}


def read_table(table: type, name: str, raw: object, place: SourceLocation) -> Any:
    """The settings of a table; missing ones have their defaults. Unknown names are left to `refuse_unknown`."""
    if isinstance(raw, table):
        raw = plain(raw)
    if not isinstance(raw, Mapping):
        raise InputError(
            place((name,)), f"{name} must be a table, not {show(raw)}", f"write [{name}] on a line of its own"
        )
    given = {
        part: _checked(part, declared, raw[part], (name, part), place)
        for part, declared in settings_of(table).items()
        if part in raw
    }
    return table(**given)


def refuse_unknown(
    raw: Mapping[str, object], table: str, known: Mapping[str, Iterable[str]], place: SourceLocation
) -> None:
    """Raise `InputError` for an unknown name. `known` has the names in every table; "" is the top of the file."""
    for name, value in raw.items():
        if name not in known[table]:
            key: Key = (table, name) if table else (name,)
            what = "table" if isinstance(value, Mapping) else "setting"
            raise InputError(place(key), f"unknown {what} {dotted(key)}", _right_name(name, table, known))


def check_text(value: object, what: str, key: Key, place: SourceLocation) -> str:
    """Return `value` if it is a string that can be written to a file, else raise `InputError`."""
    if not isinstance(value, str):
        raise InputError(place(key), f"{what} must be a string, not {show(value)}", "put it in quotes")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InputError(place(key), f"{what} is not valid Unicode text: {show(value)}", "write it as UTF-8") from None
    return value


def check_texts(values: Iterable[object], what: str, key: Key, place: SourceLocation) -> list[str]:
    """`check_text` for each of several values; the error gives the place of the one that is wrong."""
    return [check_text(value, what, (*key, index), place) for index, value in enumerate(values)]


def _checked(name: str, declared: Parameter, value: object, key: Key, place: SourceLocation) -> Any:
    converted = declared.convert(value)
    if converted is None:
        problem = f"{name} must be {declared.kind}, not {show(value)}"
        raise InputError(place(key), problem, f"write {name} = {_suggestion(declared, value)}")
    if isinstance(converted, tuple):
        for index, item in enumerate(check_texts(converted, name, key, place)):
            _check(name, declared, item, (*key, index), place)
        return converted
    if isinstance(converted, str):
        check_text(converted, name, key, place)
    _check(name, declared, value, key, place)  # not `converted`: messages quote a number as it was written
    return converted


def _check(name: str, declared: Parameter, value: Any, key: Key, place: SourceLocation) -> None:
    if wrong := declared.problem(name, value):
        raise InputError(place(key), *wrong)


def _suggestion(declared: Parameter, value: object) -> str:
    """The value that was probably meant, in the declared type; else the default or, if that is empty, the example."""
    default = declared.default
    if isinstance(default, tuple) and isinstance(value, str):
        return f"[{show(value)}]"
    if type(default) is int and isinstance(value, float) and value.is_integer():
        return toml(int(value))
    if not isinstance(default, bool | str | tuple) and isinstance(value, str):
        with contextlib.suppress(ValueError):
            return toml(type(default)(value))
    return toml(default) if default not in {"", ()} else example(declared)


def example(declared: Parameter) -> str:
    """The declared example as TOML, or the default if there is none."""
    if not declared.example:
        return toml(declared.default)
    return toml(declared.example) if isinstance(declared.default, str) else declared.example


def _right_name(name: str, table: str, known: Mapping[str, Iterable[str]]) -> str:
    """The remedy for a name that is unknown in this table."""
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
