"""HTML from Python, escaped unless it says that it is HTML: titles and texts come from pages nobody vouches for."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


class Html(str):
    """Text that is markup already. Made by the functions here, or of literals; never of anything a page said."""

    __slots__ = ()


def html(*parts: str) -> Html:
    """The parts in a row; whatever is not `Html` is escaped."""
    return Html("".join(part if isinstance(part, Html) else escape(part) for part in parts))


def lines(parts: Iterable[str]) -> Html:
    """The same, a line each."""
    return Html("\n".join(html(part) for part in parts))


def element(name: str, *children: str, **attributes: str | float) -> Html:
    """An element. An attribute whose name is taken in Python ends in ``_``; a ``_`` inside stands for ``-``."""
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"' for key, value in attributes.items())
    return Html(f"<{name}{given}>{html(*children)}</{name}>")
