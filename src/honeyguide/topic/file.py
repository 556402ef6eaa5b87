"""Reads the user's files; every error includes a remedy."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from honeyguide.errors import InputError
from honeyguide.topic.source_location import Key, dotted, lines_of


@dataclass(frozen=True, slots=True)
class TomlDocument:
    """A TOML file: its values, and where each of them is."""

    path: Path
    text: str
    data: Mapping[str, object]

    def place(self, key: Key) -> str:
        """``graphs.toml:12`` for a key that is in the file, ``graphs.toml: seeds`` for one that is missing."""
        lines = lines_of(self.text)
        for length in range(len(key), 0, -1):
            if key[:length] in lines:
                return f"{self.path}:{lines[key[:length]]}"
        return f"{self.path}: {dotted(key)}"


def read_document(path: Path) -> TomlDocument:
    """The TOML file at this path."""
    text = read_text(path, str(path), _remedy_for_missing(path))
    try:
        return TomlDocument(path, text, tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(path, text, str(error)) from None
    except RecursionError:
        raise InputError(str(path), "lists are nested too deeply", "a topic file needs one level") from None
    except ValueError as error:  # an integer of thousands of digits
        raise InputError(str(path), f"not valid TOML: {error}", "write a smaller number") from None


def read_text(path: Path, place: str, remedy: str) -> str:
    """The text of a UTF-8 file, without a byte order mark.

    `place` is where the file was named; `remedy` is the remedy for a missing file.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(place, f"there is no file {path}", remedy) from None
    except IsADirectoryError:
        raise InputError(place, f"{path} is a folder", "name a file") from None
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(place, f"{path} cannot be read: {reason}", "name a file that you can read") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}:{line}", "not UTF-8 text", "save the file as UTF-8") from None


def _remedy_for_missing(path: Path) -> str:
    if path.suffix != ".toml":
        with_suffix = f"{path}.toml"
        if os.path.isfile(with_suffix):  # noqa: PTH113 (Path.is_file raises for a name that is too long)
            return f"did you mean {with_suffix}?"
    return f"`honeyguide init {path.stem}` writes a new topic file"


def _syntax_error(path: Path, text: str, message: str) -> InputError:
    """The error for a text that is not TOML. Before Python 3.14 the position is only in the message."""
    if re.search("overwrite|twice|duplicate", message, re.IGNORECASE):
        remedy = "set each name once, in one table"
    elif re.search(r"illegal character '\\n'|unterminated string|expected ['\"]", message, re.IGNORECASE):
        return _unclosed_string(path, text, message)
    else:
        remedy = 'put strings in quotes, lists in [ ]: keywords = ["vertex", "edge"]'
    found = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", message, re.DOTALL)
    if found:
        problem, line, column = found.groups()
        return InputError(f"{path}:{line}", f"not valid TOML at column {column}: {_lower(problem)}", remedy)
    problem = message.removesuffix(" (at end of document)")
    return InputError(f"{path}:{text.rstrip().count(chr(10)) + 1}", f"not valid TOML: {_lower(problem)}", remedy)


def _unclosed_string(path: Path, text: str, message: str) -> InputError:
    """The error for a string without its closing quote, at the line where it begins: that of the last quote."""
    found = re.search(r"at line (\d+)", message)
    line = int(found[1]) if found else text.count("\n", 0, text.rfind("'" if "'" in message else '"')) + 1
    remedy = "end it with the quote that it begins with"
    return InputError(f"{path}:{line}", "not valid TOML: a string is not closed", remedy)


def _lower(sentence: str) -> str:
    return " ".join((sentence[:1].lower() + sentence[1:]).split())
