"""The crawl's clock: the time of day, but monotonic."""

from __future__ import annotations

import time
from typing import Protocol

from typing_extensions import override


class Clock(Protocol):
    """Tells the time in Unix seconds."""

    def now(self) -> float:
        """The current time; never less than an earlier result."""
        ...


class WallClock(Clock):
    """Real time. Politeness depends on it, so it keeps advancing even when the system clock is set back."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    @override
    def now(self) -> float:
        return self._offset + time.monotonic()
