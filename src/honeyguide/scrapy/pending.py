"""Decides which pending request is next, independently of Scrapy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

_Key = tuple[int, float, int]  # minus the priority, minus the promise, the number of the request: the lowest is next
_SlotKey = tuple[int, float, int, int, str]  # the same of a slot's best request, with the slot's load, and its name

_SPARE = 64  # outdated entries that a heap may have in any case


@dataclass(slots=True)
class _Waiting:
    slot: str
    url: int
    key: _Key


@dataclass(slots=True)
class _Slot:
    heap: list[_Key] = field(default_factory=list)
    live: int = 0
    load: int = 0
    entry: _SlotKey | None = None
    """The slot's valid entry in the heap of slots; None if it is full, or nothing waits."""


class PendingRequests:
    """Pending requests, in slots with limited numbers of concurrent requests.

    Invariants:

    * The next request is the one with the highest priority of all slots that have room; among these the one with the
      highest promise, then one of the slot with the lowest load, then the first that was added.
    * A promise can change at any time: that costs one push for each request that waits for the URL. Nothing scans the
      waiting requests, or the slots. A heap in which most entries are outdated is rebuilt, at a cost amortised over the
      changes that outdated them.
    """

    def __init__(self, limit: Callable[[str], int]) -> None:
        """`limit` returns the maximum number of concurrent requests of a slot."""
        self._limit = limit
        self._waiting: dict[int, _Waiting] = {}
        self._of_url: dict[int, dict[int, None]] = {}  # dictionaries are sets that keep their order
        self._slots: dict[str, _Slot] = {}
        self._heap: list[_SlotKey] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, request: int, slot: str, priority: int, url: int, promise: float) -> None:
        """Add a request by its number, for the URL with a number."""
        key = (-priority, -promise, request)
        self._waiting[request] = _Waiting(slot, url, key)
        self._of_url.setdefault(url, {})[request] = None
        place = self._slots.setdefault(slot, _Slot())
        place.live += 1
        heappush(place.heap, key)
        self._place(slot, place)

    def change(self, url: int, promise: float) -> None:
        """Change the promise of the pending requests for a URL, if there are any."""
        for request in self._of_url.get(url, ()):
            waiting = self._waiting[request]
            if waiting.key[1] == -promise:
                continue
            waiting.key = (waiting.key[0], -promise, request)
            place = self._slots[waiting.slot]
            heappush(place.heap, waiting.key)
            if len(place.heap) > 2 * place.live + _SPARE:
                place.heap = [key for key in set(place.heap) if self._is_valid(key)]
                heapify(place.heap)
            self._place(waiting.slot, place)

    def set_load(self, slot: str, load: int) -> None:
        """Set the number of requests of a slot in progress."""
        place = self._slots.get(slot)
        if place is None:
            if not load:
                return
            place = self._slots[slot] = _Slot()
        if place.load != load:
            place.load = load
            self._place(slot, place)

    def pop(self) -> int | None:
        """Remove and return the next request; None if no slot with capacity has any."""
        while self._heap:
            entry = heappop(self._heap)
            slot = entry[-1]
            place = self._slots.get(slot)
            if place is None or place.entry != entry:
                continue
            place.entry = None
            request = heappop(place.heap)[2]
            waiting = self._waiting.pop(request)
            place.live -= 1
            others = self._of_url[waiting.url]
            del others[request]
            if not others:
                del self._of_url[waiting.url]
            self._place(slot, place)
            return request
        return None

    def _is_valid(self, key: _Key) -> bool:
        waiting = self._waiting.get(key[2])
        return waiting is not None and waiting.key == key

    def _place(self, slot: str, place: _Slot) -> None:
        """Update the entry of a slot."""
        heap = place.heap
        while heap and not self._is_valid(heap[0]):
            heappop(heap)
        entry: _SlotKey | None = None
        if heap and place.load < self._limit(slot):
            priority, promise, request = heap[0]
            entry = (priority, promise, place.load, request, slot)
        elif not heap and not place.load:
            del self._slots[slot]
        if entry == place.entry:
            return
        place.entry = entry
        if entry is not None:
            heappush(self._heap, entry)
            if len(self._heap) > 2 * len(self._slots) + _SPARE:
                self._heap = [place.entry for place in self._slots.values() if place.entry is not None]
                heapify(self._heap)
