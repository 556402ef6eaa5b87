"""Edits lists in a handwritten topic file without changing anything else in it, not even a space."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Array, InlineTable

from honeyguide.errors import InputError
from honeyguide.toml_text import toml
from honeyguide.topic.file import TomlDocument
from honeyguide.topic.source_location import lines_of


def with_lists(document: TomlDocument, table: str, lists: Mapping[str, Sequence[str]]) -> str:
    """The text of a file with some lists of a table replaced, or added if they are missing.

    The table may be written under its own header, dotted (``terms.genre = []``), inline (``terms = {}``), or be
    missing. Raises `InputError` if a list to be replaced contains comments, which would be lost, and if the new text
    would not parse to the intended values: then the user has to edit the file by hand.
    """
    wanted: dict[str, Any] = {**document.data}
    wanted[table] = {**wanted.get(table, {}), **{name: list(items) for name, items in lists.items()}}
    text = document.text
    for name in lists:
        text = _below_default(text, table, name)
    try:
        text = _edited(text, table, lists, document)
    except TOMLKitError:
        text = ""
    if not _parses_to(text, wanted):
        problem = f"{' and '.join(lists)} cannot be written into this file without damaging it"
        raise InputError(document.place((table,)), problem, f"add it under a header [{table}] by hand")
    return text


def _edited(text: str, table: str, lists: Mapping[str, Sequence[str]], document: TomlDocument) -> str:
    newline = "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n"
    if text and not text.endswith("\n"):
        text += newline
    if table not in document.data:
        text += f"{newline if text else ''}[{table}]{newline}"
    edited = tomlkit.parse(text)
    terms: Any = edited[table]
    for name, items in lists.items():
        if _has_comments(terms.get(name)):
            problem = f"the list {name} has comments inside, which would be lost"
            raise InputError(document.place((table, name)), problem, "move them above the list")
        if isinstance(terms, InlineTable):
            add = terms.append if name not in terms else terms.__setitem__
            add(name, _list(items, ""))
        else:
            terms[name] = _list(items, newline)
    return edited.as_string()


def _has_comments(value: object) -> bool:
    # tomlkit has no public method for this.
    return isinstance(value, Array) and any(part.comment is not None for part in value._value)  # noqa: SLF001


def _list(items: Sequence[str], newline: str) -> Any:
    """A list with one item per line, convenient to edit; on one line where TOML allows no line break (no `newline`)."""
    text = toml(tuple(items))
    if newline and items:
        text = newline.join(["[", *(f"    {toml(item)}," for item in items), "]"])
    made = tomlkit.value(text)
    made.trivia.trail = newline
    return made


def _below_default(text: str, table: str, name: str) -> str:
    """The text with an empty list added below the commented-out default that `honeyguide init` wrote in the table."""
    known = lines_of(text)
    lines = text.split("\n")
    header = known.get((table,), 0)
    if (table, name) in known or not header or not lines[header - 1].lstrip().startswith("["):
        return text
    data: dict[str, Any] = tomllib.loads(text)
    wanted = {**data, table: {**data[table], name: []}}
    for number, line in enumerate(lines[header:], start=header):
        if line.strip() == f"#{name} = []":
            added = f"{name} = []" + "\r" * line.endswith("\r")
            below = "\n".join([*lines[: number + 1], added, *lines[number + 1 :]])
            if _parses_to(below, wanted):  # else the line is inside a string or a list, or in another table
                return below
    return text


def _parses_to(text: str, wanted: Mapping[str, object]) -> bool:
    try:
        return tomllib.loads(text) == wanted
    except ValueError:
        return False
