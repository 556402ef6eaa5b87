"""Updates the priorities of all waiting URLs after the model has changed."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Final

from honeyguide.frontier import Frontier
from honeyguide.strategy.queues.checked import CheckedQueue

_PER_STEP: Final = 1000  # URLs that are re-scored in one step, which takes a few milliseconds
_PER_COMMIT: Final = 5000  # changed priorities between two commits, which take some ten milliseconds to write
_BETWEEN: Final = 1.0  # minimum seconds between two rounds started by `request`


class Rescoring:
    """Rounds over all URLs of a frontier, in which the queue updates the priorities of those that wait.

    A round is done in small steps, so that the loop of the crawl is never blocked, and waits for a commit whenever many
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
        """Whether `step` has something to do immediately."""
        return self._next is not None and self._frontier.changed < _PER_COMMIT

    @property
    def awaits_commit(self) -> bool:
        """Whether `step` has something to do after the next commit."""
        return self._next is not None and not self.is_busy

    def restart(self) -> None:
        """Start a round with the next step, even if another one is in progress."""
        self._next = 0

    def start(self) -> None:
        """Start a round with the next step, unless one is in progress."""
        if self._next is None:
            self._next = 0

    def stop(self) -> None:
        """Abandon the current round, because its priorities are outdated."""
        self._next = None

    def request(self) -> None:
        """Start a round soon: after the current one, and not more often than once a second."""
        self._is_requested = True

    def step(self) -> None:
        """Update the priorities of some more URLs, if a round is in progress."""
        if self._is_requested and self._next is None and self._now() >= self._last_round + _BETWEEN:
            self._is_requested, self._next = False, 0
        if self._next is None or not self.is_busy:
            return
        last = min(self._next + _PER_STEP, len(self._frontier))
        self._queue.rescore(self._frontier, self._next, last)
        self._next = last if last < len(self._frontier) else None
        if self._next is None:
            self.rounds += 1
            self._last_round = self._now()
