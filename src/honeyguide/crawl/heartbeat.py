"""Notices when the event loop is held up: by a commit, by garbage collection, by a machine that is busy elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

EVERY = 0.05
"""Seconds between two beats."""

LEAST = 0.05
"""Seconds that a beat must be late to count: less is within the time that requests take to arrive."""


class Heartbeat:
    """A timer of the event loop. The seconds by which it is late are seconds in which no request could leave."""

    def __init__(self, now: Callable[[], float], needed: Callable[[], object]) -> None:
        """`now` tells the time, also within an iteration of the loop; the timer runs while it is `needed`."""
        self._now = now
        self._needed = needed
        self._due: float | None = None
        self._stalled = 0.0

    def start(self) -> None:
        """Run, if it does not run yet."""
        if self._due is None:
            self._rearm()

    def stall(self) -> float:
        """Seconds for which the loop was held up since the last call; 0 if that was too short to matter."""
        self._check()
        stalled, self._stalled = self._stalled, 0.0
        return stalled

    def _check(self) -> None:
        if self._due is not None and (late := self._now() - self._due) >= LEAST:
            self._stalled += late
            self._due += late

    def _rearm(self) -> None:
        self._due = self._now() + EVERY
        asyncio.get_running_loop().call_later(EVERY, self._beat)

    def _beat(self) -> None:
        self._check()
        self._due = None
        if self._needed():
            self._rearm()
