"""Locations of values, for error messages.

tomllib returns the values of a file but not their lines, so `lines_of` scans the text a second time when there is an
error to report.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Callable

from honeyguide.toml_text import toml

Key = tuple[str | int, ...]
"""The path to a value: ``("budget", "pages")``, ``("seeds", 1)``."""

SourceLocation = Callable[[Key], str]
"""Returns the location of a value in terms that its author knows: a line of a file, an option, an argument."""

_SKIP = re.compile(r"(?:\s|#[^\n]*)*")
_PART = re.compile(r"""[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'""")
_KEY = re.compile(rf"(?:{_PART.pattern})(?:[ \t]*\.[ \t]*(?:{_PART.pattern}))*")
_SCALAR = re.compile(
    r'''
    """(?:[^\\]|\\.)*?"{3,5} | "(?:[^"\\\n]|\\.)*"     # a string may end with two quotes of its own
    | \'\'\'.*?'{3,5} | '[^'\n]*'
    | [^,\]}\n\#]+                                     # numbers, booleans, dates
    ''',
    re.VERBOSE | re.DOTALL,
)


def dotted(key: Key) -> str:
    """``budget.pages``, ``seeds[1]``: the location of a value that comes from Python."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{_spelled(part)}" for part in key).removeprefix(".")


def _spelled(part: str) -> str:
    return part if _PART.fullmatch(part) else toml(part)


def lines_of(text: str) -> dict[Key, int]:
    """The line number, from 1, of every table, key and list item of a text that tomllib has accepted.

    Dotted keys and inline tables are included. For a key that appears several times (a table and its parts), it is the
    first line.
    """
    return _Scanner(text).document()


class _Scanner:
    """Scans TOML without checking it: the text is known to be valid, so every step finds what it expects."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._breaks = [match.start() for match in re.finditer("\n", text)]
        self._lines: dict[Key, int] = {}

    def document(self) -> dict[Key, int]:
        """The line of every key, in the order of the text."""
        table: Key = ()
        while not self._ended():
            if self._take("["):
                self._take("[")
                table = self._key(())
                self._take("]")
                self._take("]")
            else:
                self._pair(table)
        return self._lines

    def _pair(self, table: Key) -> None:
        key = self._key(table)
        self._take("=")
        self._value(key)

    def _key(self, table: Key) -> Key:
        self._skip()
        key = table
        for part in _PART.findall(self._match(_KEY)):
            # A quoted part may contain escapes: tomllib decodes them all.
            key = (*key, tomllib.loads(f"part = {part}")["part"] if part[0] in "\"'" else part)
            self._note(key)
        return key

    def _value(self, key: Key) -> None:
        if self._take("["):
            index = 0
            while not self._take("]"):
                self._note((*key, index))
                self._value((*key, index))
                self._take(",")
                index += 1
        elif self._take("{"):
            while not self._take("}"):
                self._pair(key)
                self._take(",")
        else:
            self._match(_SCALAR)

    def _note(self, key: Key) -> None:
        self._lines.setdefault(key, bisect_right(self._breaks, self._at) + 1)

    def _skip(self) -> None:
        self._match(_SKIP)

    def _ended(self) -> bool:
        self._skip()
        return self._at == len(self._text)

    def _take(self, mark: str) -> bool:
        """Consume the next mark and return True if it is this one."""
        self._skip()
        if not self._text.startswith(mark, self._at):
            return False
        self._at += len(mark)
        return True

    def _match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        assert found, f"not TOML at character {self._at}"
        self._at = found.end()
        return found.group()
