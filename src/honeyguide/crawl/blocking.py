"""Blocked hosts and pages: what waits there is refused, and waits again when they are blocked no longer."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final

import numpy as np

from honeyguide.crawl.recorder_protocol import RecorderProtocol
from honeyguide.frontier import Frontier, State
from honeyguide.page.blocklist import BLOCKED, Blocklist

LOOKED_AT: Final = 2000
"""URLs that are looked at in one step: a few milliseconds."""
CHANGED: Final = 250
"""URLs that are refused, or wait again, in one step."""


class Blocking:
    """Keeps URLs that are blocked from waiting, and lets them wait again, so many in a step.

    Whether a URL may be requested is asked again when its turn comes (`blocks`), so that nothing is requested that is
    blocked, however much is still to be looked at. The strategy is told nothing: for it, such a URL simply waits.
    """

    def __init__(self, frontier: Frontier, journal: RecorderProtocol) -> None:
        self._frontier = frontier
        self._journal = journal
        self._list = Blocklist()
        self._dropped: dict[int, None] = {}  # what is refused because it is blocked, in order
        self._next = 0  # all URLs with lower numbers have been looked at
        self._returning: list[int] = []  # dropped, to be looked at again

    @property
    def entries(self) -> tuple[str, ...]:
        """What is blocked."""
        return self._list.entries

    @property
    def is_busy(self) -> bool:
        """Whether there is something left to do for `step`."""
        return bool(self._returning) or (bool(self._list) and self._next < len(self._frontier))

    def restore(self, entries: Iterable[str], dropped: Iterable[int]) -> None:
        """Block what earlier runs had blocked; `dropped` is what they had refused for it."""
        self._dropped = dict.fromkeys(dropped)
        self.block(entries)

    def block(self, entries: Iterable[str]) -> None:
        """Block these, and nothing else."""
        self._list = Blocklist(entries)
        self._next = 0
        self._returning = list(self._dropped)

    def blocks(self, url: str) -> bool:
        """Whether a URL must not be requested."""
        return self._list.blocks(url)

    def refused(self, number: int, now: float) -> None:
        """A URL has been refused because it is blocked: record it."""
        self._dropped[number] = None
        self._journal.tally.refused[BLOCKED] += 1
        self._journal.event(now, "refused", number, reason=BLOCKED)

    def step(self, now: float) -> None:
        """Look at some more of the URLs. Costs next to nothing if nothing is blocked, or all were looked at."""
        if self._returning:
            self._return_some()
        elif self._list and self._next < len(self._frontier):
            self._drop_some(now)

    def _return_some(self) -> None:
        tally, url = self._journal.tally, self._frontier.urls.url
        some = self._returning[-CHANGED:]
        del self._returning[-CHANGED:]
        for number in some:
            if not self._list.blocks(url(number)):
                del self._dropped[number]
                tally.refused[BLOCKED] -= 1
                self._frontier.reopen(number)

    def _drop_some(self, now: float) -> None:
        urls, end = self._frontier.urls, min(self._next + LOOKED_AT, len(self._frontier))
        numbers = np.arange(self._next, end)
        waiting = numbers[urls.states(numbers) == State.WAITING].tolist()
        blocked = [*islice((number for number in waiting if self._list.blocks(urls.url(number))), CHANGED)]
        for number in blocked:
            self._frontier.drop(number)
            self.refused(number, now)
        self._next = blocked[-1] + 1 if len(blocked) == CHANGED else end
