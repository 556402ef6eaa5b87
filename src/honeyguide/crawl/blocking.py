"""Blocked hosts and pages: their waiting URLs are refused, and wait again when they are unblocked."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final

import numpy as np

from honeyguide.crawl.recorder_protocol import RecorderProtocol
from honeyguide.frontier import Frontier, State
from honeyguide.page.blocklist import BLOCKED, Blocklist

LOOKED_AT: Final = 2000
"""URLs that are checked in one step, which takes a few milliseconds."""
CHANGED: Final = 250
"""URLs whose state is changed in one step."""


class Blocking:
    """Drops blocked URLs from the frontier, and restores them when they are unblocked, a limited number per step.

    Every URL is checked again before it is requested (`blocks`), so that no blocked URL is requested, however many URLs
    are still to be checked. The strategy is not notified: for it, such a URL simply waits.
    """

    def __init__(self, frontier: Frontier, journal: RecorderProtocol) -> None:
        self._frontier = frontier
        self._journal = journal
        self._list = Blocklist()
        self._dropped: dict[int, None] = {}  # URLs that were refused because they are blocked, in order
        self._next = 0  # all URLs with lower numbers have been checked
        self._returning: list[int] = []  # dropped URLs, to be checked again

    @property
    def entries(self) -> tuple[str, ...]:
        """The blocked hosts and pages."""
        return self._list.entries

    @property
    def is_busy(self) -> bool:
        """Whether `step` has something left to do."""
        return bool(self._returning) or (bool(self._list) and self._next < len(self._frontier))

    def restore(self, entries: Iterable[str], dropped: Iterable[int]) -> None:
        """Restore what earlier runs blocked; `dropped` are the URLs that they refused because of it."""
        self._dropped = dict.fromkeys(dropped)
        self.block(entries)

    def block(self, entries: Iterable[str]) -> None:
        """Block these entries, and no others."""
        self._list = Blocklist(entries)
        self._next = 0
        self._returning = list(self._dropped)

    def blocks(self, url: str) -> bool:
        """Whether a URL must not be requested."""
        return self._list.blocks(url)

    def refused(self, number: int, now: float) -> None:
        """Record that a URL was refused because it is blocked."""
        self._dropped[number] = None
        self._journal.tally.refused[BLOCKED] += 1
        self._journal.event(now, "refused", number, reason=BLOCKED)

    def step(self, now: float) -> None:
        """Check some more URLs. Costs next to nothing if nothing is blocked, or all URLs have been checked."""
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
