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
    """The number of its URL."""
    seq: int
    """Its position in the order of visits."""
    document: Document


class StoredDocuments:
    """Reads committed pages from the folder of a crawl, which may be running. To be used by a single thread."""

    def __init__(self, folder: Path) -> None:
        self._crawl = Crawl.open(folder)

    def some(self, numbers: Iterable[int]) -> list[StoredDocument]:
        """The pages with these numbers, except those that are not stored yet."""
        found = (self._crawl.numbered(number) for number in numbers)
        return [_document(page) for page in found if page is not None]

    def newest(self, before: int | None, most: int) -> list[StoredDocument]:
        """The newest pages that were fetched `before` a given page, newest first."""
        return [_document(page) for page in self._crawl.newest(before, most)]

    def close(self) -> None:
        """Close the folder."""
        self._crawl.close()


def _document(page: StoredPage) -> StoredDocument:
    return StoredDocument(page.row.id, page.row.seq, Document.of(page.stored))
