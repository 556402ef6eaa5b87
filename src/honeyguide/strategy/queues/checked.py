"""A queue whose failures are told by the name of its strategy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from honeyguide.errors import InputError, plugin_errors
from honeyguide.frontier import Frontier
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
    """Asks the queue of a strategy. What it raises is a `PluginError` that names the strategy and the page."""

    def __init__(self, strategy: str) -> None:
        """Raises `InputError` when there is no such strategy."""
        self._strategy = strategy
        named = strategy_named(strategy)
        with self._errors(occasion="to start", passing=(InputError,)):
            self._queue: Queue = named.queue()
            # Asked once: for a protocol the question takes as long as an answer.
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
        """A sitemap or feed was fetched and read."""
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
        """A page was judged again, and maybe its links. A strategy that cannot make use of it goes on as before."""
        if self._revising is not None:
            with self._errors(frontier.urls.url(number)):
                self._revising.revise(frontier, number, reading, links=links)

    def rescore(self, frontier: Frontier, first: int, last: int) -> None:
        """Give new priorities to URLs that wait, if the strategy has any."""
        if self._revising is not None:
            with self._errors(occasion="to give new priorities"):
                self._revising.rescore(frontier, first, last)

    # ---- on several machines ----

    @property
    def can_share(self) -> bool:
        """Whether the strategy can be used on several machines together."""
        return self._sharing is not None or type(self._queue) is PlainQueue

    def note(self, number: int) -> bytes:
        """What the queue of another machine has to know of a page."""
        return self._sharing.note(number) if self._sharing is not None else b""

    def links(self, frontier: Frontier, pages: Sequence[PageElsewhere], max_depth: int) -> None:
        """Pages that were fetched elsewhere link here."""
        if self._sharing is not None:
            with self._errors(occasion="to offer links of pages that were fetched elsewhere"):
                self._sharing.links(frontier, pages, max_depth)
        else:
            for number, reading, _ in pages:
                self.page(frontier, number, reading, max_depth)  # a plain queue offers its links, and no more

    def revise_links(self, frontier: Frontier, reading: Reading, before: bytes, note: bytes, *, links: bool) -> None:
        """A page that links here was judged again elsewhere."""
        if self._sharing is not None:
            with self._errors(occasion="to correct what is known of links"):
                self._sharing.revise_links(frontier, reading, before, note, links=links)

    def hand_over(self, number: int, part: int = 0, parts: int = 0) -> bytes:
        """All that is known of a URL, beside its priority."""
        return self._sharing.hand_over(number, part, parts) if self._sharing is not None else b""

    def take_learnt(self, sums: NDArray[np.float64]) -> None:
        """Take over what other queues have learnt."""
        if self._sharing is not None:
            with self._errors(occasion="to take over what was learnt"):
                self._sharing.take_learnt(sums)

    def take_over(self, frontier: Frontier, number: int, known: bytes) -> None:
        """Know of a URL what another machine knew of it."""
        if self._sharing is not None:
            with self._errors(frontier.urls.url(number)):
                self._sharing.take_over(frontier, number, known)

    def learnt(self) -> NDArray[np.float64]:
        """What was learnt here, as sums; empty if nothing ever is."""
        with self._errors(occasion="to say what it has learnt"):
            return self._sharing.learnt() if self._sharing is not None else np.zeros(0)

    def share(self, others: NDArray[np.float64]) -> None:
        """Use what was learnt on other machines, too."""
        if self._sharing is not None:
            with self._errors(occasion="to use what others have learnt"):
                self._sharing.share(others)

    def owed(self) -> Sequence[tuple[int, int, float]]:
        """What pages of other machines have to be told."""
        return self._sharing.owed() if self._sharing is not None else ()

    def credit(self, number: int, pages: int, outcome: float) -> None:
        """Pages that a page was the first to link to have been fetched elsewhere."""
        if self._sharing is not None:
            with self._errors(occasion="to credit a page"):
                self._sharing.credit(number, pages, outcome)

    def dirty_state(self) -> list[tuple[str, bytes]]:
        """What has changed, complete: nothing is left to fail while it is being written."""
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
