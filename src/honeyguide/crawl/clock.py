"""The crawl's clock: time of day that never goes back."""

from __future__ import annotations

import time
from typing import Protocol

from typing_extensions import override


class Clock(Protocol):
    """Tells the time in Unix seconds."""

    def now(self) -> float:
        """The time; never less than it was."""
        ...


class WallClock(Clock):
    """Real time. Politeness rests on it, so it runs on even when the system's clock is set back."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    @override
    def now(self) -> float:
        return self._offset + time.monotonic()
