"""Virtual time, which advances only by waiting."""

from __future__ import annotations

from typing_extensions import override

from honeyguide.crawl.clock import Clock


class VirtualClock(Clock):
    """A clock that is set forward instead of waiting, so that a replay takes only the time for reading its pages."""

    def __init__(self, now: float = 0.0) -> None:
        self._now = now

    @override
    def now(self) -> float:
        return self._now

    def wait_until(self, time: float) -> None:
        """Set the clock forward; never back."""
        self._now = max(self._now, time)
