"""The stored pages of a crawl as documents to be read again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from honeyguide.store.crawl import Crawl
from honeyguide.store.stored_page import StoredPage
from honeyguide.strategy.reading import Document


class StoredDocument(NamedTuple):
    """A stored page."""

    number: int
    """Of its URL."""
    seq: int
    """Which page of the crawl it is, in the order of fetching."""
    document: Document


class StoredDocuments:
    """Reads pages from the folder of a crawl that may be running: those of its last commit. For one thread."""

    def __init__(self, folder: Path) -> None:
        self._crawl = Crawl.open(folder)

    def some(self, numbers: Iterable[int]) -> list[StoredDocument]:
        """The pages with these numbers, without those that are not stored yet."""
        found = (self._crawl.numbered(number) for number in numbers)
        return [_document(page) for page in found if page is not None]

    def newest(self, before: int | None, most: int) -> list[StoredDocument]:
        """The newest pages that were fetched `before` a page, the newest first."""
        return [_document(page) for page in self._crawl.newest(before, most)]

    def close(self) -> None:
        """Close the folder."""
        self._crawl.close()


def _document(page: StoredPage) -> StoredDocument:
    return StoredDocument(page.row.id, page.row.seq, Document.of(page.stored))
