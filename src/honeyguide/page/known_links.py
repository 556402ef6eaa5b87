"""Resolved links, cached from one page of a directory to the next."""

from __future__ import annotations

import re
from typing import Final

_MANY: Final = 100_000
_LONG: Final = 200  # characters from which an href is not kept

_OF_DIRECTORY = re.compile(r"[A-Za-z0-9_./][^:]*+|https?://.*+", re.DOTALL).fullmatch
"""An href that has the same URL on all pages of a directory, unlike ``?a=1`` and ``http:?a=1``."""


class KnownLinks:
    """The URLs of hrefs on the pages of a directory, which have many links in common.

    Bounded: when there are too many, all are forgotten.
    """

    def __init__(self) -> None:
        self._known: dict[str, dict[str, str | None]] = {}
        self._size = 0

    def on(self, directory: str) -> dict[str, str | None]:
        """The known hrefs of a directory; to be modified only by `keep`."""
        known = self._known.get(directory)
        if known is None:
            known = {}
            if len(directory) <= _LONG:
                self._known[directory] = known
                self._grow()
        return known

    def keep(self, known: dict[str, str | None], href: str, url: str | None) -> None:
        """Store an href, unless it is long, or its URL depends on the page."""
        if len(href) <= _LONG and _OF_DIRECTORY(href):
            self._grow()
            known[href] = url

    def _grow(self) -> None:
        self._size += 1
        if self._size > _MANY:
            self._known.clear()
            self._size = 0
