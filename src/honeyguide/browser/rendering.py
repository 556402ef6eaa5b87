"""What came of rendering a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from honeyguide.fetch.base import Response

Ask = Callable[[str, str], Awaitable[Response | str]]
"""Fetches a URL for a page; the second argument is the kind of request, such as "script".

Returns the answer, which is never a redirect, or the reason why there is none.
"""

MARK = b"\xef\xbb\xbf"
"""At the beginning of a rendered document: it is in UTF-8, whatever its server says."""


@dataclass(slots=True)
class Rendering:
    """A page as the browser has made it. Without `html`, `problem` says why it could not."""

    html: bytes = b""
    """The document, in UTF-8 with a byte order mark."""
    boxes: bytes = b""
    """The boxes of its elements, as JSON (`honeyguide.page.blocks.browser`), if they were asked for."""
    problem: str = ""
    """What went wrong, in words: without `html` why there is none, else why it may be incomplete."""
    seconds: float = 0.0
    requests: Counter[str] = field(default_factory=Counter)
    """Requests that were sent, by host."""
    size: int = 0
    """Bytes that they brought."""
    blocked: Counter[str] = field(default_factory=Counter)
    """Requests that were not sent, by reason."""
