"""Which pages of a crawl are exported, and which fields of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from honeyguide.errors import InputError
from honeyguide.store.crawl import Crawl, StoredPage, chosen
from honeyguide.warc.write import warc_date

Progress = Callable[[int, int], None]
"""Called repeatedly with the amount done and the total: in pages, or in bytes when whole files are copied."""

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
}

FIELDS = tuple(_COLUMNS)
"""The fields of a page, in this order. `parent` is "" for a seed, `duplicate_of` is "" for a page that is new."""


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


@dataclass(frozen=True, slots=True)
class ExportSelection:
    """The pages that an export format writes."""

    crawl: Crawl
    relevant_only: bool = True
    duplicates: bool = False
    """Whether relevant pages that duplicate an earlier one are exported too."""
    progress: Progress = lambda _done, _total: None
    fields: tuple[str, ...] = FIELDS
    """Which fields `records` has, in this order. Without `text`, no page is read from the archive."""
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
        columns = [(name, _COLUMNS[name]) for name in self.fields]
        for page in self.pages():
            yield {name: value(page) for name, value in columns}
