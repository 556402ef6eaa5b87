"""What shards send each other, each item exactly once in effect, over a network that loses, repeats and reorders.

Items are numbered for each pair of shards. The sender keeps an item on disk until the receiver says that it has
committed it; the receiver takes items in the order of their numbers, each one once, and remembers the last number in
the same commit as what followed from the item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from zlib import DEFLATED, compressobj, decompressobj

from honeyguide.cluster.leases import LeaseAnswer, LeaseRequest

Rows = list[tuple[int, bytes]]
"""Numbers and items."""

MOST_ITEMS = 50
"""In a parcel: the receiver works through it in a second or so."""
_MOST_BYTES = 4_000_000
_LONG = 255  # the first of the bytes that say how long an item is, if it has this length or more
_RAW = -15  # deflate without header and checksum: the network has its own
_LEVEL = 5
_USUAL = (  # what items have in common: of a parcel with one link, it would be most. The most frequent comes last
    b"https://www..edu/.net/.com/.org/index.html"
    b'R\x60\x00\x00\x00["http://",1,0.0,"http://"'
    b'\x00\x00C\x40\x00\x00\x00[["http://www.",1,0.0],["http://.example/",1,1.0],["http://.example/",1,0.0]]'
    b"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02.example/\x00\x00\x00P"
    b'Pg[["texts","<f2",[8]],["region","|u1",[]],["section","<i4",[]],["example","|i1",[]],["source","|u1",[]]]\x01\x04\x05'
)


@dataclass(frozen=True, slots=True)
class Parcel:
    """Items from one shard to another, with consecutive numbers, and what it wants to know about IP addresses."""

    sender: str
    receiver: str
    first: int
    """The number of the first item."""
    content: bytes = b""
    """The items, compressed."""
    leases: LeaseRequest = field(default_factory=LeaseRequest)

    def items(self) -> list[bytes]:
        """The items."""
        return _unpacked(self.content)


@dataclass(frozen=True, slots=True)
class Receipt:
    """The answer to a parcel."""

    received: int
    """The number of the last item from the sender that is safe here."""
    leases: LeaseAnswer = field(default_factory=LeaseAnswer)


class ItemOutbox:
    """Items for other shards. They are sent when they have been committed, and forgotten when they are acknowledged."""

    def __init__(self, read: Callable[[str, int, int], Rows], sent: Mapping[str, int], kept: Mapping[str, int]) -> None:
        """Go on where the last commit left it.

        Args:
            read: Returns the committed items for a receiver from a number on, at most so many.
            sent: The number of the last committed item for each receiver.
            kept: The number of the first one that is not acknowledged, for those receivers that have one.
        """
        self._read = read
        self._last = dict(sent)
        self._safe = dict(sent)
        self._acknowledged = {receiver: kept.get(receiver, last + 1) - 1 for receiver, last in sent.items()}
        self._new: list[tuple[str, int, bytes]] = []
        self._deleted: dict[str, int] = {}

    def add(self, receiver: str, item: bytes) -> None:
        """An item for a shard. It is sent after the next commit."""
        number = self._last.get(receiver, 0) + 1
        self._last[receiver] = number
        self._new.append((receiver, number, item))

    @property
    def total(self) -> int:
        """How many items there ever were, for all receivers."""
        return sum(self._last.values())

    @property
    def waiting(self) -> int:
        """How many are not acknowledged."""
        return self.total - sum(self._acknowledged.values())

    def receivers(self) -> list[str]:
        """Those for which there are items to send."""
        return [receiver for receiver, last in self._safe.items() if last > self._acknowledged.get(receiver, 0)]

    def parcel(self, receiver: str) -> tuple[int, bytes]:
        """What to send to a shard next: the number of the first item, and the items; none if there are none.

        The same again until some of it is acknowledged.
        """
        first = self._acknowledged.get(receiver, 0) + 1
        if self._safe.get(receiver, 0) < first:
            return first, b""
        rows = self._read(receiver, first, MOST_ITEMS)
        size = 0
        items: list[bytes] = []
        for _, item in rows:
            size += len(item)
            if items and size > _MOST_BYTES:
                break
            items.append(item)
        return first, _packed(items)

    def acknowledge(self, receiver: str, number: int) -> None:
        """A shard has committed the items up to a number."""
        number = min(number, self._safe.get(receiver, 0))
        if number > self._acknowledged.get(receiver, 0):
            self._acknowledged[receiver] = self._deleted[receiver] = number

    def take_changes(self) -> tuple[list[tuple[str, int, bytes]], list[tuple[str, int]], dict[str, int]]:
        """For a commit: the new items, up to which number those for a receiver go, and the last number of each."""
        new, deleted = self._new, list(self._deleted.items())
        self._new, self._deleted = [], {}
        return new, deleted, dict(self._last)

    def committed(self, last: Mapping[str, int]) -> None:
        """A commit is on disk, with the last numbers that `take_changes` returned."""
        self._safe.update(last)


class ItemInbox:
    """Items of other shards."""

    def __init__(self, received: Mapping[str, int]) -> None:
        """`received` is the number of the last committed item from each shard."""
        self._applied = dict(received)
        self._safe = dict(received)

    def accept(self, sender: str, first: int, items: Iterable[bytes]) -> Iterator[bytes]:
        """Those of some items, with consecutive numbers, that are new. The caller applies them before the next commit.

        None if items before them are missing: these are sent again. Each counts as applied when the next one is asked
        for, so that one on which the caller fails comes again.
        """
        last = self._applied.get(sender, 0)
        if first > last + 1:
            return
        for number, item in enumerate(list(items)[last + 1 - first :], last + 1):
            yield item
            self._applied[sender] = number

    @property
    def total(self) -> int:
        """How many items were applied, from all senders."""
        return sum(self._applied.values())

    def applied(self) -> dict[str, int]:
        """For a commit: the number of the last item from each shard."""
        return dict(self._applied)

    def committed(self, applied: Mapping[str, int]) -> None:
        """A commit is on disk, with what `applied` returned."""
        self._safe.update(applied)

    def safe(self, sender: str) -> int:
        """The number of the last item from a shard that is committed."""
        return self._safe.get(sender, 0)


def _packed(items: Iterable[bytes]) -> bytes:
    packer = compressobj(_LEVEL, DEFLATED, _RAW, zdict=_USUAL)
    text = b"".join(part for item in items for part in (_size(len(item)), item))
    return packer.compress(text) + packer.flush()


def _unpacked(content: bytes) -> list[bytes]:
    text, items, at = decompressobj(_RAW, zdict=_USUAL).decompress(content) if content else b"", [], 0
    while at < len(text):
        size, at = (text[at], at + 1) if text[at] < _LONG else (int.from_bytes(text[at + 1 : at + 5], "little"), at + 5)
        items.append(text[at : at + size])
        at += size
    return items


def _size(size: int) -> bytes:
    """One byte, or five."""
    return bytes([size]) if size < _LONG else bytes([_LONG]) + size.to_bytes(4, "little")
