"""The record of every URL ever offered: flat arrays, one row per URL, in the order in which they were first offered."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from typing import Final, NamedTuple


class State(IntEnum):
    """The state of a URL. The numbers are written to disk."""

    WAITING = 0
    IN_FLIGHT = 1
    DONE = 2
    FAILED = 3
    REFUSED = 4
    ELSEWHERE = 5
    """Belongs to another shard: recorded because it leads to URLs of this one, and never taken."""


NO_PARENT: Final = -1
NO_SIBLING: Final = -1

Row = tuple[str, float, int, int, int, int]
"""A URL as it is stored: url, priority, state, parent, depth, attempts."""


class DirtyRows(NamedTuple):
    """The rows to be written. Iterate over them once, before any other change to the frontier."""

    new: Iterator[tuple[int, *Row]]
    """URLs that were never written: number and row."""
    changed: Iterator[tuple[float, int, int, int]]
    """The variable values of other URLs that changed: priority, state, attempts, and the number of the URL."""


class UrlRecord:
    """URLs by number, without order or hosts. Counts the states, and tracks the rows that are not written yet."""

    def __init__(self) -> None:
        self.url: list[str] = []
        self.number: dict[str, int] = {}
        self.priority = array("d")
        self.state = bytearray()
        self.host = array("I")
        self.parent = array("i")
        self.depth = array("H")
        self.attempts: dict[int, int] = {}
        # Children form a doubly linked list, whose last element their parent points to. So there is no object per page
        # that the garbage collector would have to visit, and only a few bytes per URL.
        self.last_child: dict[int, int] = {}
        self.previous_sibling = array("i")
        self.next_sibling = array("i")
        self.counts = [0] * len(State)
        self.again: set[int] = set()
        """URLs in flight for a revisit: on disk, they are DONE."""
        self._changed: set[int] = set()
        self._written = 0  # rows below this number are on disk, unless they changed since

    def __len__(self) -> int:
        return len(self.url)

    def add(self, url: str, priority: float, state: int, host: int, parent: int, depth: int) -> int:
        """Add a row. Returns its number."""
        number = len(self.url)
        self.number[url] = number
        self.url.append(url)
        self.priority.append(priority)
        self.state.append(state)
        self.host.append(host)
        self.parent.append(parent)
        self.depth.append(min(depth, 0xFFFF))
        previous = self.last_child.get(parent, NO_SIBLING)
        self.previous_sibling.append(previous)
        self.next_sibling.append(NO_SIBLING)
        if previous != NO_SIBLING:
            self.next_sibling[previous] = number
        self.last_child[parent] = number
        self.counts[state] += 1
        return number

    def add_all(
        self,
        urls: Sequence[str],
        priorities: Iterable[float],
        state: int,
        hosts: Iterable[int],
        parent: int,
        depth: int,
    ) -> range:
        """Add rows of some distinct new URLs, at least one, found on one page. Returns their numbers."""
        count, first = len(urls), len(self.url)
        numbers = range(first, first + count)
        self.number.update(zip(urls, numbers, strict=True))
        self.url.extend(urls)
        self.priority.extend(priorities)
        self.state.extend(bytes((state,)) * count)
        self.host.extend(hosts)
        self.parent.extend(array("i", (parent,)) * count)
        self.depth.extend(array("H", (min(depth, 0xFFFF),)) * count)
        previous = self.last_child.get(parent, NO_SIBLING)
        self.previous_sibling.append(previous)
        self.previous_sibling.extend(numbers[:-1])
        if previous != NO_SIBLING:
            self.next_sibling[previous] = first
        self.next_sibling.extend(numbers[1:])
        self.next_sibling.append(NO_SIBLING)
        self.last_child[parent] = numbers[-1]
        self.counts[state] += count
        return numbers

    def set_state(self, number: int, state: int) -> None:
        """Change the state of a URL."""
        self._move(number, state)
        if number < self._written:
            self._changed.add(number)

    def begin_again(self, number: int) -> None:
        """Set a URL that is DONE in flight for a revisit. This is not written to disk, so a crash changes nothing."""
        self.again.add(number)
        self._move(number, State.IN_FLIGHT)

    def end_again(self, number: int) -> None:
        """Set a URL back to DONE after a revisit."""
        self.again.remove(number)
        self._move(number, State.DONE)

    def _move(self, number: int, state: int) -> None:
        self.counts[self.state[number]] -= 1
        self.counts[state] += 1
        self.state[number] = state

    def set_priority(self, number: int, priority: float) -> None:
        """Change the priority of a URL."""
        self.priority[number] = priority
        if number < self._written:
            self._changed.add(number)

    @property
    def changed(self) -> int:
        """How many rows, not counting new ones, have changed since the last call of `dirty_rows`."""
        return len(self._changed)

    def dirty_rows(self) -> DirtyRows:
        """The new rows, and the changes of older ones, since the last call."""
        new, changed = range(self._written, len(self.url)), sorted(self._changed)
        self.mark_written()
        return DirtyRows(map(self._row, new), map(self._changeable, changed))

    def _row(self, number: int) -> tuple[int, *Row]:
        return (
            number,
            self.url[number],
            self.priority[number],
            self._stored_state(number),
            self.parent[number],
            self.depth[number],
            self.attempts.get(number, 0),
        )

    def _changeable(self, number: int) -> tuple[float, int, int, int]:
        return self.priority[number], self._stored_state(number), self.attempts.get(number, 0), number

    def _stored_state(self, number: int) -> int:
        return int(State.DONE) if number in self.again else self.state[number]

    def mark_written(self) -> None:
        """Mark all rows as written."""
        self._written = len(self.url)
        self._changed = set()
