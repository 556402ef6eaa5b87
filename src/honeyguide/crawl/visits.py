"""Visits in progress: each sends one request to a host and, if the response is a page, has it read."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from honeyguide.crawl.page_row import KnownCopy
from honeyguide.crawl.readers import PageReaders, ReadError
from honeyguide.crawl.rendering import PageRenderer, RenderedPage, extent_of
from honeyguide.errors import HoneyguideError, PluginError
from honeyguide.fetch.base import Failure, Fetcher, Locator, Request, Response
from honeyguide.frontier import HostSlot
from honeyguide.page.listing import Listing, listing_form, read_listing
from honeyguide.page.url import origin_of
from honeyguide.strategy.reading import Document, ReaderConfig, Reading
from honeyguide.warc.write import payload_digest


@dataclass(slots=True)
class PageVisit:
    """A completed request for a URL. `reading` is set when the response is a page that could be read."""

    number: int
    result: Response | Failure
    reading: Reading | None = None
    rendered: RenderedPage | None = None
    """The result of rendering it in a browser, if that was tried; if it is used, `reading` is that of the result."""
    listing: Listing | None = None
    """The sitemap or feed in the response, if one was expected among the seeds."""
    unreadable: str = ""
    """Why a page could not be read: a fault of honeyguide, not of the host."""
    is_same: bool = False
    """Whether the page was revisited and has the same payload as the stored copy, so that it was not read."""
    plugin_error: PluginError | None = None
    """The error of the strategy or the model, if one failed on the page."""
    document: Document | None = None
    """The document that was read, or was to be read."""
    model_round: int = 0
    """The number of configurations before the one that it was read with."""


@dataclass(slots=True)
class RobotsVisit:
    """A completed request for the robots.txt that URL `number` needs.

    `slot` is the slot of the host that was contacted, if that is not the host of the URL.
    """

    number: int
    origin: str
    result: Response | Failure
    slot: HostSlot | None = None


@dataclass(slots=True)
class AddressVisit:
    """A completed lookup of the address that `url` is at; URL `number` cannot be requested without it.

    `url` is either that URL, or the place that its robots.txt redirects to. Nothing was sent to the host.
    """

    number: int
    url: str
    result: str | Failure


@dataclass(slots=True)
class BrokenVisit:
    """A visit that raised an exception: a fault of honeyguide, or of a fetcher, which costs this URL alone."""

    number: int
    error: Exception
    origin: str = ""
    """The origin of a robots.txt or of a lookup; "" for a page."""
    slot: HostSlot | None = None


Visit = PageVisit | RobotsVisit | AddressVisit | BrokenVisit

_NO_COPY = KnownCopy("", "", b"")
_MIN_LATE = 2.0  # seconds after which a visit is late, but not before ...
_LATE_FACTOR = 3  # ... this many times the usual time
_AVERAGED_OVER = 16  # visits that the usual time is averaged over


class Expected(NamedTuple):
    """What the response for a URL may be, besides a page."""

    seed: bool = False
    """A sitemap or feed among the seeds."""
    listing: bool = False
    """A sitemap or feed that a site refers to."""
    feed: bool = False
    """A feed that is found like a page."""
    worth: float = -1.0
    """As in `Document`."""


_PAGE_ONLY = Expected()


class VisitStart(NamedTuple):
    """A visit in progress."""

    url: str
    """The URL that is requested, or whose address is looked up."""
    began: float
    """The start time, by the event loop's clock."""
    kind: str
    """"page", "robots", "address" or "rendering"."""


class Visits:
    """The visits in progress, as tasks of the event loop.

    A visit counts as in progress until `ended` returns it: it may complete at any time, for instance while another page
    is read again, and a crawl must not stop before it is processed.
    """

    def __init__(self, fetcher: Fetcher, readers: PageReaders) -> None:
        self._fetcher = fetcher
        self._locator = fetcher if isinstance(fetcher, Locator) else None
        self._readers = readers
        self._tasks: dict[asyncio.Task[Visit], VisitStart] = {}  # oldest first
        self._usual = 0.0  # mean seconds of the latest visits of pages
        self._ended: deque[asyncio.Task[Visit]] = deque()
        self._round = 0  # number of configurations adopted so far
        self._wake = asyncio.Event()
        self.on_sent: Callable[[int | HostSlot], None] = lambda _: None
        """Called with the URL, or the slot, for which a request is being sent."""
        self.pages = 0
        """The number of visits in progress to pages."""
        self.renderer: PageRenderer | None = None
        """Renders the pages that need a browser; None to render no page."""
        self.rendering = 0
        """The number of visits in progress that are being rendered, and send nothing themselves."""
        self.lookups = 0
        """The number of visits in progress that only look up an address."""

    def __len__(self) -> int:
        return len(self._tasks) + len(self._ended)

    def visit_page(
        self,
        number: int,
        url: str,
        *,
        patient: bool,
        expected: Expected = _PAGE_ONLY,
        known: KnownCopy = _NO_COPY,
    ) -> None:
        """Start the visit of a page, or of whatever else is `expected`; `patient` as in `Request`.

        A revisited page is read only if it differs from the `known` copy.
        """
        self.pages += 1
        request = Request(
            url,
            listing=expected.seed or expected.listing,
            feed=expected.feed,
            patient=patient,
            sent=lambda: self.on_sent(number),
            etag=known.etag,
            modified=known.modified,
        )
        self._start(_unbroken(self._page(number, request, expected, known.digest), number), url, "page")

    def visit_robots(self, number: int, origin: str, address: str, slot: HostSlot | None, *, patient: bool) -> None:
        """Start the visit of a robots.txt."""
        subject = number if slot is None else slot
        request = Request(address, any_type=True, patient=patient, sent=lambda: self.on_sent(subject))
        visit = self._robots(number, origin, request, slot)
        self._start(_unbroken(visit, number, origin, slot), address, "robots")

    def known_address(self, url: str) -> str | None:
        """The address of a URL, as `Locator.known_address`; "" if the fetcher does not know addresses in advance."""
        return "" if self._locator is None else self._locator.known_address(url)

    def visit_address(self, number: int, url: str) -> None:
        """Start to look up the address of `url`, for URL `number`."""
        self.lookups += 1
        self._start(_unbroken(self._address(number, url), number, origin_of(url)), url, "address")

    def in_progress(self) -> Iterable[VisitStart]:
        """The visits in progress, oldest first."""
        return self._tasks.values()

    def late(self) -> int:
        """How many visits of pages take so much longer than usual that they may never complete."""
        latest = asyncio.get_running_loop().time() - max(_MIN_LATE, _LATE_FACTOR * self._usual)
        late = 0
        for visit in self._tasks.values():
            if visit.began > latest:
                break
            late += visit.kind == "page"
        return late

    def adopt(self, config: ReaderConfig) -> None:
        """Use another configuration for pages that are read from now on, and in `up_to_date`."""
        self._round += 1
        self._readers.adopt(config)

    async def up_to_date(self, visit: Visit) -> Visit:
        """Return a completed visit, with its page read again if another configuration was adopted since it was read.

        So the model that judges a page depends only on the pages processed before it, and not on how many visits were
        in progress when the model changed.
        """
        while isinstance(visit, PageVisit) and visit.document is not None and visit.model_round != self._round:
            visit = await self._read(visit, visit.document)
        return visit

    async def _read(self, visit: PageVisit, document: Document) -> PageVisit:
        """Read the document of a visit, and store the result in the visit."""
        read = replace(visit, reading=None, unreadable="", plugin_error=None)
        read.document, read.model_round = document, self._round
        try:
            read.reading = await self._readers.read(document)
        except ReadError as error:
            read.unreadable = str(error)
        except PluginError as error:
            read.plugin_error = error
        return read

    def wake(self) -> None:
        """Make a pending call of `ended` return."""
        self._wake.set()

    async def ended(self, within: float) -> list[Visit]:
        """Wait for completed visits: returns immediately if there are any, otherwise after at most `within` seconds."""
        if not self._ended and not self._wake.is_set():
            timer = asyncio.get_running_loop().call_later(max(within, 0.0), self._wake.set)
            await self._wake.wait()
            timer.cancel()
        self._wake.clear()
        ended = [task.result() for task in self._ended]
        self._ended.clear()
        self.pages -= sum(is_page(visit) for visit in ended)
        for visit in ended:
            if isinstance(visit, PageVisit):
                self._usual += (visit.result.elapsed - self._usual) / _AVERAGED_OVER
        return ended

    async def cancel(self) -> None:
        """Cancel the visits in progress. Those that have completed are still returned by `ended`."""
        in_progress = list(self._tasks)
        for task in in_progress:
            task.cancel()
        await asyncio.gather(*in_progress, return_exceptions=True)

    def _start(self, visit: Coroutine[Any, Any, Visit], url: str, kind: str) -> None:
        loop = asyncio.get_running_loop()
        task = loop.create_task(visit)
        self._tasks[task] = VisitStart(url, loop.time(), kind)
        task.add_done_callback(self._end)

    def _end(self, task: asyncio.Task[Visit]) -> None:
        del self._tasks[task]
        if not task.cancelled():
            self._ended.append(task)
            self._wake.set()

    async def _page(self, number: int, request: Request, expected: Expected, known: bytes) -> Visit:
        result = await self._fetcher.fetch(request)
        if isinstance(result, Failure) or not 200 <= result.status < 300:
            return PageVisit(number, result)
        kind, is_listing = result.header("content-type"), False
        if expected.seed and (listing := read_listing(result.body, kind, as_text=True)) is not None:
            return PageVisit(number, result, listing=listing)
        if expected.listing or expected.feed:
            is_listing = bool(listing_form(result.body, kind, as_text=expected.listing))
        if result.skipped and not is_listing:
            return PageVisit(number, result)
        if known and payload_digest(result) == known:
            return PageVisit(number, result, is_same=True)
        document = Document.of(result, listing=is_listing, worth=expected.worth)
        visit = await self._read(PageVisit(number, result), document)
        reading = visit.reading
        if reading is None or is_listing or self.renderer is None or not self.renderer.wants(result, reading):
            return visit
        return await self._rendered(visit, result, document, reading)

    async def _rendered(self, visit: PageVisit, result: Response, document: Document, reading: Reading) -> PageVisit:
        """Render the page of a visit. If that fails, the visit keeps the page as it was fetched."""
        task, renderer = asyncio.current_task(), self.renderer
        assert task is not None
        assert renderer is not None
        self._tasks[task] = self._tasks[task]._replace(kind="rendering")
        self.rendering += 1
        try:
            rendering = await renderer.render(result)
        finally:
            self.rendering -= 1
        before = after = extent_of(reading)
        seen: PageVisit | None = None
        if rendering.html:
            seen = await self._read(visit, replace(document, body=rendering.html))
            if seen.plugin_error is not None:
                return seen
            if seen.reading is not None:
                after = extent_of(seen.reading)
            else:
                rendering.html, rendering.problem, seen = b"", f"as rendered, it {seen.unreadable}", None
        rendered = RenderedPage(rendering, before, after)
        rendered.is_used = renderer.uses(result.url, rendering, before, after) and seen is not None
        return replace(seen if rendered.is_used and seen is not None else visit, rendered=rendered)

    async def _robots(self, number: int, origin: str, request: Request, slot: HostSlot | None) -> Visit:
        return RobotsVisit(number, origin, await self._fetcher.fetch(request), slot)

    async def _address(self, number: int, url: str) -> Visit:
        assert self._locator is not None
        try:
            return AddressVisit(number, url, await self._locator.find_address(url))
        finally:
            self.lookups -= 1


def is_page(visit: Visit) -> bool:
    """Whether a visit was for a page, rather than for a robots.txt or an address."""
    return isinstance(visit, PageVisit) or (isinstance(visit, BrokenVisit) and not visit.origin)


async def _unbroken(
    visit: Coroutine[Any, Any, Visit], number: int, origin: str = "", slot: HostSlot | None = None
) -> Visit:
    """Await a visit; exceptions become a `BrokenVisit`, except those that should end the crawl."""
    try:
        return await visit
    except HoneyguideError:
        raise
    except Exception as error:  # noqa: BLE001 (no visit may end the crawl)
        return BrokenVisit(number, error, origin, slot)
