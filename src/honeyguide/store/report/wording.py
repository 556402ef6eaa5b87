"""Wordings that all formats of a report share."""

from __future__ import annotations

from typing import Final

LONGEST_TITLE: Final = 200
"""Characters of a page's title that are shown."""


def depth_text(depth: int) -> str:
    """How far a page is from where the crawl began."""
    links = f"{depth} link{'s' if depth > 1 else ''}"
    return f"{links} from a starting page" if depth else "starting page"
