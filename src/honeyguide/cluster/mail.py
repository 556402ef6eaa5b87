"""Exactly-once delivery of items between shards, over a network that may lose, repeat and reorder messages.

Items are numbered per pair of shards. The sender keeps an item on disk until the receiver acknowledges that it is
committed; the receiver applies items in the order of their numbers, each once, and commits the last number together
with the effects of the items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from honeyguide.cluster.leases import LeaseAnswer, LeaseRequest

Rows = list[tuple[int, bytes]]
"""Numbers and items."""

MOST_ITEMS = 50
"""Maximum number of items in a parcel, which the receiver processes in about a second."""
_MAX_BYTES = 1_500_000


@dataclass(frozen=True, slots=True)
class Parcel:
    """Items from one shard to another, with consecutive numbers, and a request for leases of IP addresses."""

    sender: str
    receiver: str
    first: int
    """The number of the first item."""
    items: Sequence[bytes] = ()
    leases: LeaseRequest = field(default_factory=LeaseRequest)


@dataclass(frozen=True, slots=True)
class Receipt:
    """The answer to a parcel."""

    received: int
    """The number of the last item from the sender that is committed."""
    leases: LeaseAnswer = field(default_factory=LeaseAnswer)


class ItemOutbox:
    """Items for other shards. An item is sent once it is committed, and deleted once it is acknowledged."""

    def __init__(self, read: Callable[[str, int, int], Rows], sent: Mapping[str, int], kept: Mapping[str, int]) -> None:
        """Continue from the last commit.

        Args:
            read: Called with a receiver, a number and a limit; returns the committed items from that number on.
            sent: The number of the last committed item for each receiver.
            kept: The number of the first unacknowledged item, for receivers that have one.
        """
        self._read = read
        self._last = dict(sent)
        self._safe = dict(sent)
        self._acknowledged = {receiver: kept.get(receiver, last + 1) - 1 for receiver, last in sent.items()}
        self._new: list[tuple[str, int, bytes]] = []
        self._deleted: dict[str, int] = {}

    def add(self, receiver: str, item: bytes) -> None:
        """Add an item for a shard. It is sent after the next commit."""
        number = self._last.get(receiver, 0) + 1
        self._last[receiver] = number
        self._new.append((receiver, number, item))

    @property
    def total(self) -> int:
        """The number of items so far, for all receivers."""
        return sum(self._last.values())

    @property
    def waiting(self) -> int:
        """The number of unacknowledged items."""
        return self.total - sum(self._acknowledged.values())

    def receivers(self) -> list[str]:
        """The shards for which there are items to send."""
        return [receiver for receiver, last in self._safe.items() if last > self._acknowledged.get(receiver, 0)]

    def parcel(self, receiver: str) -> tuple[int, list[bytes]]:
        """What to send to a shard next: the number of the first item, and the items, none if there are none to send.

        Returns the same again until some of it is acknowledged.
        """
        first = self._acknowledged.get(receiver, 0) + 1
        if self._safe.get(receiver, 0) < first:
            return first, []
        rows = self._read(receiver, first, MOST_ITEMS)
        size = 0
        items: list[bytes] = []
        for _, item in rows:
            size += len(item)
            if items and size > _MAX_BYTES:
                break
            items.append(item)
        return first, items

    def acknowledge(self, receiver: str, number: int) -> None:
        """Record that a shard has committed the items up to a number."""
        number = min(number, self._safe.get(receiver, 0))
        if number > self._acknowledged.get(receiver, 0):
            self._acknowledged[receiver] = self._deleted[receiver] = number

    def take_changes(self) -> tuple[list[tuple[str, int, bytes]], list[tuple[str, int]], dict[str, int]]:
        """For a commit: the new items, the number up to which items are deleted, and the last number, per receiver."""
        new, deleted = self._new, list(self._deleted.items())
        self._new, self._deleted = [], {}
        return new, deleted, dict(self._last)

    def committed(self, last: Mapping[str, int]) -> None:
        """Record that the changes are on disk; `last` are the last numbers that `take_changes` returned."""
        self._safe.update(last)


class ItemInbox:
    """The numbers of the items received from other shards."""

    def __init__(self, received: Mapping[str, int]) -> None:
        """`received` is the number of the last committed item from each shard."""
        self._applied = dict(received)
        self._safe = dict(received)

    def accept(self, sender: str, first: int, items: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the new ones among items with consecutive numbers. The caller applies them before the next commit.

        Yields none of them if earlier items are missing: the sender sends these again. An item counts as applied when
        the next one is requested, so that one on which the caller fails is delivered again.
        """
        last = self._applied.get(sender, 0)
        if first > last + 1:
            return
        for number, item in enumerate(list(items)[last + 1 - first :], last + 1):
            yield item
            self._applied[sender] = number

    @property
    def total(self) -> int:
        """The number of items applied so far, from all senders."""
        return sum(self._applied.values())

    def applied(self) -> dict[str, int]:
        """For a commit: the number of the last applied item from each shard."""
        return dict(self._applied)

    def committed(self, applied: Mapping[str, int]) -> None:
        """Record that what `applied` returned is on disk."""
        self._safe.update(applied)

    def safe(self, sender: str) -> int:
        """The number of the last committed item from a shard."""
        return self._safe.get(sender, 0)
