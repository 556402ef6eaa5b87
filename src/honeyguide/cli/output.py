"""The output of commands. Much of it comes from pages and servers, and must not control the terminal."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TextIO

from honeyguide.settings import Parameter

# Control characters (but tab and newline), marks that change the direction of text, line separators, half characters.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    r"""A text in which characters that a terminal would obey are shown instead: an escape character as ``\u001b``."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def say(what: object = "", *, file: TextIO | None = None, flush: bool = False) -> None:
    """Print a text, like `print`, with everything in it visible. All commands print through this."""
    print(visible(str(what)), file=file, flush=flush)


def say_columns(rows: Iterable[Sequence[str]]) -> None:
    """Print rows of columns: the last one is wrapped at the width of the terminal, or at 80 where there is none."""
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*(row[:-1] for row in rows), strict=True)]
    for *cells, last in rows:
        begin = "".join(f"{cell:<{width}}  " for cell, width in zip(cells, widths, strict=True))
        room = max(shutil.get_terminal_size().columns - len(begin) - 1, 20)
        for number, line in enumerate(textwrap.wrap(last, room, break_long_words=False) or [""]):
            say(f"{' ' * len(begin) if number else begin}{line}")


def say_parameters(parameters: Mapping[str, Parameter]) -> None:
    """Print the parameters of a part: name and default, meaning, what is allowed."""
    say_columns(
        (f"  {name}={one.default}", "; ".join(filter(None, (one.help, _allowed(one), one.limits))))
        for name, one in parameters.items()
    )


def _allowed(parameter: Parameter) -> str:
    return f"one of {', '.join(parameter.choices)}" if parameter.choices else ""
