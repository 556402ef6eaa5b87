"""A queue that reports the failures of a strategy's queue with the name of the strategy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from honeyguide.errors import InputError, plugin_errors
from honeyguide.frontier import Frontier
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.queues.base import (
    ListingQueue,
    PageElsewhere,
    PlainQueue,
    Queue,
    RevisingQueue,
    SharingQueue,
)
from honeyguide.strategy.reading import Reading
from honeyguide.strategy.registry import strategy_named


class CheckedQueue(Queue):
    """Delegates to the queue of a strategy. Whatever that raises becomes a `PluginError` with strategy and page."""

    def __init__(self, strategy: str) -> None:
        """Raises `InputError` when there is no such strategy."""
        self._strategy = strategy
        named = strategy_named(strategy)
        with self._errors(occasion="to start", passing=(InputError,)):
            self._queue: Queue = named.queue()
            # Checked once: `isinstance` with a protocol is slow.
            self._revising = self._queue if isinstance(self._queue, RevisingQueue) else None
            self._sharing = self._queue if isinstance(self._queue, SharingQueue) else None
            self.merge, self.rank = self._queue.merge, self._queue.rank

    @override
    def begin(self, frontier: Frontier, seeds: Sequence[int]) -> None:
        with self._errors(occasion="at the start of the crawl"):
            self._queue.begin(frontier, seeds)

    @override
    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        with self._errors(frontier.urls.url(number)):
            self._queue.page(frontier, number, reading, max_depth)

    def listing(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        """Called when a sitemap or feed was fetched and read."""
        with self._errors(frontier.urls.url(number)):
            read = self._queue.listing if isinstance(self._queue, ListingQueue) else self._queue.page
            read(frontier, number, reading, max_depth)

    @override
    def on_failed(self, frontier: Frontier, number: int) -> None:
        with self._errors(frontier.urls.url(number)):
            self._queue.on_failed(frontier, number)

    @override
    def on_redirect(self, frontier: Frontier, source: int, target: int) -> None:
        with self._errors(frontier.urls.url(source)):
            self._queue.on_redirect(frontier, source, target)

    @property
    def can_revise(self) -> bool:
        """Whether the strategy can correct what it has learnt from a page."""
        return self._revising is not None

    def revise(self, frontier: Frontier, number: int, reading: Reading, *, links: bool = False) -> None:
        """Called when a page was judged again, and possibly its links. Ignored if the strategy cannot revise."""
        if self._revising is not None:
            with self._errors(frontier.urls.url(number)):
                self._revising.revise(frontier, number, reading, links=links)

    def rescore(self, frontier: Frontier, first: int, last: int) -> None:
        """Update the priorities of waiting URLs, if the strategy can revise."""
        if self._revising is not None:
            with self._errors(occasion="to give new priorities"):
                self._revising.rescore(frontier, first, last)

    # ---- on several machines ----

    @property
    def can_share(self) -> bool:
        """Whether the strategy can be used on several machines together."""
        return self._sharing is not None or type(self._queue) is PlainQueue

    def note(self, number: int) -> bytes:
        """What the queue on another machine needs to know about a page."""
        return self._sharing.note(number) if self._sharing is not None else b""

    def passed(self, links: LinkTable) -> LinkTable:
        """What queues on other machines need of the links of a page."""
        with self._errors(occasion="to pass on links"):
            return self._sharing.passed(links) if self._sharing is not None else links

    def links(self, frontier: Frontier, pages: Sequence[PageElsewhere], max_depth: int) -> None:
        """Called when pages fetched elsewhere have links to URLs here."""
        if self._sharing is not None:
            with self._errors(occasion="to offer links of pages that were fetched elsewhere"):
                self._sharing.links(frontier, pages, max_depth)
        else:
            for number, reading, _ in pages:
                self.page(frontier, number, reading, max_depth)  # all that a plain queue does is offer the links

    def revise_links(self, frontier: Frontier, reading: Reading, before: bytes, note: bytes, *, links: bool) -> None:
        """Called when a page with links to URLs here was judged again elsewhere."""
        if self._sharing is not None:
            with self._errors(occasion="to correct what is known of links"):
                self._sharing.revise_links(frontier, reading, before, note, links=links)

    def hand_over(self, number: int, part: int = 0, parts: int = 0) -> bytes:
        """Everything known about a URL, apart from its priority."""
        return self._sharing.hand_over(number, part, parts) if self._sharing is not None else b""

    def take_learnt(self, sums: NDArray[np.float64]) -> None:
        """Take over what queues that no longer exist had learnt."""
        if self._sharing is not None:
            with self._errors(occasion="to take over what was learnt"):
                self._sharing.take_learnt(sums)

    def take_over(self, frontier: Frontier, number: int, known: bytes) -> None:
        """Load what a queue on another machine knew about a URL."""
        if self._sharing is not None:
            with self._errors(frontier.urls.url(number)):
                self._sharing.take_over(frontier, number, known)

    def learnt(self) -> NDArray[np.float64]:
        """What this queue has learnt, as sums; empty if the strategy does not learn."""
        with self._errors(occasion="to say what it has learnt"):
            return self._sharing.learnt() if self._sharing is not None else np.zeros(0)

    def share(self, others: NDArray[np.float64]) -> None:
        """Also use what was learnt on other machines."""
        if self._sharing is not None:
            with self._errors(occasion="to use what others have learnt"):
                self._sharing.share(others)

    def owed(self) -> Sequence[tuple[int, int, float]]:
        """Outcomes to report to pages on other machines."""
        return self._sharing.owed() if self._sharing is not None else ()

    def credit(self, number: int, pages: int, outcome: float) -> None:
        """Called when pages that a page was the first to link to have been fetched elsewhere."""
        if self._sharing is not None:
            with self._errors(occasion="to credit a page"):
                self._sharing.credit(number, pages, outcome)

    def dirty_state(self) -> list[tuple[str, bytes]]:
        """The changed state, as a list, so that nothing can fail while it is being written."""
        with self._errors(occasion="to hand over what it has learnt"):
            return list(self._queue.dirty_state())

    @override
    def restore(self, frontier: Frontier, state: Mapping[str, bytes]) -> None:
        with self._errors(occasion="to go on from what it had learnt"):
            self._queue.restore(frontier, state)

    def _errors(
        self, url: str = "", *, occasion: str = "", passing: tuple[type[Exception], ...] = ()
    ) -> AbstractContextManager[None]:
        return plugin_errors("strategy", self._strategy, url, occasion=occasion, passing=passing)
