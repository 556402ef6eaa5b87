"""The crawl's clock: time of day that never goes back."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time in Unix seconds."""

    def now(self) -> float:
        """The time; never less than it was."""
        ...


class WallClock:
    """Real time. Politeness rests on it, so it runs on even when the system's clock is set back."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def now(self) -> float:
        """As `Clock.now`."""
        return self._offset + time.monotonic()
