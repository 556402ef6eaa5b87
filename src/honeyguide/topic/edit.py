"""Changing lists in a topic file that people write by hand: nothing else in it changes, not even a space."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from honeyguide.errors import InputError
from honeyguide.toml_text import toml
from honeyguide.topic.file import Document
from honeyguide.topic.places import Key, Scanner


def with_lists(document: Document, table: str, lists: Mapping[str, Sequence[str]]) -> str:
    """The text of a file with some lists of a table replaced, or put in where they are not yet.

    All ways to write the table are understood: under its own header, dotted (``terms.genre = []``), inline (``terms =
    {}``), or not there. Raises `InputError` when a list that is to be replaced holds comments, which would be lost, and
    when the new text, read again, would not be what it should: then nothing can be done but by hand.
    """
    text = document.text
    wanted: dict[str, Any] = copy.deepcopy(dict(document.data))
    for name, items in lists.items():
        text = _with_list(text, table, name, items, document)
        wanted.setdefault(table, {})[name] = list(items)
        if not _says(text, wanted):
            problem = f"{name} cannot be written into this file without harm"
            raise InputError(document.place((table,)), problem, f"put it under a header [{table}] by hand")
    return text


def _says(text: str, wanted: Mapping[str, object]) -> bool:
    try:
        return tomllib.loads(text) == wanted
    except ValueError:
        return False


def _with_list(text: str, table: str, name: str, items: Sequence[str], document: Document) -> str:
    layout = _Layout(text)
    newline = "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n"
    key = (table, name)
    in_braces = layout.values.get((table,))
    if key in layout.values:
        start, end = layout.values[key]
        if layout.has_comments(start, end):
            problem = f"the list {name} has comments inside, which would be lost"
            raise InputError(document.place(key), problem, "move them above the list")
        return text[:start] + _list(items, "" if in_braces else newline) + text[end:]
    if in_braces:
        return _into_braces(text, in_braces, f"{name} = {_list(items, '')}")
    written = f"{name} = {_list(items, newline)}"
    default = _default_line(text, layout.ends.get((table,), len(text)), name)
    last = layout.last_of(table)
    if default is not None:
        return _below(text, default, written, newline)
    if last is not None:
        prefix = f"{table}." if layout.is_dotted(last) else ""
        return _below(text, layout.values[last][1], f"{prefix}{written}", newline)
    if (table,) in layout.ends:
        return _below(text, layout.ends[(table,)], written, newline)
    apart = newline if text else ""
    return _below(text, len(text), f"{apart}[{table}]{newline}{written}", newline)


class _Layout(Scanner):
    """Where keys end, where values stand and where comments begin, in a text that tomllib has accepted."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.values: dict[Key, tuple[int, int]] = {}
        """Where each value begins and ends."""
        self.ends: dict[Key, int] = {}
        """Where each key or header first ends."""
        self._tables: dict[Key, Key] = {}
        self._comments: list[int] = []
        self.document()

    def last_of(self, table: str) -> Key | None:
        """The last key of a table; None when it has none."""
        return next((key for key in reversed(self.values) if len(key) == 2 and key[0] == table), None)

    def is_dotted(self, key: Key) -> bool:
        """Whether a key names its table itself, instead of standing below a header."""
        return not self._tables[key]

    def has_comments(self, start: int, end: int) -> bool:
        """Whether a comment begins there."""
        return any(start <= comment < end for comment in self._comments)

    def _key(self, table: Key) -> Key:
        key = super()._key(table)
        self.ends.setdefault(key, self._at)
        self._tables.setdefault(key, table)
        return key

    def _value(self, key: Key) -> None:
        self._skip()
        start = self._at
        super()._value(key)
        self.values[key] = (start, self._at)

    def _skip(self) -> None:
        start = self._at
        super()._skip()
        comment = self._text.find("#", start, self._at)
        if comment >= 0:
            self._comments.append(comment)


def _list(items: Sequence[str], newline: str) -> str:
    """A list with an item a line, as people edit it; on one line where no new one may begin."""
    if not newline or not items:
        return toml(tuple(items))
    return newline.join(["[", *(f"    {toml(item)}," for item in items), "]"])


def _into_braces(text: str, place: tuple[int, int], pair: str) -> str:
    """Put a pair at the end of an inline table."""
    inside = text[place[0] + 1 : place[1] - 1]
    rest = inside.rstrip()
    join = ", " if rest else " "
    return f"{text[: place[0] + 1]}{rest}{join}{pair}{inside[len(rest) :] or ' '}{text[place[1] - 1 :]}"


def _below(text: str, position: int, written: str, newline: str) -> str:
    """Put lines below the line that a position is in."""
    end = _line_end(text, position)
    before = text[:end]
    if before and not before.endswith("\n"):
        before += newline
    return f"{before}{written}{newline}{text[end:]}"


def _default_line(text: str, header: int, name: str) -> int | None:
    """Below a header, the beginning of the line that `honeyguide init` wrote for a setting."""
    line = _line_end(text, header)
    while line < len(text):
        end = _line_end(text, line)
        written = text[line:end].strip()
        if written == f"#{name} = []":
            return line
        if written.startswith("["):  # another table
            break
        line = end
    return None


def _line_end(text: str, position: int) -> int:
    """Where the next line begins."""
    return text.find("\n", position) + 1 or len(text)
