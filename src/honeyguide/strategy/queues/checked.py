"""A queue whose failures are told by the name of its strategy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

from typing_extensions import override

from honeyguide.errors import InputError, plugin_errors
from honeyguide.frontier import Frontier
from honeyguide.strategy.queues.base import Queue, RevisingQueue
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
            self.merge, self.rank = self._queue.merge, self._queue.rank

    @override
    def begin(self, frontier: Frontier, seeds: Sequence[int]) -> None:
        with self._errors(occasion="at the start of the crawl"):
            self._queue.begin(frontier, seeds)

    @override
    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        with self._errors(frontier.urls.url(number)):
            self._queue.page(frontier, number, reading, max_depth)

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
        return isinstance(self._queue, RevisingQueue)

    def revise(self, frontier: Frontier, number: int, reading: Reading, *, links: bool = False) -> None:
        """A page was judged again, and maybe its links. A strategy that cannot make use of it goes on as before."""
        if isinstance(self._queue, RevisingQueue):
            with self._errors(frontier.urls.url(number)):
                self._queue.revise(frontier, number, reading, links=links)

    def rescore(self, frontier: Frontier, first: int, last: int) -> None:
        """Give new priorities to URLs that wait, if the strategy has any."""
        if isinstance(self._queue, RevisingQueue):
            with self._errors(occasion="to give new priorities"):
                self._queue.rescore(frontier, first, last)

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
