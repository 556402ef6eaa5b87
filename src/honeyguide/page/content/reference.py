"""Main content by trafilatura, as an alternative to ours, which takes a fifth of the time."""

from __future__ import annotations

from collections.abc import Callable

from honeyguide.errors import InputError

Extractor = Callable[[str, str, bool], str]
"""Takes a document, its URL, and whether Markdown is wanted; returns the main content, or ""."""


def trafilatura(place: str) -> Extractor:
    """The extractor of trafilatura, for text without comments.

    Args:
        place: Where it was asked for, for the error.

    Raises:
        InputError: The package is not installed.
    """
    try:
        from trafilatura import extract  # noqa: PLC0415
    except ImportError:
        raise InputError(place, "trafilatura is not installed", 'pip install "honeyguide[content]"') from None

    def extracted(html: str, url: str, markdown: bool) -> str:
        form = "markdown" if markdown else "txt"
        return extract(html, url=url, output_format=form, include_comments=False, include_links=markdown) or ""

    return extracted
