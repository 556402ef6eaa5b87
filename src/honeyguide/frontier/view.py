"""A read-only view of the URLs in a frontier."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from honeyguide.frontier.record import NO_PARENT, NO_SIBLING, State

if TYPE_CHECKING:
    from honeyguide.frontier.hosts import Hosts
    from honeyguide.frontier.record import UrlRecord

Numbers = NDArray[np.intp]

UNKNOWN: Final = int(np.iinfo(np.intp).max)
"""Stands for the number of a URL that was never offered; larger than any number."""

_WAITING = int(State.WAITING)
_STATES = tuple(State)  # by number: faster than State(number)


class UrlView:
    """Every URL that was ever offered to a frontier, read-only.

    URLs are identified by the numbers that `Frontier.offer` returned: 0, 1, 2, ... in the order in which they were
    first offered. Numbers of URLs and of hosts are meaningful only within their frontier. Most lookups have two forms:
    for one URL (`depth`), and for an array of URLs (`depths`), which is faster for more than a few dozen URLs.
    """

    __slots__ = (
        "_attempts", "_depth", "_find", "_host", "_hosts", "_last_child", "_next", "_parent", "_previous", "_priority",
        "_state", "_url", "find",
    )  # fmt: skip

    def __init__(self, record: UrlRecord, hosts: Hosts) -> None:
        self.find: Callable[[str], int | None] = record.number.get
        """The number of a canonical URL; None if it was never offered."""
        self._find = record.number.get
        # The record changes these in place and never replaces them.
        self._url = record.url
        self._priority = record.priority
        self._state = record.state
        self._host = record.host
        self._parent = record.parent
        self._depth = record.depth
        self._attempts = record.attempts
        self._last_child = record.last_child
        self._previous = record.previous_sibling
        self._next = record.next_sibling
        self._hosts = hosts.all

    def __len__(self) -> int:
        return len(self._url)

    # ---- one URL ----

    def url(self, number: int) -> str:
        """The URL with a number."""
        return self._url[number]

    def state(self, number: int) -> State:
        """Its state."""
        return _STATES[self._state[number]]

    def is_waiting(self, number: int) -> bool:
        """Whether it waits to be taken."""
        return self._state[number] == _WAITING

    def priority(self, number: int) -> float:
        """Its current priority, or the one it had when it was taken."""
        return self._priority[number]

    def depth(self, number: int) -> int:
        """The number of links from a seed to it, along the path by which it was first found; at most 65,535."""
        return self._depth[number]

    def attempts(self, number: int) -> int:
        """How many attempts to fetch it have failed and led to a retry."""
        return self._attempts.get(number, 0)

    def host(self, number: int) -> int:
        """The number of its host, as used by `Frontier.weigh` and other methods."""
        return self._host[number]

    def host_name(self, number: int) -> str:
        """The name of its host, with the port if that is not the default."""
        return self._hosts[self._host[number]].name

    # ---- origin ----

    def parent(self, number: int) -> int:
        """The page on which it was first found, or the URL that redirected to it; `NO_PARENT` for a seed."""
        return self._parent[number]

    def ancestors(self, number: int) -> Iterator[int]:
        """The path back to a seed: the URL's parent, the parent's parent, and so on."""
        while (number := self._parent[number]) != NO_PARENT:
            yield number

    def children(self, parent: int) -> list[int]:
        """The URLs with this parent, in the order in which they were first offered."""
        if parent == NO_PARENT:
            return []
        found = _followed(self._previous, self._last_child.get(parent, NO_SIBLING))
        found.reverse()
        return found

    def siblings(self, number: int, within: int | None = None) -> list[int]:
        """The other URLs with the same parent, in the order in which they were first offered. A seed has none.

        Args:
            number: The URL.
            within: Maximum number of siblings before it, and of siblings after it; all by default.

        Returns:
            Their numbers, without the URL's own.
        """
        if self._parent[number] == NO_PARENT:
            return []
        before = _followed(self._previous, self._previous[number], within)
        before.reverse()
        return before + _followed(self._next, self._next[number], within)

    # ---- many URLs at once ----

    def numbers(self, urls: Collection[str]) -> Numbers:
        """The numbers of some canonical URLs; `UNKNOWN` for those that were never offered."""
        return np.fromiter(map(self._find, urls, repeat(UNKNOWN)), np.intp, len(urls))

    # While the result of `np.frombuffer` exists, its array cannot grow, so only copies are returned.

    def states(self, numbers: Numbers) -> NDArray[np.uint8]:
        """The states of some URLs, to be compared with members of `State`."""
        return np.frombuffer(self._state, np.uint8).take(numbers)

    def priorities(self, numbers: Numbers) -> NDArray[np.float64]:
        """The priorities of some URLs."""
        return np.frombuffer(self._priority, np.float64).take(numbers)

    def depths(self, numbers: Numbers) -> Numbers:
        """The depths of some URLs."""
        return np.frombuffer(self._depth, np.uint16).take(numbers).astype(np.intp)

    def hosts(self, numbers: Numbers) -> Numbers:
        """The numbers of the hosts of some URLs."""
        return np.frombuffer(self._host, np.uint32).take(numbers).astype(np.intp)

    def parents(self, numbers: Numbers) -> Numbers:
        """The parents of some URLs; `NO_PARENT` for seeds."""
        return np.frombuffer(self._parent, np.int32).take(numbers).astype(np.intp)


def _followed(links: Sequence[int], first: int, most: int | None = None) -> list[int]:
    """Follow a linked list of siblings to its end, or for at most `most` steps."""
    found: list[int] = []
    number = first
    while number != NO_SIBLING and len(found) != most:
        found.append(number)
        number = links[number]
    return found
