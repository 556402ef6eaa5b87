"""HTML from Python. Text is escaped unless it is marked as HTML: titles and texts come from untrusted pages."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


class Html(str):
    """Text that already is markup. Create it with the functions here or from literals, never from text of a page."""

    __slots__ = ()


def html(*parts: str) -> Html:
    """The concatenated parts; every part that is not `Html` is escaped."""
    return Html("".join(part if isinstance(part, Html) else escape(part) for part in parts))


def lines(parts: Iterable[str]) -> Html:
    """The parts as in `html`, one per line."""
    return Html("\n".join(html(part) for part in parts))


def element(name: str, *children: str, **attributes: str | float) -> Html:
    """An element. Attribute names that are Python keywords end in ``_``; any other ``_`` becomes ``-``."""
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"' for key, value in attributes.items())
    return Html(f"<{name}{given}>{html(*children)}</{name}>")
