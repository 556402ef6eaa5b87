"""The record of every URL ever offered: flat arrays, a row a URL, in the order they were first met."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from enum import IntEnum
from typing import Final


class State(IntEnum):
    """What has become of a URL. The numbers are written to disk."""

    WAITING = 0
    IN_FLIGHT = 1
    DONE = 2
    FAILED = 3
    REFUSED = 4


NO_PARENT: Final = -1

Row = tuple[str, float, int, int, int, int]
"""A URL as it is written down: url, priority, state, parent, depth, attempts."""


class UrlRecord:
    """URLs by number. Knows nothing of order or hosts; keeps count of states and of what is not yet written down."""

    def __init__(self) -> None:
        self.url: list[str] = []
        self.number: dict[str, int] = {}
        self.priority = array("d")
        self.state = bytearray()
        self.host = array("I")
        self.parent = array("i")
        self.depth = array("H")
        self.attempts: dict[int, int] = {}
        self.counts = [0] * len(State)
        self._changed: set[int] = set()
        self._written = 0  # rows below this number are on disk, unless they changed since

    def __len__(self) -> int:
        return len(self.url)

    def add(self, url: str, priority: float, state: int, host: int, parent: int, depth: int) -> int:
        """One more row. Returns its number."""
        number = len(self.url)
        self.number[url] = number
        self.url.append(url)
        self.priority.append(priority)
        self.state.append(state)
        self.host.append(host)
        self.parent.append(parent)
        self.depth.append(min(depth, 0xFFFF))
        self.counts[state] += 1
        return number

    def set_state(self, number: int, state: int) -> None:
        """Move a URL from one state to another."""
        self.counts[self.state[number]] -= 1
        self.counts[state] += 1
        self.state[number] = state
        if number < self._written:
            self._changed.add(number)

    def set_priority(self, number: int, priority: float) -> None:
        """Note another priority."""
        self.priority[number] = priority
        if number < self._written:
            self._changed.add(number)

    def row(self, number: int) -> Row:
        """A URL as it should be written down."""
        return (
            self.url[number],
            self.priority[number],
            self.state[number],
            self.parent[number],
            self.depth[number],
            self.attempts.get(number, 0),
        )

    def unwritten(self) -> tuple[range, list[int]]:
        """The numbers of rows that are new, and of older ones that changed, since the last call."""
        new, changed = range(self._written, len(self.url)), sorted(self._changed)
        self.mark_written()
        return new, changed

    def mark_written(self) -> None:
        """All rows are on disk as they are."""
        self._written = len(self.url)
        self._changed = set()

    def ancestors(self, number: int) -> Iterator[int]:
        """The way back to a seed: the URL's parent, that one's parent, and so on."""
        while (number := self.parent[number]) != NO_PARENT:
            yield number
