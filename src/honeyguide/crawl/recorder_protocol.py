"""The interface through which a crawl records what happens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from honeyguide.crawl.budget import StopReason
from honeyguide.crawl.page_row import KnownCopy
from honeyguide.fetch.base import Response
from honeyguide.store.database import PageRow
from honeyguide.store.tally import Tally
from honeyguide.strategy.reading import Reading

_NEVER_AGAIN = "this recorder is for crawls that visit every page once"


class RecorderProtocol(Protocol):
    """Records everything that happens, in the order in which it happens."""

    tally: Tally
    redirect_hops: dict[int, int]
    """How many redirects in a row led to a URL, by URL."""

    def page(self, number: int, response: Response, reading: Reading, rendered: bytes = b"", /) -> int | None:
        """Record a page that was fetched and read. Returns the earlier page that it duplicates, exactly or nearly.

        `rendered` is the document that was read instead of the response's, if a browser has rendered it.
        """
        ...

    def stored_page(self, _number: int, /) -> PageRow | None:
        """The row of a page; None if it was not fetched."""
        raise AssertionError(_NEVER_AGAIN)

    def known_copy(self, _number: int, /) -> KnownCopy:
        """The validators and the digest of the stored copy of a page."""
        raise AssertionError(_NEVER_AGAIN)

    def unchanged(self, _number: int, _response: Response, _before: PageRow, /) -> None:
        """Archive the response of a page that is the same as `before`."""
        raise AssertionError(_NEVER_AGAIN)

    def version(
        self, _number: int, _response: Response, _reading: Reading, _before: PageRow, _rendered: bytes = b"", /
    ) -> PageRow:
        """Record a page whose payload is another than `before`, which is kept as a version. Returns its row."""
        raise AssertionError(_NEVER_AGAIN)

    def copies(self) -> Iterable[tuple[int, int | None]]:
        """The pages of earlier runs, in their order, each with the earlier page that it duplicates."""
        ...

    def answer(self, response: Response, /) -> object:
        """Archive a response that is not a page."""
        ...

    def redirect(self, source: int, target: int, hops: int, /) -> None:
        """Record that one URL redirects to another, as the `hops`-th redirect in a row."""
        ...

    def redirected_from(self, sources: Iterable[int], /) -> set[int]:
        """The URLs that some URLs redirected to, directly or indirectly, according to earlier runs."""
        ...

    def left_out(self, number: int, counts: Mapping[str, int], /) -> None:
        """Record how many URLs of a sitemap or feed are not followed, by reason."""
        ...

    def indexes(self) -> Iterable[tuple[int, int, int]]:
        """The sitemap indexes that earlier runs found, in order.

        Each with the number of the first new URL that it listed, and the count of these, whose numbers are
        consecutive.
        """
        ...

    def outcomes(self) -> Iterable[tuple[int, float, bool]]:
        """The pages of earlier runs: number, relevance, and whether each counts as found."""
        ...

    def listings_found(self) -> Iterable[tuple[int, str, int]]:
        """The sitemaps and feeds that earlier runs found, in order: number, referring host, and level."""
        ...

    def listings_read(self) -> Iterable[tuple[int, str, float, int]]:
        """The sitemaps and feeds that earlier runs read, once per reading: number, form, time, number of new URLs."""
        ...

    def query(self, _sql: str, *_values: Any) -> Iterator[tuple[Any, ...]]:
        """The rows of a query on committed data."""
        raise AssertionError(_NEVER_AGAIN)

    def event(self, time: float, kind: str, url: int | None = None, /, **detail: Any) -> None:
        """Record an event."""
        ...

    def fault(self, place: str, error: Exception, /) -> None:
        """Record the traceback of an exception that is a fault of honeyguide; `place` is the URL it happened on."""
        ...

    def robots(self, origin: str, now: float, status: int, body: bytes, /) -> None:
        """Record the content of a robots.txt."""
        ...

    def host_rests(self, name: str, until: float, reason: str, /) -> None:
        """Record that a host must not be contacted until a time, and why."""
        ...

    def seconds(self, now: float, /) -> float:
        """Seconds spent crawling, over all runs."""
        ...

    def pause(self, seconds: float, /) -> None:
        """Exclude some time, in which nothing was crawled, from `seconds`."""
        ...

    def commit(self, now: float, stop: StopReason | None = None, /) -> bool:
        """Write everything recorded so far. Returns False if that has to wait for the next commit."""
        ...
