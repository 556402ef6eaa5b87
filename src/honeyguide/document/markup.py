"""HTML from Python. Text is escaped unless it is marked as HTML: titles and texts come from untrusted pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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


def element(name: str, /, *children: str, **attributes: str | float) -> Html:
    """An element. Attribute names that are Python keywords end in ``_``; any other ``_`` becomes ``-``."""
    return Html(f"<{name}{_given(attributes)}>{html(*children)}</{name}>")


def void_element(name: str, /, **attributes: str | float) -> Html:
    """An element that has no content and no end, such as ``input``; attributes as in `element`."""
    return Html(f"<{name}{_given(attributes)}>")


def _given(attributes: Mapping[str, str | float]) -> str:
    return "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"' for key, value in attributes.items())
