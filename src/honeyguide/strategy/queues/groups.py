"""URLs in groups: finds the group of a URL, and any URL of a group, in constant time."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from honeyguide.strategy.queues.rows import RowStore

Numbers = NDArray[np.intp]

_ROW = np.dtype([("group", np.uint32), ("place", np.uint32)])  # "group" is the number of the group plus 1; 0 for none
_NO_URLS = array("I")


class UrlGroups:
    """Each URL is in at most one group. Adding and removing a URL takes constant time.

    The order of the URLs of a group has no meaning, but it is the same in a resumed run.
    """

    def __init__(self, name: str) -> None:
        """`name` is the name of its state."""
        self._rows = RowStore(name, _ROW)
        self._groups: dict[int, array[int]] = {}

    def __getitem__(self, group: int) -> array[int]:
        """The URLs of a group; not to be changed."""
        return self._groups.get(group, _NO_URLS)

    def filled(self) -> list[int]:
        """The groups that have a URL, in order."""
        return sorted(group for group, urls in self._groups.items() if urls)

    def put(self, numbers: Numbers, groups: Numbers) -> None:
        """Move distinct URLs into groups, out of the groups that they are in."""
        before = self._rows[numbers]["group"].astype(np.intp)
        is_moved = before != groups + 1
        numbers, groups = numbers[is_moved], groups[is_moved]
        for number in numbers[before[is_moved] > 0].tolist():
            self.remove(number)
        rows = np.empty(len(numbers), _ROW)
        rows["group"] = groups + 1
        for order, (number, group) in enumerate(zip(numbers.tolist(), groups.tolist(), strict=True)):
            urls = self._groups.setdefault(group, array("I"))
            rows["place"][order] = len(urls)
            urls.append(number)
        if len(numbers):
            self._rows[numbers] = rows

    def remove(self, number: int) -> None:
        """Remove a URL from its group, if it is in one. The last URL of the group takes its place."""
        group, place = self._rows.one(number)
        if not group:
            return
        self._rows.set_one(number, (0, 0))
        urls = self._groups[group - 1]
        last = urls.pop()
        if last != number:
            urls[place] = last
            self._rows.set_one(last, (group, place))
        if not urls:
            del self._groups[group - 1]

    # ---- state ----

    def dirty_state(self) -> Iterator[tuple[str, bytes]]:
        """The pieces that changed since the last call, by name."""
        yield from self._rows.dirty_state()

    def restore(self, state: Mapping[str, bytes], urls: int) -> None:
        """Restore what `dirty_state` returned, for a frontier with `urls` URLs."""
        self._rows.restore(state)
        rows = self._rows[np.arange(urls)]
        there = np.flatnonzero(rows["group"])
        there = there[np.lexsort((rows["place"][there], rows["group"][there]))]
        for number, group in zip(there.tolist(), rows["group"][there].tolist(), strict=True):
            self._groups.setdefault(group - 1, array("I")).append(number)
