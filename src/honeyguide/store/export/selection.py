"""Which pages of a crawl are exported, and which fields of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from honeyguide.errors import InputError
from honeyguide.page.content.reference import Extractor, trafilatura
from honeyguide.store.crawl import Crawl, StoredPage, chosen
from honeyguide.warc.write import warc_date

Progress = Callable[[int, int], None]
"""Called repeatedly with the amount done and the total: in pages, or in bytes when whole files are copied."""

TEXTS = ("plain", "markdown", "full")
"""What the field `text` can be: the main content as plain text or as Markdown, or all visible text."""
EXTRACTORS = ("honeyguide", "trafilatura")
"""Who finds the main content. The second needs the extra honeyguide[content]."""

_COLUMNS: dict[str, Callable[[StoredPage], Any]] = {
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

FIELDS = tuple(_COLUMNS)
"""The fields of a page, in this order. `parent` is "" for a seed, `duplicate_of` is "" for a page that is new; what a
page does not state about itself is ""."""

USUAL_FIELDS = tuple(name for name in FIELDS if name != "full_text")
"""The fields that are written unless others are asked for: the full text contains the text."""

_STATED = frozenset(("author", "date", "description", "canonical", "licence", "page_count"))
QUICK_FIELDS = tuple(name for name in USUAL_FIELDS if name != "text" and name not in _STATED)
"""The usual fields for which no page is read from the archive."""


def known_fields(names: Sequence[str], place: str = "fields") -> tuple[str, ...]:
    """Check the names of fields.

    Args:
        names: The names, in the order in which they are to be written.
        place: Where they were given, for the error.

    Returns:
        The names.

    Raises:
        InputError: There is no such field, or none is given, or one is given twice.
    """
    for number, name in enumerate(names):
        if name not in _COLUMNS:
            raise InputError(place, f"there is no field {name!r}", f"use some of {', '.join(FIELDS)}")
        if name in names[:number]:
            raise InputError(place, f"{name} is given twice", "give each field once")
    if not names:
        raise InputError(place, "no field is given", f"use some of {', '.join(FIELDS)}")
    return tuple(names)


def known_extractor(name: str, place: str = "content") -> Extractor | None:
    """Look up who finds the main content.

    Args:
        name: One of `EXTRACTORS`.
        place: Where it was given, for the error.

    Returns:
        The extractor; None for honeyguide itself.

    Raises:
        InputError: There is none of that name, or it is not installed.
    """
    return trafilatura(place) if known_choice(name, EXTRACTORS, place) != EXTRACTORS[0] else None


def known_choice(name: str, choices: Sequence[str], place: str) -> str:
    """Check that a name is one of several.

    Args:
        name: The name.
        choices: What it may be.
        place: Where it was given, for the error.

    Returns:
        The name.

    Raises:
        InputError: It is none of them.
    """
    if name not in choices:
        raise InputError(place, f"there is no {name!r}", f"use {' or '.join(choices)}")
    return name


@dataclass(frozen=True, slots=True)
class ExportSelection:
    """The pages that an export format writes."""

    crawl: Crawl
    relevant_only: bool = True
    duplicates: bool = False
    """Whether relevant pages that duplicate an earlier one are exported too."""
    progress: Progress = lambda _done, _total: None
    fields: tuple[str, ...] = USUAL_FIELDS
    """Which fields `records` has, in this order. With `QUICK_FIELDS`, no page is read from the archive."""
    text: str = "plain"
    """What the field `text` is: one of `TEXTS`."""
    extractor: Extractor | None = None
    """Finds the main content instead of honeyguide."""
    bom: bool = False
    """Whether a text file begins with a byte order mark, without which Excel does not read it as UTF-8."""

    @property
    def condition(self) -> str:
        """The selection as an SQL condition on `pages`."""
        return chosen(self.relevant_only, self.duplicates)

    def count(self) -> int:
        """How many pages are selected.

        Returns:
            Their number.
        """
        return self.crawl.count(relevant=self.relevant_only, duplicates=self.duplicates)

    def pages(self) -> Iterator[StoredPage]:
        """The selected pages in the order in which they were fetched; reports progress after each.

        Yields:
            One page after the other.
        """
        total = self.count()
        for done, page in enumerate(self.crawl.pages(relevant=self.relevant_only, duplicates=self.duplicates), 1):
            yield page
            self.progress(done, total)

    def records(self) -> Iterator[dict[str, Any]]:
        """The selected pages as plain records.

        Yields:
            One record per page: the values of `fields` by name.
        """
        columns = [(name, self._text if name == "text" else _COLUMNS[name]) for name in self.fields]
        for page in self.pages():
            yield {name: value(page) for name, value in columns}

    def _text(self, page: StoredPage) -> str:
        if self.text == "full":
            return page.full_text
        if self.extractor is not None:
            return page.text_by(self.extractor, as_markdown=self.text == "markdown")
        return page.markdown if self.text == "markdown" else page.text
