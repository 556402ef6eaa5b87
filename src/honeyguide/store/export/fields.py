"""The fields of an exported page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from honeyguide.store.stored_page import StoredPage
from honeyguide.warc.write import warc_date

COLUMNS: Final[dict[str, Callable[[StoredPage], Any]]] = {
    "url": lambda page: page.url,
    "title": lambda page: page.title,
    "text": lambda page: page.text,
    "relevance": lambda page: page.relevance,
    "relevant": lambda page: page.relevant,
    "depth": lambda page: page.depth,
    "parent": lambda page: page.parent,
    "fetched": lambda page: warc_date(page.fetched),
    "status": lambda page: page.row.status,
    "hash": lambda page: page.digest,
    "warc_file": lambda page: page.warc_file,
    "warc_offset": lambda page: page.row.warc_offset,
    "language": lambda page: page.language,
    "content_type": lambda page: page.row.content_type,
    "duplicate_of": lambda page: page.duplicate_of,
    "author": lambda page: page.metadata.author,
    "date": lambda page: page.metadata.date,
    "description": lambda page: page.metadata.description,
    "canonical": lambda page: page.metadata.canonical,
    "licence": lambda page: page.metadata.licence,
    "page_count": lambda page: page.metadata.pages,
    "full_text": lambda page: page.full_text,
}

FIELDS = tuple(COLUMNS)
"""The fields of a page, in this order. `parent` is "" for a seed, `duplicate_of` is "" for a page that is new; what a
page does not state about itself is ""."""

USUAL_FIELDS = tuple(name for name in FIELDS if name != "full_text")
"""The fields that are written unless others are asked for: the full text contains the text."""

_STATED = frozenset(("author", "date", "description", "canonical", "licence", "page_count"))
QUICK_FIELDS = tuple(name for name in USUAL_FIELDS if name != "text" and name not in _STATED)
"""The usual fields for which no page is read from the archive."""
