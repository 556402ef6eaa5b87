"""Crawls in no time: an event loop whose clock jumps to the next timer instead of waiting for it.

A crawl writes down what it has once a second, so that minutes of waiting are quick and hours are not: for these there
is `LoopClock.ahead`, or another run that begins later.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from time import monotonic
from typing import Any, TypeVar

BEGAN = 1.7e9

T = TypeVar("T")


class _Selector(selectors.DefaultSelector):
    """Waits for nothing, and counts the seconds that it should have waited.

    While there is a connection to another process, time passes as it does there.
    """

    passed = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        began = monotonic()
        real = timeout is None or len(self.get_map()) > 1  # one is that of the event loop to itself
        ready = super().select(timeout if real else 0)
        self.passed += monotonic() - began if real else 0.0 if ready else timeout or 0.0
        return ready


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop on which time passes only while everybody waits."""

    def __init__(self) -> None:
        self._clock = _Selector()
        super().__init__(self._clock)

    def time(self) -> float:
        """Seconds since the loop was made."""
        return self._clock.passed


class LoopClock:
    """The wall clock of such a loop."""

    def __init__(self, began: float = BEGAN) -> None:
        self.began = began
        self.ahead = 0.0
        """Seconds by which it was set forward."""

    def now(self) -> float:
        """Unix seconds."""
        return self.began + self.ahead + asyncio.get_running_loop().time()


def run_virtually(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine, with time that jumps."""
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(main)
