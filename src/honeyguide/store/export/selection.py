"""Which pages of a crawl are exported, and which fields of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from honeyguide.store.crawl import Crawl, StoredPage, chosen
from honeyguide.warc.write import warc_date

Progress = Callable[[int, int], None]
"""Called repeatedly with the amount done and the total: in pages, or in bytes when whole files are copied."""

_COLUMNS: dict[str, Callable[[StoredPage], Any]] = {
    "url": lambda page: page.url,
    "title": lambda page: page.title,
    "text": lambda page: page.text,
    "relevance": lambda page: page.relevance,
    "depth": lambda page: page.depth,
    "parent": lambda page: page.parent,
    "fetched": lambda page: warc_date(page.fetched),
    "status": lambda page: page.row.status,
    "hash": lambda page: page.digest,
    "warc_file": lambda page: page.warc_file,
    "warc_offset": lambda page: page.row.warc_offset,
    "language": lambda page: page.row.language,
    "content_type": lambda page: page.row.content_type,
    "duplicate_of": lambda page: page.duplicate_of,
}

FIELDS = tuple(_COLUMNS)
"""The fields of a page, in this order. `parent` is "" for a seed, `duplicate_of` is "" for a page that is new."""


@dataclass(frozen=True, slots=True)
class ExportSelection:
    """The pages that an export format writes."""

    crawl: Crawl
    relevant_only: bool = True
    duplicates: bool = False
    """Whether relevant pages that duplicate an earlier one are exported too."""
    progress: Progress = lambda _done, _total: None

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
            One record per page: the values of `FIELDS` by name.
        """
        for page in self.pages():
            yield {name: value(page) for name, value in _COLUMNS.items()}
