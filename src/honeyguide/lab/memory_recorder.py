"""Records a crawl in memory, limited to the data for computing metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from typing_extensions import override

from honeyguide.crawl.budget import StopReason
from honeyguide.crawl.recorder_protocol import RecorderProtocol
from honeyguide.fetch.base import Response
from honeyguide.frontier import Frontier
from honeyguide.store.duplicates import Duplicates
from honeyguide.store.listed import ListedNumbers
from honeyguide.store.tally import Tally
from honeyguide.store.url_events import LISTING
from honeyguide.strategy.reading import Reading


class PageFetch(NamedTuple):
    """One fetched page of a replayed crawl."""

    url: str
    size: int
    """The size of the body as sent."""
    seconds: float
    """The time of its arrival, since the start of the crawl."""
    hops: int
    """The number of links from a seed, on the path that the crawl took."""
    relevance: float
    """The relevance according to the steering model."""
    relevant: bool
    promised: float
    """Its priority when it was taken."""
    is_duplicate: bool
    """Whether it duplicates an earlier page, exactly or nearly."""


class MemoryRecorder(RecorderProtocol):
    """Keeps the pages of one crawl in memory. Nothing is written to disk."""

    def __init__(self, frontier: Frontier, now: Callable[[], float]) -> None:
        self.tally = Tally()
        self.redirect_hops: dict[int, int] = {}
        self.steps: list[PageFetch] = []
        self._frontier = frontier
        self._now = now
        self._began = now()
        self._duplicates = Duplicates()
        self._listed = ListedNumbers()
        self.on_page: Callable[[int, Response, Reading], None] = lambda *_: None
        """Called with every page, after it was recorded."""

    @override
    def page(self, number: int, response: Response, reading: Reading, rendered: bytes = b"") -> int | None:
        original = self._duplicates.find(reading.signature)
        if original is None:
            self._duplicates.add(reading.signature, number)
        urls = self._frontier.urls
        self.steps.append(
            PageFetch(
                response.url,
                len(response.raw),
                self.seconds(self._now()),
                urls.depth(number),
                reading.relevance,
                reading.relevant,
                urls.priority(number),
                original is not None,
            )
        )
        is_copy, listed = original is not None, number in self._listed
        self.tally.add_page(reading.relevance, relevant=reading.relevant, duplicate=is_copy, listed=listed)
        self.tally.refused.update(reading.left_out)
        self.tally.accepted.update(reading.accepted)
        self.on_page(number, response, reading)
        return original

    @override
    def redirect(self, source: int, target: int, hops: int) -> None:
        self.redirect_hops[target] = min(hops, self.redirect_hops.get(target, hops))

    @override
    def redirected_from(self, sources: Iterable[int]) -> set[int]:
        return set()

    @override
    def event(self, time: float, kind: str, url: int | None = None, /, **detail: Any) -> None:
        if kind == LISTING:
            self._listed.add(detail["first"], detail["new"])
            self.tally.listed["urls"] += detail["new"]

    @override
    def seconds(self, now: float) -> float:
        return now - self._began

    @override
    def fault(self, place: str, error: Exception) -> None:
        raise error  # a trial without this page would be invalid

    # The rest is not needed in a replay.

    @override
    def copies(self) -> Iterable[tuple[int, int | None]]:
        return ()

    @override
    def answer(self, response: Response) -> None:
        pass

    @override
    def left_out(self, number: int, counts: Mapping[str, int]) -> None:
        pass

    @override
    def indexes(self) -> Iterable[tuple[int, int, int]]:
        return ()

    @override
    def outcomes(self) -> Iterable[tuple[int, float, bool]]:
        return ()

    @override
    def listings_found(self) -> Iterable[tuple[int, str, int]]:
        return ()

    @override
    def listings_read(self) -> Iterable[tuple[int, str, float, int]]:
        return ()

    @override
    def robots(self, origin: str, now: float, status: int, body: bytes) -> None:
        pass

    @override
    def host_rests(self, name: str, until: float, reason: str) -> None:
        pass

    @override
    def pause(self, seconds: float) -> None:
        pass

    @override
    def commit(self, now: float, stop: StopReason | None = None) -> bool:
        return True
