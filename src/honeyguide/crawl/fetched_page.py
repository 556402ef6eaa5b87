"""A page as the crawl yields it, moments after it was fetched."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from honeyguide.page.decode import decode
from honeyguide.page.parse import parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.store.archive import RecordLocation, read_answer
from honeyguide.store.database import PageRow


class PageRecord(NamedTuple):
    """Where the body of a page is: in the archive, unless it is given."""

    folder: Path
    spot: RecordLocation
    limit: int
    """Maximum length of the body."""
    body: bytes | None = None


@dataclass(frozen=True)
class FetchedPage:
    """A page that was fetched and read. It is small, so that many can be kept: its text stays in the archive."""

    url: str
    title: str
    language: str
    """Such as "en": as declared, unless its text says otherwise; "" if unknown."""
    relevance: float
    relevant: bool
    duplicate_of: str
    """The earlier page that it duplicates, exactly or nearly; "" when it is new."""
    depth: int
    parent: str
    """The page it was first found on; "" for a seed."""
    fetched: float
    status: int
    row: PageRow
    _record: PageRecord = field(repr=False, compare=False)

    @cached_property
    def text(self) -> str:
        """Its visible text, with one line per block. Read from the archive and parsed on first use."""
        folder, spot, limit, body = self._record
        if body is None:
            body = read_answer(folder, spot, limit, url=self.url).body
        return parse(decode(body, self.row.content_type), self.url, UrlRules(UrlSettings())).text
