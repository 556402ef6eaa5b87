"""Time that passes only when somebody waits."""

from __future__ import annotations


class VirtualClock:
    """A clock that is set forward. A whole crawl takes as long as its pages take to be read."""

    def __init__(self, now: float = 0.0) -> None:
        self._now = now

    def now(self) -> float:
        """As `honeyguide.crawl.clock.Clock.now`."""
        return self._now

    def wait_until(self, time: float) -> None:
        """Set the clock forward; never back."""
        self._now = max(self._now, time)
