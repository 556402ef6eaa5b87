"""What documents are that are not HTML: why one cannot be read, and what is kept of those that can."""

from __future__ import annotations

from typing import Final

from honeyguide.errors import HoneyguideError

PAGES: Final = "honeyguide:pages"
"""The name of the meta element that says how many pages a document has, in the HTML that is made of it."""


class UnreadableError(HoneyguideError):
    """A document cannot be read: what it is, and why, in a few words."""
