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
    """Another shard's: known here because it leads to URLs of this one, and never taken."""


NO_PARENT: Final = -1
NO_SIBLING: Final = -1

Row = tuple[str, float, int, int, int, int]
"""A URL as it is stored: url, priority, state, parent, depth, attempts."""


class DirtyRows(NamedTuple):
    """The rows that have to be written. Iterate over them once, before any other change to the frontier."""

    new: Iterator[tuple[int, *Row]]
    """URLs that were never written: the number of each, and its row."""
    changed: Iterator[tuple[float, int, int, int]]
    """The changeable values of other URLs that changed: priority, state, attempts, and the number of the URL."""


class UrlRecord:
    """URLs by number. Independent of order and hosts; counts the states, and tracks the rows not yet written."""

    def __init__(self) -> None:
        self.url: list[str] = []
        self.number: dict[str, int] = {}
        self.priority = array("d")
        self.state = bytearray()
        self.host = array("I")
        self.parent = array("i")
        self.depth = array("H")
        self.attempts: dict[int, int] = {}
        # Children form a linked list: each one points to the one before it and the one after it, their parent to the
        # last. So there is no object per page that the garbage collector would have to visit, and only a few bytes per
        # URL.
        self.last_child: dict[int, int] = {}
        self.previous_sibling = array("i")
        self.next_sibling = array("i")
        self.counts = [0] * len(State)
        self.again: set[int] = set()
        """URLs in flight that are visited again: on disk, they are done."""
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
        before = self.last_child.get(parent, NO_SIBLING)
        self.previous_sibling.append(before)
        self.next_sibling.append(NO_SIBLING)
        if before != NO_SIBLING:
            self.next_sibling[before] = number
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
        before = self.last_child.get(parent, NO_SIBLING)
        self.previous_sibling.append(before)
        self.previous_sibling.extend(numbers[:-1])
        if before != NO_SIBLING:
            self.next_sibling[before] = first
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
        """Let a URL that is done be in flight. Nothing of that is written: a crash changes nothing."""
        self.again.add(number)
        self._move(number, State.IN_FLIGHT)

    def end_again(self, number: int) -> None:
        """Let it be done, as before."""
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
        """How many rows, apart from new ones, have changed since the last call of `dirty_rows`."""
        return len(self._changed)

    def dirty_rows(self) -> DirtyRows:
        """The rows that are new, and the changes of older ones, since the last call."""
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
