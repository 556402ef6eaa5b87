"""Documents other than HTML: why one cannot be read, and the metadata of those that can."""

from __future__ import annotations

from typing import Final

from honeyguide.errors import HoneyguideError

PAGES: Final = "honeyguide:pages"
"""The name of the meta element with the number of pages of a document, in the HTML made from it."""


class UnreadableError(HoneyguideError):
    """A document cannot be read. The message is its type and the reason, in a few words."""
