"""A page of a crawl, as it is stored."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from honeyguide.fetch.base import Response
from honeyguide.page.content import Content
from honeyguide.page.content.metadata import Metadata, read_metadata
from honeyguide.page.content.reference import Extractor
from honeyguide.page.document import as_html
from honeyguide.page.parse import Page, parse
from honeyguide.store.archive import record_file
from honeyguide.store.database import PageRow
from honeyguide.warc.write import digest_text

if TYPE_CHECKING:
    from honeyguide.store.crawl import Crawl


@dataclass(frozen=True)
class StoredPage:
    """A page of a crawl. Its body is read from the archive on first use."""

    url: str
    parent: str
    """The page on which it was first found; "" for a seed."""
    depth: int
    duplicate_of: str
    """The earlier page that it duplicates, exactly or nearly; "" if there is none."""
    row: PageRow
    _crawl: Crawl

    @property
    def title(self) -> str:
        """The title of the page."""
        return self.row.title

    @property
    def relevance(self) -> float:
        """Its relevance score for the topic."""
        return self.row.relevance

    @property
    def relevant(self) -> bool:
        """Whether it counts as relevant."""
        return bool(self.row.relevant)

    @property
    def language(self) -> str:
        """Its language, such as "en": as declared, unless its text says otherwise; "" if unknown."""
        return self.row.language

    @property
    def fetched(self) -> float:
        """Unix time of the request."""
        return self.row.fetched

    @property
    def digest(self) -> str:
        """SHA-1 of the body as sent, in the format of WARC headers."""
        return digest_text(self.row.digest)

    @property
    def warc_file(self) -> str:
        """Name of the file in the crawl's folder that contains its record."""
        whole = self._crawl.path.absolute()
        return str(record_file(whole, self.row.warc_file).relative_to(whole))

    @cached_property
    def stored(self) -> Response:
        """The response from the archive; if the page was rendered, its body is the rendered document."""
        return self._crawl.answer(self)

    @cached_property
    def page(self) -> Page:
        """The parsed document: words, nodes, links."""
        return parse(self._html, self.url, self._crawl.url_rules)

    @cached_property
    def _html(self) -> str:
        return as_html(self.stored.body, self.row.content_type)

    @cached_property
    def content(self) -> Content:
        """Its main content, without blocks that are repeated on its site."""
        styled = parse(self._html, self.url, self._crawl.url_rules, styled=True)
        return Content(styled, self._crawl.repeats.of(self.url))

    @property
    def text(self) -> str:
        """Its main content as plain text, with one line per block: without menus, banners, footers, lists of links."""
        return self.content.plain()

    @property
    def markdown(self) -> str:
        """Its main content as Markdown."""
        return self.content.markdown()

    @property
    def full_text(self) -> str:
        """All its visible text, with one line per block."""
        return self.page.text

    @cached_property
    def metadata(self) -> Metadata:
        """What it states about itself: author, date, description, canonical URL, licence."""
        return read_metadata(self._html, self.url, self._crawl.url_rules)

    def text_by(self, extract: Extractor, *, as_markdown: bool = False) -> str:
        """Its main content as found by another extractor.

        Args:
            extract: The extractor, such as that of `honeyguide.page.content.reference`.
            as_markdown: Whether to return Markdown.

        Returns:
            The text.
        """
        return extract(self._html, self.url, as_markdown)
