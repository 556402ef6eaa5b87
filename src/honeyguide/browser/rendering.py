"""The result of rendering a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from honeyguide.fetch.base import Response

PageFetch = Callable[[str, str], Awaitable[Response | str]]
"""Fetches a URL for a page; the second argument is the kind of request, such as "script".

Returns the answer, which is never a redirect, or the reason why there is none.
"""

MARK = b"\xef\xbb\xbf"
"""Prefix of a rendered document, which is in UTF-8 whatever its server declares."""


@dataclass(slots=True)
class Rendering:
    """A page as rendered by the browser. Without `html`, `problem` is the reason."""

    html: bytes = b""
    """The document, in UTF-8 with a byte order mark."""
    boxes: bytes = b""
    """The boxes of its elements, as JSON (`honeyguide.page.blocks.browser`), if they were asked for."""
    problem: str = ""
    """The problem in words: why there is no `html`, or why it may be incomplete."""
    seconds: float = 0.0
    requests: Counter[str] = field(default_factory=Counter)
    """Requests that were sent, by host."""
    size: int = 0
    """Bytes received."""
    blocked: Counter[str] = field(default_factory=Counter)
    """Requests that were not sent, by reason."""
