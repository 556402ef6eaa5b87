"""New priorities for everything that waits, after the model has changed."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Final

from honeyguide.frontier import Frontier
from honeyguide.strategy.queues.checked import CheckedQueue

_AT_ONCE: Final = 1000  # URLs that get a new priority in one step: a few milliseconds
_PER_COMMIT: Final = 5000  # that have changed between two commits, which write them all: some ten milliseconds
_BETWEEN: Final = 1.0  # seconds between two rounds that were requested with `request`


class Rescoring:
    """Rounds over all URLs of a frontier, in which the queue gives those that wait new priorities.

    A round is done in small steps, so that the crawl's loop is never held up, and stops for a commit when many
    priorities have changed.
    """

    def __init__(self, frontier: Frontier, queue: CheckedQueue, now: Callable[[], float]) -> None:
        self._frontier = frontier
        self._queue = queue
        self._now = now
        self._next: int | None = None  # the next URL of the current round
        self._is_requested = False
        self._last_round = -inf
        self.rounds = 0
        """Number of completed rounds."""

    @property
    def is_busy(self) -> bool:
        """Whether `step` has something to do at once."""
        return self._next is not None and self._frontier.changed < _PER_COMMIT

    @property
    def awaits_commit(self) -> bool:
        """Whether `step` has something to do after the next commit."""
        return self._next is not None and not self.is_busy

    def restart(self) -> None:
        """Begin a round with the next step, even if that interrupts one."""
        self._next = 0

    def start(self) -> None:
        """Begin a round with the next step, unless there is one."""
        if self._next is None:
            self._next = 0

    def stop(self) -> None:
        """Abandon the current round, because its priorities are outdated."""
        self._next = None

    def request(self) -> None:
        """Begin a round soon, once the current one is done, and not more often than once a second."""
        self._is_requested = True

    def step(self) -> None:
        """Give some more URLs new priorities, if there is a round."""
        if self._is_requested and self._next is None and self._now() >= self._last_round + _BETWEEN:
            self._is_requested, self._next = False, 0
        if self._next is None or not self.is_busy:
            return
        last = min(self._next + _AT_ONCE, len(self._frontier))
        self._queue.rescore(self._frontier, self._next, last)
        self._next = last if last < len(self._frontier) else None
        if self._next is None:
            self.rounds += 1
            self._last_round = self._now()
