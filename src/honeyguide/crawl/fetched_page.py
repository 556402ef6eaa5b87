"""A page as the crawl yields it, moments after it was fetched."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from honeyguide.frontier import NO_PARENT, UrlView
from honeyguide.page.content import Content
from honeyguide.page.document import as_html
from honeyguide.page.parse import Page, parse
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
    rendered: RecordLocation | None = None
    """The location of the document rendered by a browser."""


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
        """Its main content, with one line per block: without menus, banners, footers and lists of links.

        Read from the archive and parsed on first use. The text that the pages of a site share is known only after the
        crawl: `honeyguide.Crawl` leaves out more of it.
        """
        return Content(self._parsed(styled=True)).plain()

    @cached_property
    def full_text(self) -> str:
        """All its visible text, with one line per block, read and parsed likewise."""
        return self._parsed().text

    def _parsed(self, *, styled: bool = False) -> Page:
        folder, spot, limit, body, rendered = self._record
        if body is None:
            body = read_answer(folder, spot, limit, url=self.url, original=rendered).body
        html = as_html(body, self.row.content_type)
        return parse(html, self.url, UrlRules(UrlSettings()), styled=styled)


def fetched_page(url: str, row: PageRow, urls: UrlView, record: PageRecord) -> FetchedPage:
    """Make the page from its recorded row."""
    parent = urls.parent(row.id)
    return FetchedPage(
        url=url,
        title=row.title,
        language=row.language,
        relevance=row.relevance,
        relevant=row.relevant,
        duplicate_of="" if row.duplicate_of is None else urls.url(row.duplicate_of),
        depth=urls.depth(row.id),
        parent="" if parent == NO_PARENT else urls.url(parent),
        fetched=row.fetched,
        status=row.status,
        row=row,
        _record=record,
    )
