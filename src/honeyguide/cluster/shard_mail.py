"""The mail of one shard, which connects its database, its loop, and the code that carries parcels."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from honeyguide.cluster import items
from honeyguide.cluster.leases import LeaseRequest
from honeyguide.cluster.mail import ItemInbox, ItemOutbox, Parcel
from honeyguide.store.database import Statement

_READ = "SELECT seq, item FROM outbox WHERE receiver = ? AND seq >= ? ORDER BY seq LIMIT ?"


@dataclass(slots=True)
class _OpenParcel:
    """A received parcel whose items are being applied."""

    sender: str
    number: int
    """The number of the first remaining item."""
    items: deque[bytes]
    receipt: asyncio.Future[int]


class ShardMail:
    """The items to send and to apply, starting from the last commit of the shard.

    Nothing is sent before it is committed, and no item is acknowledged before its effects are committed.
    """

    def __init__(self, name: str, query: Callable[..., Iterator[tuple[Any, ...]]]) -> None:
        """`name` is the name of the shard; `query` runs a query on its committed data."""
        self._name = name
        self._query = query
        channels = list(query("SELECT shard, sent, received FROM channels"))
        kept = dict(query("SELECT receiver, min(seq) FROM outbox GROUP BY receiver"))
        self._outbox = ItemOutbox(self._read, {shard: sent for shard, sent, _ in channels}, kept)
        self._inbox = ItemInbox({shard: received for shard, _, received in channels})
        self._being_committed: tuple[dict[str, int], dict[str, int]] | None = None
        self._open: deque[_OpenParcel] = deque()
        self._applied: list[_OpenParcel] = []  # parcels to acknowledge once their effects are committed
        self._is_closed = False

    def _read(self, receiver: str, first: int, most: int) -> list[tuple[int, bytes]]:
        try:
            return [(seq, item) for seq, item in self._query(_READ, receiver, first, most)]
        except sqlite3.ProgrammingError:  # the run has just ended: the next run sends it
            return []

    # ---- sending ----

    def add(self, receiver: str, content: bytes) -> None:
        """Add an item for a shard. It is sent after the next commit."""
        self._outbox.add(receiver, content)

    @property
    def sent(self) -> int:
        """The number of items for other shards so far, over all runs."""
        return self._outbox.total

    def receivers(self) -> list[str]:
        """The shards for which there is something to send."""
        return self._outbox.receivers()

    def parcel(self, receiver: str, leases: LeaseRequest) -> Parcel:
        """What to send to a shard; the same again until it is acknowledged."""
        first, contents = self._outbox.parcel(receiver)
        return Parcel(self._name, receiver, first, contents, leases)

    def acknowledge(self, receiver: str, number: int) -> None:
        """Record that a shard has committed the items up to a number."""
        self._outbox.acknowledge(receiver, number)

    # ---- receiving ----

    @property
    def received(self) -> int:
        """The number of items from other shards applied so far, over all runs."""
        return self._inbox.total

    @property
    def is_waiting(self) -> bool:
        """Whether received items have not been applied yet."""
        return bool(self._open)

    def receive(self, parcel: Parcel) -> asyncio.Future[int]:
        """Take a parcel. Returns the future number of the last committed item, done if there is nothing to apply."""
        receipt: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        opened = _OpenParcel(parcel.sender, parcel.first, deque(parcel.items), receipt)
        if self._is_closed or not opened.items:
            receipt.set_result(self._inbox.safe(parcel.sender))
        else:
            self._open.append(opened)
        return receipt

    def apply(self, apply: Callable[[Sequence[items.Item]], None], most: int) -> None:
        """Apply about `most` received items, each once and in order; items packed together are applied together."""
        while self._open and most > 0:
            parcel = self._open[0]
            while parcel.items and most > 0:
                for content in self._inbox.accept(parcel.sender, parcel.number, [parcel.items.popleft()]):
                    found = items.unpack(content)
                    apply(found)
                    most -= len(found)
                parcel.number += 1
            if not parcel.items:
                self._applied.append(self._open.popleft())
        self._answer()

    def _answer(self) -> None:
        """Acknowledge the parcels whose effects are all committed."""
        if not self._applied:
            return
        left, applied = [], self._inbox.applied()
        for parcel in self._applied:
            if self._inbox.safe(parcel.sender) < applied.get(parcel.sender, 0):
                left.append(parcel)
            elif not parcel.receipt.done():
                parcel.receipt.set_result(self._inbox.safe(parcel.sender))
        self._applied = left

    def close(self) -> None:
        """Acknowledge to all senders what is committed; nothing is applied from now on."""
        self._is_closed = True
        for parcel in (*self._open, *self._applied):
            if not parcel.receipt.done():
                parcel.receipt.set_result(self._inbox.safe(parcel.sender))

    # ---- commits ----

    def statements(self) -> tuple[Statement, ...]:
        """The statements of a commit."""
        new, deleted, sent = self._outbox.take_changes()
        applied = self._inbox.applied()
        self._being_committed = sent, applied
        names = sent.keys() | applied.keys()
        channels = [(name, sent.get(name, 0), applied.get(name, 0)) for name in sorted(names)]
        return (
            ("INSERT INTO outbox VALUES (?, ?, ?)", new),
            ("DELETE FROM outbox WHERE receiver = ? AND seq <= ?", deleted),
            ("INSERT OR REPLACE INTO channels VALUES (?, ?, ?)", channels),
        )

    def committed(self) -> bool:
        """Record that what `statements` returned is on disk. Returns False if that was recorded before."""
        if self._being_committed is None:
            return False
        sent, applied = self._being_committed
        self._being_committed = None
        self._outbox.committed(sent)
        self._inbox.committed(applied)
        self._answer()
        return True
